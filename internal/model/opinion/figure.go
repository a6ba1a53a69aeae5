package opinion

import (
	"cmp"
	"slices"

	"earshot/internal/model/classify"
)

// A judgement is a document's category, the one that it is assigned, and the share of
// that.
type judgement struct {
	class, told int
	share       float32
}

func accuracy(judged []judgement) float64 {
	right := 0
	for _, j := range judged {
		right += one(j.class == j.told)
	}
	return float64(right) / float64(max(len(judged), 1))
}

// confusion counts documents by their category and the assigned one.
func confusion(judged []judgement, categories int) [][]int {
	counts := make([][]int, categories)
	for k := range counts {
		counts[k] = make([]int, categories)
	}
	for _, j := range judged {
		counts[j.class][j.told]++
	}
	return counts
}

// precision returns precision, recall and F1 of the category at k; 0 where there is
// nothing to measure them by.
func precision(confusion [][]int, k int) (precision, recall, f1 float64) {
	assigned, documents := 0, 0
	for i, row := range confusion {
		assigned += row[k]
		documents += confusion[k][i]
	}
	right := float64(confusion[k][k])
	return right / float64(max(assigned, 1)), right / float64(max(documents, 1)), 2 * right / float64(max(assigned+documents, 1))
}

// maxDisagreements is how many disagreements a report has.
const maxDisagreements = 50

// disagreements returns the documents that are assigned another category, surest first.
func (c *corpus) disagreements(judged []judgement) []Disagreement {
	list := []Disagreement{}
	for i, j := range judged {
		if j.class == j.told {
			continue
		}
		p := &c.docs[i].Post
		list = append(list, Disagreement{
			URL: p.URL, GUID: p.GUID, Score: float64(j.share),
			Category: c.categories[j.class], Predicted: c.categories[j.told],
		})
	}
	slices.SortStableFunc(list, func(a, b Disagreement) int { return cmp.Compare(b.Score, a.Score) })
	return list[:min(len(list), maxDisagreements)]
}

// calibrationError returns how far shares and being right are apart, of the lessons.
func (m *Model) calibrationError() float64 {
	judged := make([]classify.Judgement, len(m.heldOut))
	for i, l := range m.heldOut {
		right := make([]bool, len(m.Categories))
		right[l.Category] = true
		judged[i] = classify.Judgement{Shares: l.Scores, Right: right}
	}
	return classify.CalibrationError(judged)
}
