package earshot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestNewSentiment(t *testing.T) {
	nan := float32(math.NaN())
	f := func(shares [3]float32, want Sentiment, assigned int) {
		t.Helper()
		got := NewSentiment(shares)
		if got != want {
			t.Errorf("%v: got %v, want %v", shares, got, want)
		}
		if got := got.Assigned(); got != assigned {
			t.Errorf("%v: got %d assigned, want %d", shares, got, assigned)
		}
	}
	f([3]float32{1, 0, 0}, Sentiment{100, 0, 0}, Positive)
	f([3]float32{0.2, 0.5, 0.3}, Sentiment{20, 50, 30}, Neutral)
	f([3]float32{1, 1, 1}, Sentiment{34, 33, 33}, Positive)
	f([3]float32{1, 1, 2}, Sentiment{25, 25, 50}, Negative)
	f([3]float32{0.334, 0.333, 0.333}, Sentiment{34, 33, 33}, Positive)
	f([3]float32{0.459, 0.456, 0.085}, Sentiment{47, 45, 8}, Positive)
	f([3]float32{0.456, 0.085, 0.459}, Sentiment{45, 8, 47}, Negative)
	f([3]float32{0.4998, 0.0001, 0.5001}, Sentiment{49, 0, 51}, Negative)
	f([3]float32{0.5, 0, 0.5}, Sentiment{50, 0, 50}, Positive) // equal shares stay equal
	f([3]float32{0, 0, 0}, Sentiment{}, -1)
	f([3]float32{nan, 1, 1}, Sentiment{}, -1)
	f([3]float32{float32(math.Inf(1)), 1, 1}, Sentiment{}, -1)
}

func TestNewEmotion(t *testing.T) {
	got := NewEmotion([7]float32{1, 1, 1, 1, 1, 1, 1})
	if want := (Emotion{15, 15, 14, 14, 14, 14, 14}); got != want {
		t.Errorf("equal shares: got %v, want %v", got, want)
	}
	if got := got.Assigned(); got != Joy {
		t.Errorf("equal shares: got %d assigned, want the first", got)
	}
	if got := NewEmotion([7]float32{0, 0, 0.1, 0, 0, 0, 0.4}).Assigned(); got != Fear {
		t.Errorf("got %d assigned, want %d", got, Fear)
	}
}

// Random shares include many that are nearly or exactly equal, as those of a model with little
// evidence are.
func TestRoundShares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		shares := make([]float32, 2+r.IntN(49))
		spread := float32(math.Pow(10, -4*r.Float64()))
		for i := range shares {
			shares[i] = 1 + spread*r.Float32()
			if r.IntN(4) == 0 {
				shares[i] *= r.Float32()
			}
			if i > 0 && r.IntN(10) == 0 {
				shares[i] = shares[i-1]
			}
		}
		checkRounding(t, shares)
	}
}

func checkRounding(t *testing.T, shares []float32) {
	t.Helper()
	scores := make([]Percent, len(shares))
	RoundShares(scores, shares)
	sum, total := 0.0, 0
	for i, share := range shares {
		sum, total = sum+float64(share), total+int(scores[i])
	}
	if total != 100 {
		t.Fatalf("%v: scores %v add up to %d, want 100", shares, scores, total)
	}
	top := slices.Index(shares, slices.Max(shares))
	if got := assigned(scores); got != top {
		t.Fatalf("%v: scores %v have their maximum at %d, want %d", shares, scores, got, top)
	}
	for i, share := range shares {
		if share < shares[top] && scores[i] >= scores[top] {
			t.Fatalf("%v: scores %v at %d and %d are equal, but the shares are not", shares, scores, i, top)
		}
		if off := float64(scores[i]) - 100*float64(share)/sum; off <= -2 || off >= 2 {
			t.Fatalf("%v: score %d is %d, %v away from the share", shares, i, scores[i], off)
		}
		for j := range i {
			if (share-shares[j])*(float32(scores[i])-float32(scores[j])) < 0 {
				t.Fatalf("%v: scores %v at %d and %d change the order", shares, scores, j, i)
			}
		}
	}
}

func TestAgeGroup(t *testing.T) {
	f := func(years int64, want string) {
		t.Helper()
		if got := AgeGroupOf(years).String(); got != want {
			t.Errorf("%d: got %s, want %s", years, got, want)
		}
	}
	f(0, "ZERO_TO_SEVENTEEN")
	f(17, "ZERO_TO_SEVENTEEN")
	f(18, "EIGHTEEN_TO_TWENTYFOUR")
	f(24, "EIGHTEEN_TO_TWENTYFOUR")
	f(25, "TWENTYFIVE_TO_THIRTYFOUR")
	f(34, "TWENTYFIVE_TO_THIRTYFOUR")
	f(35, "THIRTYFIVE_AND_OVER")
	if got := AgeGroup(0).String() + AgeGroup(9).String(); got != "" {
		t.Errorf("got name %q of an unknown bracket", got)
	}
}
