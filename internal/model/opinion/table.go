package opinion

import (
	"cmp"
	"math"
	"slices"
)

// A table holds the quantized weights of all features. It stores them twice: sorted, as saved, and
// in a hash table. Lookups are bound by memory latency, so one cell contains everything about a
// feature.
type table struct {
	width      int             // number of categories
	unknownIDF uint8           // idf of features that are not in the table
	steps      [blocks]float32 // weight per level
	features   []uint32        // sorted
	idf        []uint8         // by feature
	levels     []int8          // quantized weights, width per feature

	slots []uint32 // features; 0 marks a free slot
	cells []int8   // for each slot, the idf minus 128 and the levels
}

// maxLevel is the maximum level of a weight.
const maxLevel = 127

// newTable quantizes the weights of a classifier.
func newTable(m *classifier) table {
	features := m.corpus.features
	t := table{width: len(m.corpus.categories), unknownIDF: m.unknownIDF}
	weights := make([]float32, t.width)
	for f := range features {
		m.featureWeights(f, weights)
		for _, w := range weights {
			step := &t.steps[features[f]%blocks]
			*step = max(*step, float32(math.Abs(float64(w)))/maxLevel)
		}
	}
	order := make([]int, len(features))
	for f := range order {
		order[f] = f
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(features[a], features[b]) })
	for _, f := range order {
		m.featureWeights(f, weights)
		t.features = append(t.features, features[f])
		t.idf = append(t.idf, m.idf[f])
		step := t.steps[features[f]%blocks]
		for _, w := range weights {
			level := int8(0)
			if step != 0 {
				level = int8(math.Round(float64(w / step)))
			}
			t.levels = append(t.levels, level)
		}
	}
	t.buildIndex()
	return t
}

// buildIndex fills the hash table, using linear probing and a load factor of 3/5.
func (t *table) buildIndex() {
	t.slots = make([]uint32, len(t.features)*5/3+1)
	t.cells = make([]int8, len(t.slots)*(t.width+1))
	for i, f := range t.features {
		at := t.slot(f)
		for t.slots[at] != 0 {
			at = t.next(at)
		}
		t.slots[at] = f
		cell := t.cell(at)
		cell[0] = int8(int(t.idf[i]) - 128)
		copy(cell[1:], t.levels[i*t.width:][:t.width])
	}
}

func (t *table) cell(at int) []int8 { return t.cells[at*(t.width+1):][:t.width+1] }

// find returns the slot of a feature, or -1.
func (t *table) find(feature uint32) int {
	for at := t.slot(feature); ; at = t.next(at) {
		switch t.slots[at] {
		case feature:
			return at
		case 0:
			return -1
		}
	}
}

// slot returns the first slot to probe for a feature.
func (t *table) slot(feature uint32) int {
	return int(uint64(feature*0x9e3779b1) * uint64(len(t.slots)) >> 32)
}

func (t *table) next(at int) int {
	if at++; at == len(t.slots) {
		return 0
	}
	return at
}

// add adds the levels of features to levels and returns twice the sum of their idfs. Features that
// are not in the table count half.
func (t *table) add(features []uint32, levels []int32) (length int) {
	for _, f := range features {
		at := t.find(f)
		if at < 0 {
			length += int(t.unknownIDF)
			continue
		}
		cell := t.cell(at)
		length += 2 * (int(cell[0]) + 128)
		row := cell[1:][:len(levels)]
		for k, level := range row {
			levels[k] += int32(level)
		}
	}
	return length
}
