package classify

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// A Table has a row of weights for each feature that a model knows, one byte a
// weight. It is read where it lies, so opening one costs nothing, however large it is.
//
// Layout: slots and width as 4 bytes each, one scale of 4 bytes for each weight of a
// row, then the slots: 2 bytes that tell the feature, and the row. A feature lies in
// the slot its hash points to or in one of those after it, before the first empty one.
// Two bytes are little: of 30,000 unknown features one is taken for a known one.
type Table struct {
	Scales []float32
	slots  []byte
	count  uint64
	stride int
}

var errTable = errors.New("classify: not a table of weights")

// OpenTable returns the table that EncodeTable made. It keeps data.
func OpenTable(data []byte) (*Table, error) {
	if len(data) < 8 {
		return nil, errTable
	}
	count, width := uint64(binary.LittleEndian.Uint32(data)), uint64(binary.LittleEndian.Uint32(data[4:]))
	head := 8 + 4*width
	if count == 0 || width == 0 || width > 1<<16 || uint64(len(data)) != head+count*(2+width) {
		return nil, errTable
	}
	t := &Table{slots: data[head:], count: count, stride: int(2 + width)}
	for i := range width {
		t.Scales = append(t.Scales, math.Float32frombits(binary.LittleEndian.Uint32(data[8+4*i:])))
	}
	return t, nil
}

// Row returns the weights of a feature, each to be read as an int8 and to be multiplied
// by its scale; nil when the model does not know the feature.
func (t *Table) Row(feature uint64) []byte {
	slot, check := t.place(feature)
	at := int(slot) * t.stride
	for range t.count {
		row := t.slots[at : at+t.stride]
		switch binary.LittleEndian.Uint16(row) {
		case check:
			return row[2:]
		case 0:
			return nil
		}
		if at += t.stride; at == len(t.slots) {
			at = 0
		}
	}
	return nil
}

// Warm reads the places where features are looked for and does nothing with them. Tables
// are larger than caches, and memory is slow to answer, but it answers many questions at
// once: a Row after Warm does not wait. What it returns means nothing, but must be used.
func (t *Table) Warm(features []uint64) (sum byte) {
	for _, feature := range features {
		slot, _ := t.place(feature)
		sum += t.slots[int(slot)*t.stride]
	}
	return sum
}

// place returns the slot that a feature is looked for from, and what tells it from
// others there, which is never 0.
func (t *Table) place(feature uint64) (slot uint64, check uint16) {
	h := (feature ^ feature>>32) * 0x9e3779b97f4a7c15
	slot, _ = bits.Mul64(h, t.count)
	return slot, uint16(h&0xffff) | 1<<15
}

// EncodeTable writes the rows of features as a table. A column is rounded to steps of
// one scale; what lies more than clip deviations from nought is cut. There must be a
// feature, and features must differ from one another.
func EncodeTable(features []uint64, rows [][]float32, clip float64) []byte {
	scales := make([]float32, len(rows[0]))
	for i := range scales {
		scales[i] = scaleOf(rows, i, clip)
	}
	rounded := make([][]byte, len(rows))
	for i, row := range rows {
		for k, w := range row {
			rounded[i] = append(rounded[i], byte(Quantise(w, scales[k], 127)))
		}
	}
	return encodeTable(features, rounded, scales)
}

func encodeTable(features []uint64, rows [][]byte, scales []float32) []byte {
	t := Table{count: uint64(len(features)*5/4 + 1), stride: 2 + len(scales)}
	data := binary.LittleEndian.AppendUint32(nil, uint32(t.count))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(scales)))
	for _, scale := range scales {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(scale))
	}
	t.slots = make([]byte, int(t.count)*t.stride)
	for i, feature := range features {
		t.put(feature, rows[i])
	}
	return append(data, t.slots...)
}

func (t *Table) put(feature uint64, row []byte) {
	slot, check := t.place(feature)
	at := int(slot) * t.stride
	for binary.LittleEndian.Uint16(t.slots[at:]) != 0 {
		if at += t.stride; at == len(t.slots) {
			at = 0
		}
	}
	binary.LittleEndian.PutUint16(t.slots[at:], check)
	copy(t.slots[at+2:], row)
}

// scaleOf returns the step of column i.
func scaleOf(rows [][]float32, i int, clip float64) float32 {
	var top, squares float64
	for _, row := range rows {
		w := float64(row[i])
		top = max(top, math.Abs(w))
		squares += float64(w * w)
	}
	top = min(top, clip*math.Sqrt(squares/float64(len(rows))))
	if top == 0 {
		return 1
	}
	return float32(top / 127)
}

// Quantise returns the number of steps nearest to w, at most limit either way.
func Quantise(w, step float32, limit int8) int8 {
	n := math.Round(float64(w) / float64(step))
	return int8(max(-float64(limit), min(float64(limit), n)))
}
