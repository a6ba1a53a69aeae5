package segment

import (
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/colfile"
)

// A Fingerprint stands for a set of posts. Posts that have the same keys, came with the same
// journal entries and were seen by the same models have the same print, in whatever rows
// of whatever files they are; two
// other sets have the same print no more often than two random numbers of 128 bits are
// equal. It is the same in every process, so it may be kept. The zero Print is that of no
// posts.
type Fingerprint [2]uint64

// Add returns the print of two sets that share no post, taken together.
func (p Fingerprint) Add(q Fingerprint) Fingerprint { return Fingerprint{p[0] + q[0], p[1] + q[1]} }

// Sub returns the print of what is left of a set without a part of it.
func (p Fingerprint) Sub(q Fingerprint) Fingerprint { return Fingerprint{p[0] - q[0], p[1] - q[1]} }

// Fingerprints returns the print of the rows, nil for all of them, that are in each stretch from
// one cut up to the next. Cuts are row numbers that do not descend; there is one print less
// than there are cuts.
func (s *Segment) Fingerprints(rows *roaring.Bitmap, cuts []uint32) ([]Fingerprint, error) {
	rows, err := s.orAllRows(rows)
	if err != nil {
		return nil, err
	}
	p, err := s.printer()
	if err != nil || len(cuts) < 2 {
		return nil, err
	}
	prints := make([]Fingerprint, len(cuts)-1)
	chunk := make([]uint32, chunkRows)
	for it := rows.ManyIterator(); ; {
		n := it.NextMany(chunk)
		if n == 0 {
			return prints, nil
		}
		from, _ := slices.BinarySearch(chunk[:n], cuts[0])
		to, _ := slices.BinarySearch(chunk[:n], cuts[len(cuts)-1])
		if from == to {
			continue
		}
		within := chunk[from:to]
		eachBucket(cuts[1:], within, func(stretch, from, to int) {
			prints[stretch] = prints[stretch].Add(p.fingerprint(within[from:to]))
		})
	}
}

// A fingerprinter reads what prints are made of.
type fingerprinter struct {
	columns  [3]*colfile.Uints // both parts of the key, and the arrival
	values   [3][]uint64       // of the rows at hand
	models   *colfile.Uints
	modelsOf []uint64 // models of the rows at hand; nil when they are the same for all rows
}

func (s *Segment) printer() (*fingerprinter, error) {
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

// fingerprint returns the print of up to chunkRows rows.
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

// firstHash and secondHash have nothing in common. The numbers in them have about half of
// their bits set, in no order. Models 0 change nothing, so that prints hold that were kept
// before there were models.
func firstHash(high, low, arrived, models uint64) uint64 {
	return fold(high^0x8ebc6af09c88c6e3, fold(low^0xa0761d6478bd642f, arrived^0xe7037ed1a0b428db)^0x589965cc75374cc3^models*0x2545f4914f6cdd1d)
}

func secondHash(high, low, arrived, models uint64) uint64 {
	return fold(high^0x1d8e4e27c47d124f, fold(low^0xeb44accab455d165, arrived^0x9e3779b97f4a7c15)^0xd6e8feb86659fd93^models*0xda942042e4dd58b5)
}

// fold multiplies two numbers and lays the halves of the product on one another, so that
// every bit of it depends on all bits of both.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
