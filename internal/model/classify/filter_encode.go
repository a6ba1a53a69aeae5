package classify

import (
	"encoding/binary"
	"math"
)

// A FilterRow holds a word's values for all filters, as the first, middle and last token of a
// window.
type FilterRow struct{ First, Middle, Last []float32 }

// EncodeFilters encodes filters for the words with the given hashes, at most 65,535. It returns the
// quantization step of each filter, which is the unit of [Pool]. A filter activates where its three
// values sum to more than 0. Unknown words have the value 0 as the first and last token, and
// unknown as the middle token.
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

// filterSteps returns the step for each filter, chosen so that few values are clipped.
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

// filterClip is the number of standard deviations at which values are clipped. A smaller value
// clips more; a larger value quantizes more coarsely.
const filterClip = 5

func appendFilterRow(data []byte, row FilterRow, steps []float32) []byte {
	for _, part := range [][]float32{row.First, row.Middle, row.Last} {
		for f, n := range part {
			data = append(data, byte(filterZero+Quantize(n, steps[f], filterZero)))
		}
	}
	return data
}
