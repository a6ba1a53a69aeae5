package opinion

import (
	"earshot"
	"earshot/internal/model/quantify"
)

// Categorize returns the index of the category that a post is assigned to, and appends the post's
// score level in each category to levels.
func (m *Model) Categorize(p *earshot.Post, levels []uint8) (assigned int, _ []uint8) {
	var room [earshot.MaxCategories]float32
	scores := m.Score(p, room[:0])
	for _, score := range scores {
		levels = append(levels, quantify.Level(score))
	}
	return Argmax(scores), levels
}

// Argmax returns the index of the largest score. If several are equal, it returns the first.
func Argmax(scores []float32) int {
	top := 0
	for i, score := range scores {
		if score > scores[top] {
			top = i
		}
	}
	return top
}

// Group decodes the scores of posts that have the same level in every category. In key, bit i%8 of
// byte i/8 is bit i%LevelBits of the level in category i/LevelBits. ok is false for posts that no
// model has categorized.
func (m *Model) Group(key string, posts int64) (group quantify.Group, ok bool) {
	group = quantify.Group{Scores: make([]float32, len(m.Categories)), Posts: float64(posts)}
	for i := range m.Categories {
		var level uint8
		for bit := range quantify.LevelBits {
			n := i*quantify.LevelBits + bit
			if n/8 < len(key) && key[n/8]>>(n%8)&1 != 0 {
				level |= 1 << bit
			}
		}
		group.Scores[i] = quantify.Score(level)
		ok = ok || level > 0
	}
	return group, ok
}
