package classify

import (
	"math"
	"testing"
)

// judgements returns n judgements with this share for the top class, of which right are.
func judgements(n, right int, share float32) []Outcome {
	list := make([]Outcome, n)
	for i := range list {
		list[i] = Outcome{Scores: []float32{share, 1 - share}, Correct: []bool{i < right, i >= right}}
	}
	return list
}

func TestSharpnessMakesConfidenceHowOftenItIsRight(t *testing.T) {
	for _, share := range []float32{0.6, 0.8, 0.95} {
		power := float64(Sharpness(judgements(100, 80, share)))
		top, other := math.Pow(float64(share), power), math.Pow(float64(1-share), power)
		if got := top / (top + other); math.Abs(got-0.8) > 1e-4 {
			t.Errorf("a share of %g becomes %g, want 0.8", share, got)
		}
	}
	if got := Sharpness(nil); got != 1 {
		t.Errorf("Sharpness of nothing is %g, want 1", got)
	}
}

func TestCalibrationErrorIsTheMeanDifferenceOfBins(t *testing.T) {
	list := append(judgements(100, 70, 0.9), judgements(300, 180, 0.6)...)
	want := 0.25*0.2 + 0.75*0 // 0.9 is right in 70 of 100, 0.6 in 180 of 300
	if got := CalibrationError(list); math.Abs(got-want) > 1e-6 {
		t.Errorf("got %g, want %g", got, want)
	}
	if got := CalibrationError(nil); got != 0 {
		t.Errorf("the error of nothing is %g, want 0", got)
	}
}
