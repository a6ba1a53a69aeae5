package classify

import (
	"encoding/binary"
	"errors"
)

// Filters are convolutions over three tokens, followed by pooling. Each filter has a value for
// every known word as the first, middle and last token of the window. Its activation is the amount
// by which the sum of the three values exceeds its threshold.
//
// The products of word vectors and filters are precomputed, so only additions remain. Eight filters
// are computed at a time, as the bytes of a uint64. A value n is stored as n+filterZero, in the
// range 0 to 2*filterZero, so that the sum of three values never overflows a byte.
type Filters struct {
	count int
	rows  []uint64 // per word, count values as first, middle and last token; eight per element
	index *Table   // maps words to rows
}

// filterZero represents 0 in rows.
const filterZero = 42

// maxFilters is the maximum number of filters of a model, because [Pool] has arrays of a fixed
// size. It is a multiple of eight.
const maxFilters = 128

// MaxPoolTokens is the maximum number of tokens that are pooled. It keeps the sums within 16 bits.
const MaxPoolTokens = 256

// A Pool holds the maximum and the sum of each filter over the positions of a text. Entries beyond
// the model's filters stay 0.
type Pool struct {
	Max [maxFilters]uint8
	Sum [maxFilters]uint16
}

var errFilters = errors.New("classify: invalid filter table")

// OpenFilters decodes filters encoded by [EncodeFilters]. It copies data, as [OpenTable] does.
func OpenFilters(data []byte) (*Filters, error) {
	if len(data) < 12 {
		return nil, errFilters
	}
	count, words := int(binary.LittleEndian.Uint32(data)), int(binary.LittleEndian.Uint32(data[4:]))
	if count == 0 || count%8 != 0 || count > maxFilters || words == 0 || len(data)-8 < 3*count*words {
		return nil, errFilters
	}
	f := &Filters{count: count, rows: make([]uint64, 3*count*words/8)}
	for i := range f.rows {
		f.rows[i] = binary.LittleEndian.Uint64(data[8+8*i:])
	}
	var err error
	if f.index, err = OpenTable(data[8+3*count*words:]); err != nil || len(f.index.Scales) != 2 {
		return nil, errFilters
	}
	return f, f.checkIndex(words)
}

// checkIndex returns an error if the index points beyond the rows.
func (f *Filters) checkIndex(words int) error {
	for row := range f.index.rows() {
		if int(binary.LittleEndian.Uint16(row)) >= words {
			return errFilters
		}
	}
	return nil
}

// Len returns the number of filters.
func (f *Filters) Len() int { return f.count }

// Has reports whether a token is known.
func (f *Filters) Has(hash uint64) bool { return f.index.Row(hash) != nil }

// Prefetch prefetches the index entries of the given token hashes, as [Table.Prefetch] does.
func (f *Filters) Prefetch(hashes []uint64) byte { return f.index.Prefetch(hashes) }

// TokenRows holds the rows of a text's tokens.
type TokenRows struct {
	rows [MaxPoolTokens + 2]int32 // padding, the tokens, padding
	len  int
}

// Find sets p to the rows of the first MaxPoolTokens tokens and prefetches them, as
// [Table.Prefetch] does.
func (f *Filters) Find(tokens []Token, p *TokenRows) (sum byte) {
	tokens = tokens[:min(len(tokens), MaxPoolTokens)]
	for i, tok := range tokens {
		p.rows[i+1] = int32(f.rowOffset(tok.Hash))
	}
	p.len = len(tokens)
	p.rows[p.len+1] = 0
	for _, at := range p.rows[1 : p.len+1] {
		for part := range 3 {
			sum += byte(f.rows[int(at)+part*f.count/8])
		}
	}
	return sum
}

// Pool fills p with the pooled filters over the tokens from [Filters.Find].
func (f *Filters) Pool(places *TokenRows, p *Pool) {
	for at := 0; at < f.count; at += 8 {
		most, even, odd := f.poolEight(places.rows[:places.len+2], at/8)
		binary.LittleEndian.PutUint64(p.Max[at:], most)
		for i := range 4 {
			p.Sum[at+2*i] = uint16(even >> (16 * i))
			p.Sum[at+2*i+1] = uint16(odd >> (16 * i))
		}
	}
}

// poolEight pools the eight filters in element at of each part of a row. even and odd contain the
// 16-bit sums of the even and odd filters.
func (f *Filters) poolEight(places []int32, at int) (most, even, odd uint64) {
	rows, middle, last := f.rows[at:], f.rows[f.count/8+at:], f.rows[f.count/4+at:]
	before, here := places[0], places[1]
	for _, next := range places[2:] {
		fired := excess(rows[before] + middle[here] + last[next])
		most = maxSevenBits(most, fired)
		even += fired & evenBytes
		odd += fired >> 8 & evenBytes
		before, here = here, next
	}
	return most, even, odd
}

// rowOffset returns the offset of a word's values in rows. The first row is for unknown words and
// padding.
func (f *Filters) rowOffset(hash uint64) int {
	if at := f.index.Row(hash); at != nil {
		return 3 * f.count / 8 * int(binary.LittleEndian.Uint16(at))
	}
	return 0
}

const (
	evenBytes = 0x00ff00ff00ff00ff
	highBits  = 0x8080808080808080
	toHighBit = 0x0101010101010101 * (128 - 3*filterZero) // maps the byte for 0 to the high bit
)

// excess returns, per byte, max(0, sum of three values) in 7 bits.
func excess(sum uint64) uint64 {
	sum += toHighBit
	above := sum & highBits
	return sum & (above - above>>7)
}

// maxSevenBits returns, per byte, the maximum of two 7-bit numbers.
func maxSevenBits(a, b uint64) uint64 {
	notLess := ((a | highBits) - b) & highBits // where a >= b
	mask := notLess - notLess>>7
	return a&mask | b&^mask
}
