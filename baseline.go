package earshot

import (
	"math"
	"slices"
)

// A Baseline tells how common interests are among all microblog posts, which those of a
// monitor are compared with. Recent posts count most: what came in thirty days ago counts
// half.
type Baseline struct {
	Position  Position // of the last journal entry that is in it
	Day       Date     // up to which earlier posts have faded
	Posts     float64
	Interests map[InterestID]float64
}

const halfLife = 30 // days

// Add counts a post that came in on a day. Days do not go back.
func (b *Baseline) Add(day Date, p *Post) {
	if b.Day.Before(day) {
		b.fade(day)
	}
	b.Posts++
	if b.Interests == nil {
		b.Interests = map[InterestID]float64{}
	}
	for _, id := range p.Interests {
		b.Interests[id]++
	}
	for _, id := range p.AuthorInterests {
		if !slices.Contains(p.Interests, id) {
			b.Interests[id]++
		}
	}
}

func (b *Baseline) fade(to Date) {
	if b.Posts > 0 {
		left := math.Exp2(-float64(b.Day.DaysUntil(to)) / halfLife)
		b.Posts *= left
		for id := range b.Interests {
			b.Interests[id] *= left
		}
	}
	b.Day = to
}

// Share returns how many of the posts have an interest, from 0 to 1.
func (b *Baseline) Share(id InterestID) float64 {
	if b.Posts == 0 {
		return 0
	}
	return b.Interests[id] / b.Posts
}
