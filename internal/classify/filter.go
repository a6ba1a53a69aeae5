package classify

import (
	"encoding/binary"
	"errors"
	"math"
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
	rows  []byte // of words: count numbers as the first, count as the middle, count as the last
	index *Table // from words to places in rows
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

// OpenFilters returns the filters that EncodeFilters made. It keeps data.
func OpenFilters(data []byte) (*Filters, error) {
	if len(data) < 12 {
		return nil, errFilters
	}
	count, words := int(binary.LittleEndian.Uint32(data)), int(binary.LittleEndian.Uint32(data[4:]))
	if count == 0 || count%8 != 0 || count > maxFilters || words == 0 || len(data)-8 < 3*count*words {
		return nil, errFilters
	}
	f := &Filters{count: count, rows: data[8 : 8+3*count*words]}
	var err error
	if f.index, err = OpenTable(data[8+3*count*words:]); err != nil || len(f.index.Scales) != 2 {
		return nil, errFilters
	}
	return f, f.checkPlaces(words)
}

// checkPlaces returns an error when the index points beyond the rows.
func (f *Filters) checkPlaces(words int) error {
	for at := 0; at < len(f.index.slots); at += f.index.stride {
		slot := f.index.slots[at : at+f.index.stride]
		if binary.LittleEndian.Uint16(slot) != 0 && int(binary.LittleEndian.Uint16(slot[2:])) >= words {
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

// Pool fills p with what the filters see in the first PoolTokens tokens.
func (f *Filters) Pool(tokens []Token, p *Pool) {
	tokens = tokens[:min(len(tokens), PoolTokens)]
	var places [PoolTokens + 2]int // of rows; that before the first token and that after the last stay 0
	for i, tok := range tokens {
		places[i+1] = f.place(tok.Hash)
	}
	for at := 0; at < f.count; at += 8 {
		most, even, odd := f.poolEight(places[:len(tokens)+2], at)
		binary.LittleEndian.PutUint64(p.Most[at:], most)
		for i := range 4 {
			p.Sum[at+2*i] = uint16(even >> (16 * i))
			p.Sum[at+2*i+1] = uint16(odd >> (16 * i))
		}
	}
}

// poolEight pools the filters at ... at+7. The sums of two bytes each are those of the
// even and of the odd ones among them.
func (f *Filters) poolEight(places []int, at int) (most, even, odd uint64) {
	rows, middle, last := f.rows[at:], f.rows[f.count+at:], f.rows[2*f.count+at:]
	for i := 1; i+1 < len(places); i++ {
		sum := eight(rows, places[i-1]) + eight(middle, places[i]) + eight(last, places[i+1])
		fired := maxBytes(sum, filterFloor) - filterFloor
		most = maxBytes(most, fired)
		even += fired & evenBytes
		odd += fired >> 8 & evenBytes
	}
	return most, even, odd
}

// place returns where the numbers of a word begin in rows. The first row is for words
// not known, and for what lies before the first and after the last token.
func (f *Filters) place(hash uint64) int {
	if at := f.index.Row(hash); at != nil {
		return 3 * f.count * int(binary.LittleEndian.Uint16(at))
	}
	return 0
}

func eight(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at : at+8]) }

const (
	filterFloor = 3 * filterZero * 0x0101010101010101
	evenBytes   = 0x00ff00ff00ff00ff
	highBits    = 0x8080808080808080
)

// maxBytes returns, byte by byte, the larger of two.
func maxBytes(a, b uint64) uint64 {
	diff := (a | highBits) - (b &^ highBits)
	less := (^a&b | ^(a^b)&^diff) & highBits // the high bit of each byte where a < b
	mask := less >> 7 * 0xff
	return a&^mask | b&mask
}

// A FilterRow has the numbers of a word for all filters, as the first, the middle and
// the last of three.
type FilterRow struct{ First, Middle, Last []float32 }

// EncodeFilters writes filters that know the words with these hashes, 65,535 at most.
// It returns the step of each filter: what a filter fires is counted in its steps. A
// filter fires where its three numbers add up to more than 0. Rows of words not known
// are nought, but for the middle, which is unknown.
func EncodeFilters(hashes []uint64, rows []FilterRow, unknown []float32) (data []byte, steps []float32) {
	count := len(unknown)
	steps = filterSteps(rows, count)
	none := make([]float32, count)
	data = binary.LittleEndian.AppendUint32(nil, uint32(count))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(rows)+1))
	data = appendFilterRow(data, FilterRow{none, unknown, none}, steps)
	places := make([][]byte, len(rows))
	for i, row := range rows {
		data = appendFilterRow(data, row, steps)
		places[i] = binary.LittleEndian.AppendUint16(nil, uint16(i+1))
	}
	return append(data, encodeTable(hashes, places, []float32{1, 1})...), steps
}

// filterSteps returns for each filter the step that cuts off few of its numbers.
func filterSteps(rows []FilterRow, count int) []float32 {
	steps := make([]float32, count)
	for f := range steps {
		var squares float64
		for _, row := range rows {
			for _, n := range []float32{row.First[f], row.Middle[f], row.Last[f]} {
				squares += float64(float64(n) * float64(n))
			}
		}
		deviation := math.Sqrt(squares / float64(3*len(rows)))
		steps[f] = float32(max(filterClip*deviation, 1e-6) / filterZero)
	}
	return steps
}

// filterClip is how many deviations a number keeps.
const filterClip = 5

func appendFilterRow(data []byte, row FilterRow, steps []float32) []byte {
	for _, part := range [][]float32{row.First, row.Middle, row.Last} {
		for f, n := range part {
			data = append(data, byte(filterZero+Quantise(n, steps[f], filterZero)))
		}
	}
	return data
}
