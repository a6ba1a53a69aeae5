package insight

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestFractions(t *testing.T) {
	f := func(counts []int64, want ...float64) {
		t.Helper()
		if got := Fractions(counts); !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", counts, got, want)
		}
	}
	f(nil)
	f([]int64{0, 0}, 0, 0)
	f([]int64{7}, 1)
	f([]int64{1, 1, 1}, 0.33, 0.33, 0.33)
	f([]int64{2, 1}, 0.67, 0.33)
	f([]int64{1, 0, 199}, 0.01, 0, 1)
	f([]int64{285, 715}, 0.29, 0.72)
	// Each is the rounded fraction, even if they add up to 1.04.
	f([]int64{905, 15, 15, 15, 15, 15, 15, 5}, 0.91, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.01)
}

func TestApportion(t *testing.T) {
	f := func(posts int64, shares []float64, want ...int64) {
		t.Helper()
		if got := apportion(posts, shares); !slices.Equal(got, want) {
			t.Errorf("%d by %v: got %v, want %v", posts, shares, got, want)
		}
	}
	f(0, []float64{0.5, 0.5}, 0, 0)
	f(3, []float64{0.5, 0.5}, 2, 1)
	f(10, []float64{0.26, 0.26, 0.48}, 3, 2, 5)
	f(7, []float64{1, 0, 0}, 7, 0, 0)
	f(7, []float64{0, 0}, 0, 0) // no shares are known
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		shares, sum := make([]float64, 1+r.IntN(50)), 0.0
		for i := range shares {
			shares[i] = r.Float64()
			sum += shares[i]
		}
		for i := range shares {
			shares[i] /= sum
		}
		posts, total := r.Int64N(1_000_000), int64(0)
		for i, part := range apportion(posts, shares) {
			total += part
			if math.Abs(float64(part)-shares[i]*float64(posts)) >= 1 {
				t.Fatalf("%v of %d: got %d", shares[i], posts, part)
			}
		}
		if total != posts {
			t.Fatalf("%d posts: the parts add up to %d", posts, total)
		}
	}
}
