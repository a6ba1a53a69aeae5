package training

import (
	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/opinion"
)

// A ModelReport is the cross-validated quality of a model.
type ModelReport struct {
	TrainingPosts    int              `json:"trainingPosts"` // number of posts it was trained on
	Accuracy         float64          `json:"accuracy"`
	MacroF1          float64          `json:"macroF1"`
	CalibrationError float64          `json:"calibrationError"`
	Categories       []CategoryReport `json:"categories"`
	Confusion        []Confusion      `json:"confusion"`
	Disagreements    []Disagreement   `json:"disagreements"`
	Curve            []CurvePoint     `json:"curve"`
	Forecast         *CurvePoint      `json:"forecast,omitempty"` // with twice as many training posts
}

// A CategoryReport is the quality of a model for one category.
type CategoryReport struct {
	CategoryID    earshot.CategoryID `json:"categoryId"`
	Category      string             `json:"category"`
	TrainingPosts int                `json:"trainingPosts"`
	Precision     float64            `json:"precision"`
	Recall        float64            `json:"recall"`
	F1            float64            `json:"f1"`
	Forecast      float64            `json:"forecast"` // F1 with twice as many training posts
	Terms         []Term             `json:"terms"`
}

// A Term is a word or another feature that speaks for a category.
type Term struct {
	Text   string  `json:"text"`
	Weight float64 `json:"weight"`
}

// A Confusion is a row of the confusion matrix: the number of training posts of a category that the
// model assigns to each category, in the order of the categories.
type Confusion struct {
	CategoryID earshot.CategoryID `json:"categoryId"`
	Category   string             `json:"category"`
	Predicted  []int              `json:"predicted" old:"told"`
}

// A Disagreement is a training post that the model assigns to another category.
type Disagreement struct {
	ID          string             `json:"id"`
	URL         string             `json:"url"`
	Title       *string            `json:"title,omitempty"`
	CategoryID  earshot.CategoryID `json:"categoryId"`
	Category    string             `json:"category"`
	PredictedID earshot.CategoryID `json:"predictedId" old:"toldId"`
	Predicted   string             `json:"predicted" old:"told"`
	Share       float64            `json:"share"`
}

// A CurvePoint is a point of the learning curve.
type CurvePoint struct {
	TrainingPosts int     `json:"trainingPosts"`
	Accuracy      float64 `json:"accuracy"`
}

// newReport renders a report. posts are all training posts of m. A category that was removed from m
// has no name.
func newReport(m *earshot.Monitor, r *opinion.Report, posts []earshot.TrainingPost, redact Redactor) *ModelReport {
	shown := &ModelReport{
		TrainingPosts: r.Documents, Accuracy: jsonvalue.Round4(r.Accuracy), MacroF1: jsonvalue.Round4(r.MacroF1), CalibrationError: jsonvalue.Round4(r.CalibrationError),
		Disagreements: newDisagreements(m, r.Disagreements, posts, redact), Curve: jsonvalue.Map(r.Curve, newCurvePoint),
	}
	for i, c := range r.Categories {
		shown.Categories = append(shown.Categories, newCategoryReport(m, c))
		if i < len(r.Confusion) {
			shown.Confusion = append(shown.Confusion, Confusion{c.Category, categoryName(m, c.Category), r.Confusion[i]})
		}
	}
	if r.Forecast.Documents > 0 {
		forecast := newCurvePoint(r.Forecast)
		shown.Forecast = &forecast
	}
	return shown
}

func newCategoryReport(m *earshot.Monitor, c opinion.CategoryReport) CategoryReport {
	return CategoryReport{
		CategoryID: c.Category, Category: categoryName(m, c.Category), TrainingPosts: c.Documents,
		Precision: jsonvalue.Round4(c.Precision), Recall: jsonvalue.Round4(c.Recall), F1: jsonvalue.Round4(c.F1), Forecast: jsonvalue.Round4(c.Forecast),
		Terms: jsonvalue.Map(c.Terms, func(t opinion.Term) Term { return Term{t.Text, jsonvalue.Round4(t.Weight)} }),
	}
}

// currentDisagreements returns the disagreements about posts that are still in the same category as
// when the model was trained.
func currentDisagreements(list []opinion.Disagreement, posts []earshot.TrainingPost) (left []opinion.Disagreement) {
	in := make(map[string]earshot.CategoryID, len(posts))
	for _, p := range posts {
		in[p.URL] = p.Category
	}
	for _, d := range list {
		if in[d.URL] == d.Category {
			left = append(left, d)
		}
	}
	return left
}

func newDisagreements(m *earshot.Monitor, list []opinion.Disagreement, posts []earshot.TrainingPost, redact Redactor) []Disagreement {
	byURL := make(map[string]earshot.TrainingPost, len(posts))
	for _, p := range posts {
		byURL[p.URL] = p
	}
	return jsonvalue.Map(list, func(d opinion.Disagreement) Disagreement {
		post := NewPost(m, byURL[d.URL], redact)
		return Disagreement{
			ID: post.ID, URL: post.URL, Title: post.Title, CategoryID: d.Category, Category: post.CategoryName,
			PredictedID: d.Predicted, Predicted: categoryName(m, d.Predicted), Share: jsonvalue.Round4(d.Score),
		}
	})
}

func newCurvePoint(p opinion.CurvePoint) CurvePoint {
	return CurvePoint{p.Documents, jsonvalue.Round4(p.Accuracy)}
}
