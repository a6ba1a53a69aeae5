package opinion

import (
	"earshot"
	"earshot/internal/model/quantify"
)

// levelBits is the number of bits of a score level.
const levelBits = 4

// Categorize appends the sets that a post belongs to: that of its predicted category, and those of
// the set bits of its score level in each category.
func (m *Model) Categorize(sets []earshot.MonitorID, slot int, p *earshot.Post) []earshot.MonitorID {
	var room [earshot.MaxCategories]float32
	scores := m.Score(p, room[:0])
	sets = append(sets, m.Categories[Argmax(scores)].Assigned(slot))
	for i, score := range scores {
		level := quantify.Level(score)
		for bit := range levelBits {
			if level>>bit&1 != 0 {
				sets = append(sets, m.Categories[i].ScoreBit(slot, bit))
			}
		}
	}
	return sets
}

// Argmax returns the index of the largest score, the first of equal ones.
func Argmax(scores []float32) int {
	top := 0
	for i, score := range scores {
		if score > scores[top] {
			top = i
		}
	}
	return top
}

// SetsOf returns all sets that Categorize may return for the categories and buffer.
func SetsOf(categories []earshot.CategoryID, slot int) []earshot.MonitorID {
	return append((&Model{Categories: categories}).ScoreSets(slot), AssignedOf(categories, slot)...)
}

// AssignedOf returns the sets of predicted categories; Categorize puts every post into one of them.
func AssignedOf(categories []earshot.CategoryID, slot int) []earshot.MonitorID {
	sets := make([]earshot.MonitorID, len(categories))
	for i, c := range categories {
		sets[i] = c.Assigned(slot)
	}
	return sets
}

// ScoreSets returns the sets of score bits, in the order that Group expects.
func (m *Model) ScoreSets(slot int) []earshot.MonitorID {
	sets := make([]earshot.MonitorID, 0, levelBits*len(m.Categories))
	for _, c := range m.Categories {
		for bit := range levelBits {
			sets = append(sets, c.ScoreBit(slot, bit))
		}
	}
	return sets
}

// Group decodes the scores of posts that are in the same ScoreSets: bit i%8 of byte i/8 of key
// stands for set i. ok is false for posts that no model has categorized.
func (m *Model) Group(key string, posts int64) (group quantify.Group, ok bool) {
	group = quantify.Group{Scores: make([]float32, len(m.Categories)), Posts: float64(posts)}
	for i := range m.Categories {
		var level uint8
		for bit := range levelBits {
			n := i*levelBits + bit
			if n/8 < len(key) && key[n/8]>>(n%8)&1 != 0 {
				level |= 1 << bit
			}
		}
		group.Scores[i] = quantify.Score(level)
		ok = ok || level > 0
	}
	return group, ok
}
