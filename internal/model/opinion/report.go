package opinion

import (
	"cmp"
	"slices"

	"earshot"
	"earshot/internal/model/classify"
)

// A Report describes the quality of a model to the analyst who labeled the training documents. All
// metrics are computed from held-out predictions. It is saved as JSON.
type Report struct {
	Documents        int
	Accuracy         float64
	MacroF1          float64 // mean F1 of the categories
	CalibrationError float64 // expected calibration error of the predicted categories
	Categories       []CategoryReport
	Confusion        [][]int        // documents by index of their category, then of the predicted one
	Disagreements    []Disagreement // by decreasing score, at most 50
	Curve            []CurvePoint   // by increasing number of documents; the last point uses all
	Forecast         CurvePoint     // with twice as many documents
}

// A CategoryReport describes one category.
type CategoryReport struct {
	Category  earshot.CategoryID
	Documents int
	Precision float64
	Recall    float64
	F1        float64
	Forecast  float64 // F1 with twice as many documents
	Terms     []Term  // by decreasing weight, at most 20
}

// A Term is a word, a word pair, a hashtag, a mention, a site or an emoji, with its weight for a
// category.
type Term struct {
	Text   string
	Weight float64
}

// A Disagreement is a document whose predicted category differs from its label.
type Disagreement struct {
	URL       string
	GUID      string
	Category  earshot.CategoryID // assigned by the analyst
	Predicted earshot.CategoryID `json:"Told"`  // predicted by the model
	Score     float64            `json:"Share"` // score of Predicted
}

// A CurvePoint is a point of the learning curve: the accuracy with a given number of documents.
type CurvePoint struct {
	Documents int
	Accuracy  float64
}

// Report returns the report. The caller must not modify it.
func (m *Model) Report() Report { return m.report }

// maxDisagreements limits the list to what an analyst may want to review.
const maxDisagreements = 50

// report returns the report of a model whose other fields are set.
func (c *corpus) report(predictions *foldPredictions, final *classifier, m *Model) Report {
	r := Report{
		Documents:     len(c.examples),
		Confusion:     make([][]int, len(c.categories)),
		Disagreements: []Disagreement{},
	}
	for k := range r.Confusion {
		r.Confusion[k] = make([]int, len(c.categories))
	}
	correct := 0
	outcomes := make([]classify.Outcome, len(m.heldOut))
	for i, x := range m.heldOut {
		predicted := Argmax(x.Scores)
		r.Confusion[x.Category][predicted]++
		correct += toInt(x.Category == predicted)
		outcomes[i] = classify.Outcome{Scores: x.Scores, Correct: make([]bool, len(c.categories))}
		outcomes[i].Correct[x.Category] = true
		if x.Category != predicted {
			p := &c.docs[i].Post
			r.Disagreements = append(r.Disagreements, Disagreement{
				URL: p.URL, GUID: p.GUID, Score: float64(x.Scores[predicted]),
				Category: c.categories[x.Category], Predicted: c.categories[predicted],
			})
		}
	}
	slices.SortStableFunc(r.Disagreements, func(a, b Disagreement) int { return cmp.Compare(b.Score, a.Score) })
	r.Disagreements = r.Disagreements[:min(len(r.Disagreements), maxDisagreements)]
	r.Accuracy = float64(correct) / float64(max(len(m.heldOut), 1))
	r.CalibrationError = classify.CalibrationError(outcomes)
	curve := m.newLearningCurve(predictions)
	r.Curve = curve.points(len(c.examples))
	r.Forecast = CurvePoint{2 * r.Documents, forecast(r.Accuracy, curve.slope())}
	terms := c.terms(final)
	for k, id := range c.categories {
		cat := CategoryReport{Category: id, Documents: c.counts[k], Terms: terms[k]}
		cat.Precision, cat.Recall, cat.F1 = precisionRecall(r.Confusion, k)
		cat.Forecast = forecast(cat.F1, curve.categorySlope(k))
		r.MacroF1 += cat.F1 / float64(len(c.categories))
		r.Categories = append(r.Categories, cat)
	}
	return r
}

// precisionRecall returns the precision, recall and F1 of category k, or 0 where they are
// undefined.
func precisionRecall(confusion [][]int, k int) (precision, recall, f1 float64) {
	predicted, documents := 0, 0
	for i, row := range confusion {
		predicted += row[k]
		documents += confusion[k][i]
	}
	correct := float64(confusion[k][k])
	return correct / float64(max(predicted, 1)), correct / float64(max(documents, 1)), 2 * correct / float64(max(predicted+documents, 1))
}
