package opinion

import (
	"cmp"
	"math"
	"slices"
)

// graduate learns from all documents and puts everything into a model.
func (c *corpus) graduate(e *exams) *Model {
	m := &Model{Categories: slices.Clone(c.categories)}
	m.calibration = calibrate(e[whole], balance(c.counts, len(c.texts)))
	m.heldOut = m.calibration.lessons(e[whole])
	l := c.teach(func(*text) bool { return true })
	m.table = c.table(l)
	m.table.arrange()
	m.report = c.report(e, l, m)
	return m
}

// table returns what was learnt of features, rounded.
func (c *corpus) table(l *lecture) table {
	t := table{width: len(c.categories), unknown: l.unknown}
	row := make([]float32, t.width)
	for f := range c.features {
		l.row(f, row)
		for _, w := range row {
			step := &t.steps[c.features[f]%blocks]
			*step = max(*step, float32(math.Abs(float64(w)))/maxLevel)
		}
	}
	order := make([]int, len(c.features))
	for f := range order {
		order[f] = f
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.features[a], c.features[b]) })
	for _, f := range order {
		l.row(f, row)
		t.features = append(t.features, c.features[f])
		t.rarity = append(t.rarity, l.rarity[f])
		t.levels = appendLevels(t.levels, row, t.steps[c.features[f]%blocks])
	}
	return t
}

// maxLevel is the largest level of a weight.
const maxLevel = 127

// appendLevels appends weights in steps.
func appendLevels(dst []int8, row []float32, step float32) []int8 {
	for _, w := range row {
		if step == 0 {
			dst = append(dst, 0)
			continue
		}
		dst = append(dst, int8(math.Round(float64(w/step))))
	}
	return dst
}

// row fills in what a feature adds to the sums of categories before its block is scaled.
func (l *lecture) row(f int, row []float32) {
	factor := l.focus[f] * roots[l.rarity[f]]
	var mean float32
	for k := range row {
		row[k] = factor * l.regression.Weights[f*len(row)+k]
		mean += row[k] / float32(len(row))
	}
	for k := range row {
		row[k] -= mean // what all categories get tells nothing
	}
}
