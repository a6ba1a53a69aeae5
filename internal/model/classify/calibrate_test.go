package classify

import (
	"math"
	"testing"
)

// outcomes returns n outcomes in which the first class has the given score. It is correct in the
// first right of them.
func outcomes(n, right int, score float32) []Outcome {
	list := make([]Outcome, n)
	for i := range list {
		list[i] = Outcome{Scores: []float32{score, 1 - score}, Correct: []bool{i < right, i >= right}}
	}
	return list
}

func TestFitScaleMakesConfidenceEqualAccuracy(t *testing.T) {
	for _, score := range []float32{0.6, 0.8, 0.95} {
		power := float64(FitScale(outcomes(100, 80, score)))
		top, other := math.Pow(float64(score), power), math.Pow(float64(1-score), power)
		if got := top / (top + other); math.Abs(got-0.8) > 1e-4 {
			t.Errorf("a score of %g becomes %g, want 0.8", score, got)
		}
	}
	if got := FitScale(nil); got != 1 {
		t.Errorf("FitScale(nil) is %g, want 1", got)
	}
}

func TestCalibrationError(t *testing.T) {
	list := append(outcomes(100, 70, 0.9), outcomes(300, 180, 0.6)...)
	want := 0.25*0.2 + 0.75*0 // a score of 0.9 is correct in 70 of 100, 0.6 in 180 of 300
	if got := CalibrationError(list); math.Abs(got-want) > 1e-6 {
		t.Errorf("got %g, want %g", got, want)
	}
	if got := CalibrationError(nil); got != 0 {
		t.Errorf("CalibrationError(nil) is %g, want 0", got)
	}
}
