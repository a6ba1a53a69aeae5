package manage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/model/opinion"
)

// teach adds training posts that all say the same thing to a category.
func (w *trainingWorld) teach(category, word string, posts int) {
	w.t.Helper()
	var docs []string
	for i := range posts {
		docs = append(docs, doc(fmt.Sprintf("http://e.com/%s/%d", category, i), fmt.Sprintf("%s number %d", word, i)))
	}
	got := w.do("ann", "POST", fmt.Sprintf("/%d/training", w.monitor.ID), fmt.Sprintf(`{"category":"%s","documents":[%s]}`, category, strings.Join(docs, ",")))
	if !strings.HasPrefix(got, "201") {
		w.t.Fatalf("got %s", got)
	}
}

// model returns the response to GET model.
func (w *trainingWorld) model() (m modelInfo) {
	w.t.Helper()
	got := w.do("ann", "GET", fmt.Sprintf("/%d/model", w.monitor.ID), "")
	if err := json.Unmarshal([]byte(strings.TrimPrefix(got, "200 ")), &m); err != nil {
		w.t.Fatalf("got %s", got)
	}
	return m
}

func TestModelStates(t *testing.T) {
	w := newTrainingWorld(t)
	f := func(state, missing string, posts int, changed bool, learntFrom int) {
		t.Helper()
		m := w.model()
		from := 0
		if m.Report != nil {
			from = m.Report.TrainingPosts
		}
		if m.State != state || m.Missing != missing || m.TrainingPosts != posts || m.Changed != changed || from != learntFrom || (m.TrainedAt != nil) != (from > 0) {
			t.Errorf("got %+v, trained on %d, want %s, %s, %d, %v, %d", m, from, state, missing, posts, changed, learntFrom)
		}
	}
	needs := func(what string) string {
		return fmt.Sprintf("Monitor %d needs more training: every category needs at least 10 training posts, %s", w.monitor.ID, what)
	}
	f(modelUntrained, needs("Like has 0, Dislike has 0"), 0, false, 0)
	w.f("ann", "GET /model", "", fmt.Sprintf(`200 {"monitor":%d,"state":"untrained","missing":"%s","trainingPosts":0,"changed":false,"trainedAt":null,"learntAt":null,"sufficient":false,"advice":[`+
		`"Like has 0 training posts; a category needs at least 10.","Dislike has 0 training posts; a category needs at least 10."]}`, w.monitor.ID, needs("Like has 0, Dislike has 0")))
	w.teach("Like", "lovely", 12)
	f(modelUntrained, needs("Dislike has 0"), 12, false, 0)
	w.learner.idle = true
	w.teach("Dislike", "awful", 12)
	f(modelTraining, "", 24, false, 0)
	w.learner.idle = false
	w.learner.Rematch(w.monitor.ID)
	f(modelReady, "", 24, false, 24)
	w.teach("Off-topic", "weather", 10)
	f(modelReady, "", 34, false, 34)

	// A new category without training posts: the existing model stays in use.
	w.do("ann", "PATCH", fmt.Sprintf("/%d", w.monitor.ID), `{"categories":[{"name":"Like"},{"name":"Dislike"},{"name":"Off-topic"},{"name":"Price"}]}`)
	f(modelReady, needs("Price has 0"), 34, false, 34)
	w.teach("Like", "lovely", 13)
	f(modelReady, needs("Price has 0"), 35, true, 34)

	// Removing a category also removes its training posts.
	w.do("ann", "PATCH", fmt.Sprintf("/%d", w.monitor.ID), `{"categories":[{"name":"Like"},{"name":"Dislike"}]}`)
	f(modelReady, "", 25, false, 25)
}

// TestInsufficientTraining trains a model on posts that all say the same. The first advice is to add
// training posts, until there are enough that differ.
func TestInsufficientTraining(t *testing.T) {
	w := newTrainingWorld(t)
	w.learner.idle = true
	w.teach("Like", "thing", 12)
	w.teach("Dislike", "thing", 12)
	w.learner.idle = false
	w.teach("Off-topic", "thing", 12)
	if m := w.model(); m.State != modelReady || m.Sufficient || len(m.Advice) == 0 || m.Advice[0] != adviseInsufficient {
		t.Errorf("got %s, sufficient %v, advice %q, want the advice that there are not enough training posts first", m.State, m.Sufficient, m.Advice)
	}
	w.learner.idle = true
	for _, c := range []struct{ category, word string }{{"Like", "lovely"}, {"Dislike", "awful"}} {
		w.teach(c.category, c.word, 60)
	}
	w.learner.idle = false
	w.teach("Off-topic", "weather", 60)
	if m := w.model(); m.State != modelReady || !m.Sufficient || slices.Contains(m.Advice, adviseInsufficient) {
		t.Errorf("got %s, sufficient %v, advice %q, want a sufficient model", m.State, m.Sufficient, m.Advice)
	}
}

func reported() (*earshot.Monitor, *opinion.Report) {
	m := &earshot.Monitor{ID: 9, Categories: []earshot.Category{
		{ID: 1, Name: "Price", TrainingDocs: 40}, {ID: 2, Name: "Service", TrainingDocs: 40}, {ID: 3, Name: "Taste", TrainingDocs: 12},
	}}
	r := &opinion.Report{
		Documents: 92, Accuracy: 0.71239, MacroF1: 0.7, CalibrationError: 0.04,
		Categories: []opinion.CategoryReport{
			{Category: 1, Documents: 40, Precision: 0.75, Recall: 0.8, F1: 0.77419, Terms: []opinion.Term{{Text: "cheap", Weight: 1.23456}}, Forecast: 0.79},
			{Category: 2, Documents: 40, Precision: 0.7, Recall: 0.8, F1: 0.74667, Forecast: 0.77},
			{Category: 3, Documents: 12, Precision: 0.5, Recall: 0.25, F1: 0.33333, Forecast: 0.4512},
		},
		Confusion: [][]int{{32, 6, 2}, {7, 32, 1}, {5, 4, 3}},
		Disagreements: []opinion.Disagreement{
			{URL: "http://e.com/1", Category: 1, Predicted: 2, Score: 0.97},
			{URL: "http://e.com/gone", Category: 1, Predicted: 2, Score: 0.95},
			{URL: "http://e.com/moved", Category: 1, Predicted: 2, Score: 0.92},
			{URL: "http://facebook.com/2", Category: 3, Predicted: 1, Score: 0.61},
		},
		Curve:    []opinion.CurvePoint{{Documents: 46, Accuracy: 0.6}, {Documents: 92, Accuracy: 0.71239}},
		Forecast: opinion.CurvePoint{Documents: 184, Accuracy: 0.76},
	}
	return m, r
}

func TestReportIncludesNamesAndPosts(t *testing.T) {
	w := newTrainingWorld(t)
	m, r := reported()
	posts := []earshot.TrainingPost{
		{URL: "http://e.com/1", Title: "One", Category: 1}, {URL: "http://e.com/moved", Category: 2},
		{URL: "http://facebook.com/2", Title: "Two", Source: earshot.Facebook, Category: 3},
	}
	r.Disagreements = currentDisagreements(r.Disagreements, posts)
	got, err := rest.AppendJSON(nil, w.api.newReport(m, r, posts))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"trainingPosts":92,"accuracy":0.7124,"macroF1":0.7,"calibrationError":0.04,"categories":[` +
		`{"categoryId":1,"category":"Price","trainingPosts":40,"precision":0.75,"recall":0.8,"f1":0.7742,"forecast":0.79,"terms":[{"text":"cheap","weight":1.2346}]},` +
		`{"categoryId":2,"category":"Service","trainingPosts":40,"precision":0.7,"recall":0.8,"f1":0.7467,"forecast":0.77,"terms":[]},` +
		`{"categoryId":3,"category":"Taste","trainingPosts":12,"precision":0.5,"recall":0.25,"f1":0.3333,"forecast":0.4512,"terms":[]}],` +
		`"confusion":[{"categoryId":1,"category":"Price","predicted":[32,6,2],"told":[32,6,2]},{"categoryId":2,"category":"Service","predicted":[7,32,1],"told":[7,32,1]},{"categoryId":3,"category":"Taste","predicted":[5,4,3],"told":[5,4,3]}],` +
		`"disagreements":[{"id":"` + idOf("http://e.com/1") + `","url":"http://e.com/1","title":"One","categoryId":1,"category":"Price","predictedId":2,"toldId":2,"predicted":"Service","told":"Service","share":0.97},` +
		`{"id":"` + idOf("http://facebook.com/2") + `","url":"http://facebook.com/2","categoryId":3,"category":"Taste","predictedId":1,"toldId":1,"predicted":"Price","told":"Price","share":0.61}],` +
		`"curve":[{"trainingPosts":46,"accuracy":0.6},{"trainingPosts":92,"accuracy":0.7124}],"forecast":{"trainingPosts":184,"accuracy":0.76}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	empty, err := rest.AppendJSON(nil, w.api.newReport(m, &opinion.Report{Documents: 20}, nil))
	if want := `{"trainingPosts":20,"accuracy":0,"macroF1":0,"calibrationError":0,"categories":[],"confusion":[],"disagreements":[],"curve":[]}`; err != nil || string(empty) != want {
		t.Errorf("got  %s\nwant %s", empty, want)
	}
}

func TestAdvice(t *testing.T) {
	f := func(name string, change func(m *earshot.Monitor, r *opinion.Report), want ...string) {
		t.Run(name, func(t *testing.T) {
			m, r := reported()
			change(m, r)
			if got := newAdvice(m, r); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
	quiet := func(m *earshot.Monitor, r *opinion.Report) {
		m.Categories[2] = earshot.Category{ID: 3, Name: "Taste", TrainingDocs: 20, Hidden: true}
		*r = opinion.Report{}
	}
	const none = "There is no category for off-topic posts. A hidden category, such as Off-topic, keeps them out of the proportions."
	f("all kinds", func(*earshot.Monitor, *opinion.Report) {},
		"Taste has 12 training posts; at least 20 are recommended.",
		"The model often confuses Price and Service (13 of their 80 training posts). Add training posts that show the difference, or merge the categories.",
		"The model recognizes only 25% of the training posts of Taste. Check that they are all about the same thing.",
		"The model is confident that 3 training posts should be in another category. Review the first disagreements.",
		"Twice as many training posts would raise accuracy from 71% to about 76%.",
		"They would help Taste most, raising its F1 score from 0.33 to about 0.45.",
		none)
	f("no advice", quiet)
	f("little to gain", func(m *earshot.Monitor, r *opinion.Report) {
		categories := r.Categories
		quiet(m, r)
		r.Categories = categories[:2]
		r.Accuracy, r.Forecast = 0.9, opinion.CurvePoint{Documents: 10, Accuracy: 0.9099}
	}, "More training posts of the same kind would not help much.")
	f("little to gain from few posts", func(m *earshot.Monitor, r *opinion.Report) {
		r.Forecast.Accuracy, r.Disagreements, r.Confusion = r.Accuracy, nil, nil
		r.Categories = r.Categories[:2]
	}, "Taste has 12 training posts; at least 20 are recommended.", none)
	f("too few posts", func(m *earshot.Monitor, r *opinion.Report) {
		quiet(m, r)
		m.Categories[0].TrainingDocs, m.Categories[2].TrainingDocs = 1, 9
	}, "Price has 1 training post; a category needs at least 10.", "Taste is hidden and has 9 training posts; the model uses it once it has 10.")
	f("removed categories", func(m *earshot.Monitor, r *opinion.Report) {
		m.Categories = []earshot.Category{{ID: 4, Name: "New", TrainingDocs: 20, Hidden: true}}
		r.Disagreements, r.Forecast = nil, opinion.CurvePoint{}
	})
	f("many of one kind", func(m *earshot.Monitor, r *opinion.Report) {
		quiet(m, r)
		for i := range 7 {
			m.Categories = append(m.Categories, earshot.Category{Name: fmt.Sprint("C", i), TrainingDocs: 15})
		}
	}, "C0 has 15 training posts; at least 20 are recommended.", "C1 has 15 training posts; at least 20 are recommended.", "C2 has 15 training posts; at least 20 are recommended.",
		"C3 has 15 training posts; at least 20 are recommended.", "C4 has 15 training posts; at least 20 are recommended.", "The same applies to 2 more.")
}
