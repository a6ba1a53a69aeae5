package classify

import (
	"encoding/binary"
	"math"
)

// EncodeTable encodes the rows of features as a table. Each column is quantized with its own scale,
// and values beyond clip standard deviations are clipped. There must be at least one feature,
// features must be distinct, and rows must have 2 to 16 weights.
func EncodeTable(features []uint64, rows [][]float32, clip float64) []byte {
	scales := make([]float32, len(rows[0]))
	for i := range scales {
		scales[i] = columnScale(rows, i, clip)
	}
	rounded := make([][]byte, len(rows))
	for i, row := range rows {
		for k, w := range row {
			rounded[i] = append(rounded[i], byte(Quantize(w, scales[k], 127)))
		}
	}
	return encodeTable(features, rounded, scales)
}

// loadFactor returns the target load of a line. A higher load overflows more often, especially with
// few slots per line, and slows down lookups. A lower load takes more memory.
func loadFactor(slots int) float64 {
	if slots < 8 {
		return 0.55
	}
	return 0.75
}

func encodeTable(features []uint64, rows [][]byte, scales []float32) []byte {
	t := newTable(1, len(scales))
	lines := math.Ceil(float64(len(features)) / (loadFactor(t.slots) * float64(t.slots)))
	t = newTable(uint64(lines), len(scales))
	data := binary.LittleEndian.AppendUint32(nil, uint32(t.count))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(scales)))
	for _, scale := range scales {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(scale))
	}
	for i, feature := range features {
		t.insert(feature, rows[i])
	}
	return append(data, t.lines...)
}

// insert adds a row to the first line with a free slot, starting at the feature's own line.
func (t *Table) insert(feature uint64, row []byte) {
	at, check := t.locate(feature)
	for {
		line := t.lines[at*lineBytes:][:lineBytes]
		if slot := t.findSlot(line, 0); slot < t.slots {
			binary.LittleEndian.PutUint16(line[2*slot:], uint16(check))
			copy(line[2*t.slots+slot*t.width:], row)
			return
		}
		line[lineBytes-1] = 1
		at = t.nextLine(at)
	}
}

// columnScale returns the quantization step of column i.
func columnScale(rows [][]float32, i int, clip float64) float32 {
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

// Quantize returns w as a number of steps, rounded and clipped to ±limit.
func Quantize(w, step float32, limit int8) int8 {
	n := math.Round(float64(w) / float64(step))
	return int8(max(-float64(limit), min(float64(limit), n)))
}
