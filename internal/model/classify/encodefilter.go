package classify

import (
	"encoding/binary"
	"math"
)

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
