package prevalence

import (
	"math"
	"testing"

	"earshot/internal/model/sentiment"
)

// TestCalibrationOfEachVersion estimates posts that different versions of the models have scored.
func TestCalibrationOfEachVersion(t *testing.T) {
	posts := func(models uint16, n float64) []Group {
		return []Group{
			{Language: "en", Cell: 20, Models: models, Posts: 5 * n},
			{Language: "en", Cell: 40, Models: models, Posts: 3 * n},
			{Language: "en", Cell: 60, Models: models, Posts: 2 * n},
		}
	}
	e := Sentiments()
	old, err := ReadTable(table2File)
	if err != nil {
		t.Fatal(err)
	}
	look, err := ReadTable(lookFile)
	if err != nil {
		t.Fatal(err)
	}
	var counted []Share
	for k := range e.task.Classes {
		share := 0.5*e.task.Assigned[20][k] + 0.3*e.task.Assigned[40][k] + 0.2*e.task.Assigned[60][k]
		counted = append(counted, Share{Share: share})
	}
	current := New(e.task).Estimate(posts(0, 100))
	earlier := New(&old.Sentiments).Estimate(posts(0, 100))
	f := func(models uint16, want []Share) {
		t.Helper()
		for k, got := range e.Estimate(posts(models, 100)) {
			if math.Abs(got.Share-want[k].Share) > 1e-9 {
				t.Errorf("models %d, class %d: got %.4f, want %.4f", models, k, got.Share, want[k].Share)
			}
		}
	}
	looked := New(&look.Sentiments).Estimate(posts(0, 100))
	f(8, looked)
	f(7, current)
	f(0, current)
	f(6, current)
	f(5, current)
	f(4, earlier)
	f(3, earlier)
	f(2, counted)
	f(1, counted)
	if math.Abs(current[2].Share-earlier[2].Share) < 0.01 {
		t.Fatalf("the tables do not differ: %v and %v", current, earlier)
	}
	for k, got := range e.Estimate(append(posts(6, 100), posts(4, 300)...)) {
		if want := (current[k].Share + 3*earlier[k].Share) / 4; math.Abs(got.Share-want) > 1e-9 {
			t.Errorf("both versions, class %d: got %.4f, want %.4f", k, got.Share, want)
		}
	}
	if got, narrow := e.Estimate(posts(2, 1e6))[0], e.Estimate(posts(6, 1e6))[0]; got.High-got.Low < 0.19 || got.High-got.Low < narrow.High-narrow.Low {
		t.Errorf("counted: got the interval of %v, want a wide one", got)
	}
}

// TestScoresOf100 estimates posts that the first model, or people, are certain about. Only people may be.
func TestScoresOf100(t *testing.T) {
	f := func(models uint16, low, high float64) {
		t.Helper()
		got := Sentiments().Estimate([]Group{{Language: "en", Cell: 1, Models: models, Posts: 1e6}})[0]
		if got.Share != 1 || math.Abs(got.Low-low) > 0.01 || got.High != high {
			t.Errorf("models %d: got %v, want 1 (%.2f to %.2f)", models, got, low, high)
		}
	}
	f(1, 1-zScore*CountedError, 1)
	f(3, 1, 1)
	f(6, 1, 1)
}

// TestCalibrationOfTheCurrentModel fails if the sentiment model was trained again without a line in
// calibrations.
func TestCalibrationOfTheCurrentModel(t *testing.T) {
	if last := calibrations[len(calibrations)-1]; last.sentiment != sentiment.Version {
		t.Errorf("the last line is for version %d of the sentiment model, which has version %d now: keep the table of version %d under another name, and add a line",
			last.sentiment, sentiment.Version, last.sentiment)
	}
}
