package insight

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestProportions(t *testing.T) {
	f := func(counts []int64, want ...float64) {
		t.Helper()
		if got := proportions(counts); !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", counts, got, want)
		}
	}
	f(nil)
	f([]int64{0, 0}, 0, 0)
	f([]int64{7}, 1)
	f([]int64{1, 1, 1}, 0.33, 0.33, 0.33)
	f([]int64{2, 1}, 0.67, 0.33)
	f([]int64{1, 0, 199}, 0.01, 0, 1)
	// All halves are rounded up, which is 0.04 too much, but for the first two.
	f([]int64{905, 15, 15, 15, 15, 15, 15, 5}, 0.90, 0.01, 0.02, 0.02, 0.02, 0.02, 0.02, 0.01)
}

func TestProportionsAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		counts := make([]int64, 1+r.IntN(12))
		sum := int64(0)
		for i := range counts {
			counts[i] = r.Int64N(1 << r.IntN(12))
			sum += counts[i]
		}
		if sum == 0 {
			continue
		}
		total := 0.0
		for i, p := range proportions(counts) {
			total += p
			if exact := float64(counts[i]) / float64(sum); math.Abs(p-exact) > 0.01 {
				t.Fatalf("%v: %v stands for %v", counts, p, exact)
			}
		}
		if math.Abs(total-1) > 0.02+1e-9 {
			t.Fatalf("%v: the proportions add up to %v", counts, total)
		}
	}
}
