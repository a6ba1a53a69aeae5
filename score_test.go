package earshot

import (
	"math"
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
