package classify

import (
	"math/rand/v2"
	"testing"
)

func TestSumMatchesRows(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	const n = 3000
	features, rows := make([]uint64, n), make([][]float32, n)
	for i := range n {
		features[i] = random.Uint64()
		for range SumColumns {
			rows[i] = append(rows[i], float32(random.NormFloat64()))
		}
	}
	table, err := OpenTable(EncodeTable(features, rows, 1)) // clips many weights
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{0, 1, 5, maxPackedRows, maxPackedRows + 1, 3000} {
		var some []uint64
		var want Sum
		for range length {
			feature := random.Uint64() // unknown
			if random.IntN(3) > 0 {
				feature = features[random.IntN(n)]
			}
			some = append(some, feature)
			want.AddRow(table.Row(feature))
		}
		var got Sum
		got.Add(table, some)
		if got != want {
			t.Errorf("%d features: %v, want %v", length, got, want)
		}
	}
}

func TestSumDoesNotOverflow(t *testing.T) {
	for _, weight := range []float32{-127, 127} {
		row := make([]float32, SumColumns)
		for k := range row {
			row[k] = weight
		}
		table, err := OpenTable(EncodeTable([]uint64{7}, [][]float32{row}, 10))
		if err != nil {
			t.Fatal(err)
		}
		some := make([]uint64, 10*maxPackedRows)
		for i := range some {
			some[i] = 7
		}
		var got Sum
		got.Add(table, some)
		for k := range got {
			if want := int32(weight) * 10 * maxPackedRows; got[k] != want {
				t.Errorf("column %d: %d, want %d", k, got[k], want)
			}
		}
	}
}
