package opinion

import "earshot"

// A Report says how well a model has learnt, for the analyst who sorted the documents.
// Accuracy, precision and the like are of documents that were told by models which had
// not seen them.
type Report struct {
	Documents        int
	Accuracy         float64
	MacroF1          float64 // mean of the categories' F1
	CalibrationError float64 // how far the shares of assigned categories and being right are apart, on average
	Categories       []CategoryReport
	Confusion        [][]int        // documents by the place of their category, then of the one assigned
	Disagreements    []Disagreement // surest first, at most 50
	Curve            []CurvePoint   // fewest documents first, the last has all
	Forecast         CurvePoint     // what twice as many documents would give
}

// A CategoryReport says how well one category was learnt.
type CategoryReport struct {
	Category  earshot.CategoryID
	Documents int
	Precision float64
	Recall    float64
	F1        float64
	Forecast  float64 // F1 with twice as many documents
	Terms     []Term  // that speak most for it, at most 20
}

// A Term is a word, two words in a row, a hashtag, a mention, a site or an emoji, and
// how much it speaks for a category.
type Term struct {
	Text   string
	Weight float64
}

// A Disagreement is a document that the model would have sorted otherwise.
type Disagreement struct {
	URL       string
	GUID      string
	Category  earshot.CategoryID // that it was sorted into
	Predicted earshot.CategoryID `json:"Told"`  // by the model
	Score     float64            `json:"Share"` // of Predicted
}

// A CurvePoint is what accuracy so many documents give.
type CurvePoint struct {
	Documents int
	Accuracy  float64
}

// Report returns how well the model has learnt. The caller must not change it.
func (m *Model) Report() Report { return m.report }

// report makes the report of a model that has everything else.
func (c *corpus) report(e *exams, l *lecture, m *Model) Report {
	judged := make([]judgement, len(m.heldOut))
	for i, lesson := range m.heldOut {
		top := Top(lesson.Scores)
		judged[i] = judgement{lesson.Category, top, lesson.Scores[top]}
	}
	r := Report{
		Documents:        len(c.texts),
		Accuracy:         accuracy(judged),
		CalibrationError: m.calibrationError(),
		Confusion:        confusion(judged, len(c.categories)),
		Disagreements:    c.disagreements(judged),
	}
	grown := m.growth(e)
	r.Curve = grown.curve(len(c.texts))
	r.Forecast = CurvePoint{2 * r.Documents, improved(r.Accuracy, grown.slope())}
	terms := c.terms(l)
	for k, id := range c.categories {
		cat := CategoryReport{Category: id, Documents: c.counts[k], Terms: terms[k]}
		cat.Precision, cat.Recall, cat.F1 = precision(r.Confusion, k)
		cat.Forecast = improved(cat.F1, grown.slopeOf(k))
		r.MacroF1 += cat.F1 / float64(len(c.categories))
		r.Categories = append(r.Categories, cat)
	}
	return r
}
