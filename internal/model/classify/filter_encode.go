package classify

import (
	"encoding/binary"
	"math"
)

// A FilterRow has the values of a word for all filters, as the first, the middle and the last of
// three.
type FilterRow struct{ First, Middle, Last []float32 }

// EncodeFilters encodes filters that know the words with these hashes, at most 65,535. It returns
// the quantization step of each filter, the unit of Pool. A filter fires where its three values add
// up to more than 0. Unknown words have values of 0, except for the middle, which is unknown.
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

// filterSteps returns, for each filter, the step that clips few of its values.
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

// filterClip is how many standard deviations a value may have: less clips more values, more
// quantizes them more coarsely.
const filterClip = 5

func appendFilterRow(data []byte, row FilterRow, steps []float32) []byte {
	for _, part := range [][]float32{row.First, row.Middle, row.Last} {
		for f, n := range part {
			data = append(data, byte(filterZero+Quantize(n, steps[f], filterZero)))
		}
	}
	return data
}
