package opinion

import (
	"sync"

	"earshot"
	"earshot/internal/model/quantify"
)

// A Model scores posts for each category. It is safe for concurrent use.
type Model struct {
	Categories []earshot.CategoryID // in the order given to Train

	table       table
	calibration calibration
	heldOut     []quantify.Example
	report      Report
	extractors  sync.Pool // of *extractor
}

// Prior returns the class prior that scores are calibrated for, which is uniform.
func (m *Model) Prior() []float64 {
	prior := make([]float64, len(m.Categories))
	for k := range prior {
		prior[k] = 1 / float64(len(prior))
	}
	return prior
}

// HeldOut returns the held-out scores of the training documents, calibrated like the scores from
// [Model.Score]. The caller must not modify them.
func (m *Model) HeldOut() []quantify.Example { return m.heldOut }

// IsSufficient reports whether the training documents suffice to estimate prevalence. If not,
// [quantify.Estimator] counts predicted categories.
func (m *Model) IsSufficient() bool { return quantify.Sufficient(len(m.Categories), m.heldOut) }

// Score appends the score of each category to dst. Scores are calibrated probabilities that sum to
// 1.
func (m *Model) Score(p *earshot.Post, dst []float32) []float32 {
	x, _ := m.extractors.Get().(*extractor)
	if x == nil {
		x = &extractor{sums: make([]int32, len(m.Categories))}
	}
	x.extract(p)
	start := len(dst)
	for range m.Categories {
		dst = append(dst, 0)
	}
	scores := dst[start:]
	for b, features := range x.features {
		clear(x.sums)
		length := m.table.add(features, x.sums)
		scale := blockScale(b, length) * m.table.steps[b]
		for k, sum := range x.sums {
			scores[k] += float32(scale * float32(sum))
		}
	}
	m.calibration.apply(scores)
	m.extractors.Put(x)
	return dst
}
