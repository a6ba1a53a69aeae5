package opinion

import (
	"sync"

	"earshot"
	"earshot/internal/model/quantify"
)

// A Model tells the shares of categories of posts. It is safe for parallel use.
type Model struct {
	Categories []earshot.CategoryID // as they were given to Learn

	table       table
	calibration calibration
	heldOut     []quantify.Example
	report      Report
	spare       sync.Pool // of *reader
}

// Prior returns how frequent categories are among the posts that shares are calibrated
// for: all the same.
func (m *Model) Prior() []float64 {
	prior := make([]float64, len(m.Categories))
	for k := range prior {
		prior[k] = 1 / float64(len(prior))
	}
	return prior
}

// HeldOut returns the shares that models which had not seen them told of the documents,
// calibrated like those of Score. The caller must not change them.
func (m *Model) HeldOut() []quantify.Example { return m.heldOut }

// Score appends to dst the share of each category of a post. They add up to 1.
func (m *Model) Score(p *earshot.Post, dst []float32) []float32 {
	r, _ := m.spare.Get().(*reader)
	if r == nil {
		r = &reader{sums: make([]int32, len(m.Categories))}
	}
	r.read(p)
	start := len(dst)
	for range m.Categories {
		dst = append(dst, 0)
	}
	shares := dst[start:]
	for b, features := range r.features {
		clear(r.sums)
		length := m.table.add(features, r.sums)
		scale := scaleOf(b, length) * m.table.steps[b]
		for k, sum := range r.sums {
			shares[k] += float32(scale * float32(sum))
		}
	}
	m.calibration.apply(shares)
	m.spare.Put(r)
	return dst
}
