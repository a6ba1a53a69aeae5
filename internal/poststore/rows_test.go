package poststore

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestTopRowsOfRandomRows compares TopRows with a full sort, for various limits.
func TestTopRowsOfRandomRows(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 0))
		rows := randomRows(rng, rng.IntN(500))
		sorted := slices.Clone(rows)
		slices.SortFunc(sorted, func(a, b Row) int {
			return cmp.Or(cmp.Compare(b.Posts, a.Posts), slices.Compare(a.Key, b.Key))
		})
		for _, top := range []int{0, 1, 2, 7, 100, 499, 1000} {
			want := sorted
			if top > 0 {
				want = sorted[:min(top, len(sorted))]
			}
			if got := TopRows(slices.Clone(rows), top); !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d, top %d: got %v, want %v", seed, top, got, want)
			}
		}
	}
}

// randomRows returns rows with distinct keys, many of which share a prefix.
func randomRows(rng *rand.Rand, n int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		name := []string{"", "a", "a\x00", "2026-03-", "2026-03-10", "\xff"}[rng.IntN(6)]
		rows[i] = Row{Key: []string{name + fmt.Sprint(rng.IntN(3)), fmt.Sprint(i)}, Posts: rng.Int64N(10)}
	}
	return rows
}

func BenchmarkTopRows(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	rows := make([]Row, 500_000)
	for i := range rows {
		rows[i] = Row{Key: []string{fmt.Sprintf("%x", rng.Uint64())}, Posts: max(1, rng.Int64N(20)-10)}
	}
	for _, top := range []int{0, 50, 10_000} {
		b.Run(fmt.Sprintf("top %d", top), func(b *testing.B) {
			for b.Loop() {
				TopRows(rows, top)
			}
		})
	}
}
