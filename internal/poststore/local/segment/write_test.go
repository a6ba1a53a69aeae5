package segment

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"earshot"
)

func TestWrite(t *testing.T) {
	for _, n := range []int{0, 1, 2, 300, 3000} {
		rows := sampleRows(rand.New(rand.NewPCG(1, uint64(n))), n)
		f := writeSegment(t, rows)
		if err := f.Verify(); err != nil {
			t.Fatal(err)
		}
		got, err := f.Posts(f.allRows())
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(rows, func(a, b Row) int { return earshot.ComparePosts(b.Post, a.Post) })
		for i := range rows {
			if !reflect.DeepEqual(&got[i], rows[i].Post) {
				t.Fatalf("row %d of %d: got %+v, want %+v", i, n, got[i], rows[i].Post)
			}
		}
	}
}
