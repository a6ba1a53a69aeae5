package opinion

import (
	"slices"
	"testing"
)

func TestReport(t *testing.T) {
	ids, docs := sample(3, 20)
	// One document is clearly in the wrong category.
	docs[0].Post.Contents = "love the great friendly staff, best thanks"
	docs[0].Post.URL = "https://example.com/wrong"
	r := train(t, ids, docs).Report()
	if r.Documents != 60 || len(r.Categories) != 3 {
		t.Fatalf("%d documents, %d categories", r.Documents, len(r.Categories))
	}
	right, all := 0, 0
	for k, row := range r.Confusion {
		for predicted, n := range row {
			all += n
			right += toInt(k == predicted) * n
		}
		if c := r.Categories[k]; c.Category != ids[k] || c.Documents != 20 || c.F1 < 0.7 || c.Forecast < c.F1 || c.Forecast > 1 {
			t.Errorf("category %d: %+v", k, c)
		}
	}
	if all != 60 || r.Accuracy != float64(right)/60 || r.Accuracy < 0.8 {
		t.Errorf("accuracy %v, confusion %v", r.Accuracy, r.Confusion)
	}
	if len(r.Disagreements) != all-right {
		t.Errorf("%d disagreements, but %d wrong predictions", len(r.Disagreements), all-right)
	}
	if d := r.Disagreements[0]; d.URL != "https://example.com/wrong" || d.Category != ids[0] || d.Predicted != ids[1] || d.Score < 0.7 {
		t.Errorf("the first disagreement is %+v", d)
	}
	if !slices.IsSortedFunc(r.Disagreements, func(a, b Disagreement) int { return int(1e6 * (b.Score - a.Score)) }) {
		t.Errorf("disagreements are not sorted by score: %v", r.Disagreements)
	}
	var documents []int
	for _, p := range r.Curve {
		documents = append(documents, p.Documents)
	}
	if !slices.Equal(documents, []int{15, 30, 45, 60}) || r.Curve[3].Accuracy != r.Accuracy {
		t.Errorf("curve %v", r.Curve)
	}
	if r.Forecast.Documents != 120 || r.Forecast.Accuracy < r.Accuracy || r.Forecast.Accuracy > 1 {
		t.Errorf("forecast %v", r.Forecast)
	}
}

func TestTermsCharacterizeTheirCategory(t *testing.T) {
	ids, docs := sample(3, 20)
	r := train(t, ids, docs).Report()
	for k, c := range r.Categories {
		single := 0
		for i, term := range c.Terms {
			if i > 0 && term.Weight >= c.Terms[i-1].Weight {
				t.Errorf("category %d: terms are not sorted by weight: %v", k, c.Terms)
			}
			single += toInt(slices.Contains(vocabularies[k], term.Text))
		}
		if len(c.Terms) == 0 || len(c.Terms) > maxTerms || single < 6 {
			t.Errorf("category %d: %d of its 8 words are among its terms %v", k, single, c.Terms)
		}
	}
}

func TestFitSlope(t *testing.T) {
	f := func(wrong [4]float64, want float64) {
		t.Helper()
		if got := fitSlope([4]float64{9999, 9999, 9999, 9999}, wrong); got < want-0.01 || got > want+0.01 {
			t.Errorf("errors %v: slope %.3f, want %.2f", wrong, got, want)
		}
	}
	f([4]float64{800, 800, 800, 800}, 0)
	f([4]float64{100, 200, 300, 400}, 0) // more documents never count as harmful
	f([4]float64{4000, 2000, 4000. / 3, 1000}, 1)
	f([4]float64{2000, 1414, 1155, 1000}, 0.5)
	if got := forecast(0.9, 1); got < 0.94 || got > 0.95 {
		t.Errorf("with 10%% errors, the forecast for twice as many documents is %.3f", got)
	}
}
