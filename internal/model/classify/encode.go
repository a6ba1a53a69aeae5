package classify

import (
	"encoding/binary"
	"math"
)

// EncodeTable writes the rows of features as a table. A column is rounded to steps of
// one scale; what lies more than clip deviations from nought is cut. There must be a
// feature, features must differ from one another, and rows have 2 to 16 weights.
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

// fullness is how much of a line is taken, on average. Fuller lines overflow more often,
// the sooner the fewer rows they have, and are looked up more slowly; emptier ones need
// more memory.
func fullness(slots int) float64 {
	if slots < 8 {
		return 0.55
	}
	return 0.75
}

func encodeTable(features []uint64, rows [][]byte, scales []float32) []byte {
	t := newTable(1, len(scales))
	lines := math.Ceil(float64(len(features)) / (fullness(t.slots) * float64(t.slots)))
	t = newTable(uint64(lines), len(scales))
	data := binary.LittleEndian.AppendUint32(nil, uint32(t.count))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(scales)))
	for _, scale := range scales {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(scale))
	}
	for i, feature := range features {
		t.put(feature, rows[i])
	}
	return append(data, t.lines...)
}

// put adds a row to the first line with room from the feature's own on.
func (t *Table) put(feature uint64, row []byte) {
	at, check := t.place(feature)
	for {
		line := t.lines[at*lineBytes:][:lineBytes]
		if slot := t.find(line, 0); slot < t.slots {
			binary.LittleEndian.PutUint16(line[2*slot:], uint16(check))
			copy(line[2*t.slots+slot*t.width:], row)
			return
		}
		line[lineBytes-1] = 1
		at = t.after(at)
	}
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
