package training

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/model/opinion"
)

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
	redact := func(p *earshot.TrainingPost) bool { return p.Source == earshot.Facebook }
	idOf := func(url string) string { return (&earshot.TrainingPost{URL: url}).ID() }
	m, r := reported()
	posts := []earshot.TrainingPost{
		{URL: "http://e.com/1", Title: "One", Category: 1}, {URL: "http://e.com/moved", Category: 2},
		{URL: "http://facebook.com/2", Title: "Two", Source: earshot.Facebook, Category: 3},
	}
	r.Disagreements = currentDisagreements(r.Disagreements, posts)
	got, err := rest.AppendJSON(nil, newReport(m, r, posts, redact))
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
	empty, err := rest.AppendJSON(nil, newReport(m, &opinion.Report{Documents: 20}, nil, redact))
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
