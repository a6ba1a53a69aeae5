package classify

import (
	"encoding/binary"
	"errors"
)

// Filters look at every three tokens in a row and pool what they see. Each filter has a
// number for every known word as the first, as the middle and as the last of three;
// where the three add up to more than the filter's threshold, it fires with the excess.
//
// It is a convolution over word vectors whose multiplications were done beforehand, so
// that only additions are left. Eight filters are worked on at once, as the bytes of a
// machine word: a number n is kept as n+filterZero, in 0...2*filterZero, so that three
// of them never overflow a byte.
type Filters struct {
	count int
	rows  []uint64 // of words: count numbers as the first, count as the middle, count as the last, eight in each
	index *Table   // from words to places in rows
}

// filterZero stands for 0 in rows.
const filterZero = 42

// maxFilters bounds the filters of a model; they come in eights.
const maxFilters = 128

// PoolTokens is how many tokens of a text filters look at, at most: the sums of more
// would overflow.
const PoolTokens = 256

// A Pool is what filters saw in a text: the most that each fired at one place, and the
// sum over all places. Filters beyond those of the model stay 0.
type Pool struct {
	Most [maxFilters]uint8
	Sum  [maxFilters]uint16
}

var errFilters = errors.New("classify: not a table of filters")

// OpenFilters returns the filters that EncodeFilters made. It copies data, as OpenTable does.
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
	return f, f.checkPlaces(words)
}

// checkPlaces returns an error when the index points beyond the rows.
func (f *Filters) checkPlaces(words int) error {
	for row := range f.index.rows() {
		if int(binary.LittleEndian.Uint16(row)) >= words {
			return errFilters
		}
	}
	return nil
}

// Len returns how many filters there are.
func (f *Filters) Len() int { return f.count }

// Knows says whether the filters know a token.
func (f *Filters) Knows(hash uint64) bool { return f.index.Row(hash) != nil }

// Warm does for the words of tokens with these hashes what Table.Warm does.
func (f *Filters) Warm(hashes []uint64) byte { return f.index.Warm(hashes) }

// Places are where filters have the numbers of a text's tokens.
type Places struct {
	rows [PoolTokens + 2]int32 // those before the first token and after the last stay 0
	len  int
}

// Find makes p the places of the first PoolTokens tokens, and reads them as Table.Warm
// does.
func (f *Filters) Find(tokens []Token, p *Places) (sum byte) {
	tokens = tokens[:min(len(tokens), PoolTokens)]
	for i, tok := range tokens {
		p.rows[i+1] = int32(f.place(tok.Hash))
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

// Pool fills p with what the filters see in the tokens whose places were found.
func (f *Filters) Pool(places *Places, p *Pool) {
	for at := 0; at < f.count; at += 8 {
		most, even, odd := f.poolEight(places.rows[:places.len+2], at/8)
		binary.LittleEndian.PutUint64(p.Most[at:], most)
		for i := range 4 {
			p.Sum[at+2*i] = uint16(even >> (16 * i))
			p.Sum[at+2*i+1] = uint16(odd >> (16 * i))
		}
	}
}

// poolEight pools the eight filters that are in word at of each part of a row. The sums of
// two bytes each are those of the even and of the odd ones among them.
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

// place returns where the numbers of a word begin in rows. The first row is for words
// not known, and for what lies before the first and after the last token.
func (f *Filters) place(hash uint64) int {
	if at := f.index.Row(hash); at != nil {
		return 3 * f.count / 8 * int(binary.LittleEndian.Uint16(at))
	}
	return 0
}

const (
	evenBytes = 0x00ff00ff00ff00ff
	highBits  = 0x8080808080808080
	toHighBit = 0x0101010101010101 * (128 - 3*filterZero) // makes a byte that stands for 0 the high bit
)

// excess returns, byte by byte, by how much a sum of three numbers is above 0: 7 bits.
func excess(sum uint64) uint64 {
	sum += toHighBit
	above := sum & highBits
	return sum & (above - above>>7)
}

// maxSevenBits returns, byte by byte, the larger of two numbers of 7 bits.
func maxSevenBits(a, b uint64) uint64 {
	notLess := ((a | highBits) - b) & highBits // where a >= b
	mask := notLess - notLess>>7
	return a&mask | b&^mask
}
