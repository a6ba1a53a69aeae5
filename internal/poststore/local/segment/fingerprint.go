package segment

import (
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/colfile"
)

// A Fingerprint is a hash of a set of posts. Posts with the same keys, journal positions and model
// versions have the same fingerprint, regardless of the rows and segments that contain them. Two
// different sets have the same fingerprint with the probability that two random 128-bit numbers are
// equal. Fingerprints are the same in every process, so they can be stored. The zero Fingerprint is
// that of the empty set.
type Fingerprint [2]uint64

// Add returns the fingerprint of the union of two disjoint sets.
func (p Fingerprint) Add(q Fingerprint) Fingerprint { return Fingerprint{p[0] + q[0], p[1] + q[1]} }

// Sub returns the fingerprint of a set minus a subset.
func (p Fingerprint) Sub(q Fingerprint) Fingerprint { return Fingerprint{p[0] - q[0], p[1] - q[1]} }

// Fingerprints returns the fingerprint of the rows between each pair of consecutive bounds. If rows
// is nil, it includes all rows. bounds are row numbers in non-descending order.
func (s *Segment) Fingerprints(rows *roaring.Bitmap, bounds []uint32) ([]Fingerprint, error) {
	rows, err := s.orAllRows(rows)
	if err != nil {
		return nil, err
	}
	p, err := s.fingerprinter()
	if err != nil || len(bounds) < 2 {
		return nil, err
	}
	fingerprints := make([]Fingerprint, len(bounds)-1)
	chunk := make([]uint32, chunkRows)
	for it := rows.ManyIterator(); ; {
		n := it.NextMany(chunk)
		if n == 0 {
			return fingerprints, nil
		}
		from, _ := slices.BinarySearch(chunk[:n], bounds[0])
		to, _ := slices.BinarySearch(chunk[:n], bounds[len(bounds)-1])
		if from == to {
			continue
		}
		within := chunk[from:to]
		eachBucket(bounds[1:], within, func(i, from, to int) {
			fingerprints[i] = fingerprints[i].Add(p.fingerprint(within[from:to]))
		})
	}
}

// A fingerprinter reads the columns that fingerprints are computed from.
type fingerprinter struct {
	columns  [3]*colfile.Uints // both parts of the key, and the journal position
	values   [3][]uint64       // values of the current rows
	models   *colfile.Uints
	modelsOf []uint64 // model versions of the current rows; nil if all rows have the same
}

func (s *Segment) fingerprinter() (*fingerprinter, error) {
	p := new(fingerprinter)
	for i, name := range []string{colKeyHigh, colKeyLow, colArrived} {
		var err error
		if p.columns[i], err = s.Uints(name); err != nil {
			return nil, err
		}
		p.values[i] = make([]uint64, chunkRows)
	}
	models, err := s.Uints(colModels)
	if err != nil {
		return nil, err
	}
	if p.models = models; models.Min() != models.Max() {
		p.modelsOf = make([]uint64, chunkRows)
	}
	return p, nil
}

// fingerprint returns the fingerprint of up to chunkRows rows.
func (p *fingerprinter) fingerprint(rows []uint32) Fingerprint {
	for i, c := range p.columns {
		readColumn(c, p.values[i], rows)
	}
	high, low, arrived := p.values[0][:len(rows)], p.values[1][:len(rows)], p.values[2][:len(rows)]
	highBase, lowBase, arrivedBase := p.columns[0].Base(), p.columns[1].Base(), p.columns[2].Base()
	var first, second uint64
	if p.modelsOf == nil {
		models := p.models.Min()
		for i := range high {
			h, l, a := high[i]+highBase, low[i]+lowBase, arrived[i]+arrivedBase
			first += firstHash(h, l, a, models)
			second += secondHash(h, l, a, models)
		}
		return Fingerprint{first, second}
	}
	readColumn(p.models, p.modelsOf, rows)
	models, modelsBase := p.modelsOf[:len(rows)], p.models.Base()
	for i := range high {
		h, l, a, m := high[i]+highBase, low[i]+lowBase, arrived[i]+arrivedBase, models[i]+modelsBase
		first += firstHash(h, l, a, m)
		second += secondHash(h, l, a, m)
	}
	return Fingerprint{first, second}
}

// firstHash and secondHash are independent hashes. Their constants are random, with about half of
// the bits set. Model version 0 has no effect, so fingerprints stored before there were models
// remain valid.
func firstHash(high, low, arrived, models uint64) uint64 {
	return fold(high^0x8ebc6af09c88c6e3, fold(low^0xa0761d6478bd642f, arrived^0xe7037ed1a0b428db)^0x589965cc75374cc3^models*0x2545f4914f6cdd1d)
}

func secondHash(high, low, arrived, models uint64) uint64 {
	return fold(high^0x1d8e4e27c47d124f, fold(low^0xeb44accab455d165, arrived^0x9e3779b97f4a7c15)^0xd6e8feb86659fd93^models*0xda942042e4dd58b5)
}

// fold multiplies two numbers and combines the halves of the product, so that every bit of the
// result depends on all bits of both.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
