package opinion

import (
	"earshot"
	"earshot/internal/model/quantify"
)

// levelBits is how many bits the level of a share has.
const levelBits = 4

// Categorize appends the sets that a post belongs to: the one of the category it is assigned to,
// and those of the bits of its levels in all categories.
func (m *Model) Categorize(sets []earshot.MonitorID, slot int, p *earshot.Post) []earshot.MonitorID {
	var room [earshot.MaxCategories]float32
	shares := m.Score(p, room[:0])
	sets = append(sets, m.Categories[Top(shares)].Assigned(slot))
	for i, share := range shares {
		level := quantify.Level(share)
		for bit := range levelBits {
			if level>>bit&1 != 0 {
				sets = append(sets, m.Categories[i].ScoreBit(slot, bit))
			}
		}
	}
	return sets
}

// Top returns the place of the largest share, the first of several.
func Top(shares []float32) int {
	top := 0
	for i, share := range shares {
		if share > shares[top] {
			top = i
		}
	}
	return top
}

// SetsOf returns the sets that Sort may put a post into, of some categories and in a slot.
func SetsOf(categories []earshot.CategoryID, slot int) []earshot.MonitorID {
	return append((&Model{Categories: categories}).ScoreSets(slot), AssignedOf(categories, slot)...)
}

// AssignedOf returns those of the sets of which Sort puts every post into one.
func AssignedOf(categories []earshot.CategoryID, slot int) []earshot.MonitorID {
	sets := make([]earshot.MonitorID, len(categories))
	for i, c := range categories {
		sets[i] = c.Assigned(slot)
	}
	return sets
}

// ScoreSets returns those of the sets that tell the shares of a post, in the order that Group
// expects.
func (m *Model) ScoreSets(slot int) []earshot.MonitorID {
	sets := make([]earshot.MonitorID, 0, levelBits*len(m.Categories))
	for _, c := range m.Categories {
		for bit := range levelBits {
			sets = append(sets, c.ScoreBit(slot, bit))
		}
	}
	return sets
}

// Group returns what posts have in common that are in the same of ScoreSets: bit i%8 of byte
// i/8 of key stands for the ith. Posts that no model has sorted are in none; they are no group.
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
