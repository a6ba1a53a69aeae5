package opinion

import "earshot"

// A Report says how well a model has learnt, for the analyst who sorted the documents.
// All figures are of documents that were told by models which had not seen them.
type Report struct {
	Documents        int
	Accuracy         float64
	MacroF1          float64 // mean of the categories' F1
	CalibrationError float64 // how far shares and correctness are apart
	Categories       []CategoryReport
	Confusion        [][]int        // documents by their category, then by the one they are told
	Disagreements    []Disagreement // surest first, at most 50
	Curve            []CurvePoint   // fewest documents first; the last has all
	Forecast         CurvePoint     // what twice as many documents would give
}

// A CategoryReport says how well one category was learnt.
type CategoryReport struct {
	Category              earshot.CategoryID
	Documents             int
	Precision, Recall, F1 float64
	Terms                 []Term  // that speak most for it, at most 20
	Gain                  float64 // documents of it, of 100, that twice as many would set right
}

// A Term is a word, two words, a hashtag or an emoji, and how much it speaks for a
// category.
type Term struct {
	Text   string
	Weight float64
}

// A Disagreement is a document that the model would have sorted otherwise.
type Disagreement struct {
	URL      string
	GUID     string
	Category earshot.CategoryID // that it was sorted into
	Told     earshot.CategoryID
	Share    float64 // of Told
}

// A CurvePoint is how many documents a category give what accuracy.
type CurvePoint struct {
	Documents int // in all
	Accuracy  float64
}

// Report returns how well the model has learnt. The caller must not change it.
func (m *Model) Report() Report { return m.report }

func (c *corpus) report(e *exams, l *lecture, m *Model) Report {
	return Report{Documents: len(c.texts)}
}
