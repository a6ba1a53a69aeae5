package insight_test

import (
	"fmt"
	"math"
	"testing"

	"earshot"
	"earshot/internal/model/opinion"
	"earshot/internal/model/quantify"
)

// TestTooFewTrainingPostsAreCounted trains a model on posts most of which have a random category.
// Shares are then counts of assigned posts, with intervals that say how little is known.
func TestTooFewTrainingPostsAreCounted(t *testing.T) {
	w := newTrainedWorld(t)
	categories := []earshot.CategoryID{taste, price, offTopic}
	var docs []opinion.Document
	for i := range 36 { // most labels have nothing to do with the text
		text := texts[categories[i/3%3]]
		if i < 12 {
			text = texts[categories[i%3]]
		}
		docs = append(docs, opinion.Document{Post: earshot.Post{URL: fmt.Sprint(i), Contents: fmt.Sprintf("%s number %d", text, i)}, Category: categories[i%3]})
	}
	poor, err := opinion.Train(t.Context(), categories, docs)
	if err != nil {
		t.Fatal(err)
	}
	if poor.IsSufficient() || !w.model.IsSufficient() {
		t.Fatalf("the models are sufficient: %v and %v, want only the second", poor.IsSufficient(), w.model.IsSufficient())
	}
	f := func(name string, m *opinion.Model, wantCounted bool) (width float64) {
		t.Helper()
		w.model = m
		w.used.Record++
		w.used.Buffer = 3 - w.used.Buffer
		w.bring(t, 10, 60, 30, 10)
		p, err := w.Proportions(t.Context(), w.monitor, between(10, 11))
		if err != nil || p.Counted != wantCounted {
			t.Fatalf("%s: got %+v, %v, want counted %v", name, p, err, wantCounted)
		}
		var groups []quantify.Group
		for category, n := range map[earshot.CategoryID]float64{taste: 60, price: 30, offTopic: 10} {
			post := post("p", "2026-03-10T12:00:00Z", texts[category])
			groups = append(groups, quantify.Group{Scores: m.Score(&post, nil), Posts: n})
		}
		counted := quantify.New(len(categories), m.Prior(), m.HeldOut()).ByMethod(quantify.ClassifyAndCount, groups)
		for i, c := range p.Total.Categories {
			if wantCounted && math.Abs(c.Share-counted[i]) > 0.001 {
				t.Errorf("%s: %s has the share %.3f, want the counted %.3f", name, c.Category.Name, c.Share, counted[i])
			}
			width += c.High - c.Low
		}
		return width / 3
	}
	sure := f("sufficient", w.model, false)
	if counted := f("counted", poor, true); counted < 0.3 || counted < 2*sure {
		t.Errorf("intervals are %.2f wide, and %.2f with enough training posts", counted, sure)
	}
}
