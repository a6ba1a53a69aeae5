package classify

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTableRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const n = 5000
	features, rows := make([]uint64, n), make([][]float32, n)
	for i := range n {
		features[i] = random.Uint64()
		rows[i] = []float32{float32(random.NormFloat64()), float32(10 * random.NormFloat64()), 0}
	}
	table, err := OpenTable(EncodeTable(features, rows, 100))
	if err != nil {
		t.Fatal(err)
	}
	collisions := 0 // features whose tag equals an earlier one in their line
	for i, feature := range features {
		row := table.Row(feature)
		for k, want := range rows[i] {
			got := float32(int8(row[k])) * table.Scales[k]
			if math.Abs(float64(got-want)) > float64(table.Scales[k])/2*1.001 {
				collisions++
				break
			}
		}
	}
	if collisions > 3 {
		t.Errorf("%d of %d rows changed", collisions, n)
	}
	found := 0
	for range n {
		if table.Row(random.Uint64()) != nil {
			found++
		}
	}
	if found > 5 {
		t.Errorf("%d of %d unknown features were found", found, n)
	}
}

func TestTableClipsOutliers(t *testing.T) {
	rows := [][]float32{{1, 0}, {-1, 0}, {1, 0}, {-1, 0}, {1000, 0}}
	table, err := OpenTable(EncodeTable([]uint64{1, 2, 3, 4, 5}, rows, 2))
	if err != nil {
		t.Fatal(err)
	}
	if got := int8(table.Row(5)[0]); got != 127 {
		t.Errorf("the outlier is %d steps, want 127", got)
	}
}

func FuzzOpenTable(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	f.Add(EncodeTable([]uint64{1, 2}, [][]float32{{1, 1}, {2, 2}}, 10), uint64(1))
	full := EncodeTable([]uint64{1}, [][]float32{{1, 1}}, 10)
	for i := 16; i < len(full); i++ {
		full[i] = 0xff // no slot is free, and all lines have overflowed
	}
	f.Add(full, uint64(3))
	f.Add(EncodeTable([]uint64{5}, [][]float32{make([]float32, SumColumns)}, 10), uint64(5))
	f.Fuzz(func(t *testing.T, data []byte, feature uint64) {
		table, err := OpenTable(data)
		if err != nil {
			return
		}
		if row := table.Row(feature); row != nil && len(row) != len(table.Scales) {
			t.Errorf("a row of %d weights, want %d", len(row), len(table.Scales))
		}
		if len(table.Scales) == SumColumns {
			var got, want Sum
			got.Add(table, []uint64{feature})
			want.AddRow(table.Row(feature))
			if got != want {
				t.Errorf("the sum of one row is %v, want %v", got, want)
			}
		}
	})
}
