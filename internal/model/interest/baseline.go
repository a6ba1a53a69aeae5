package interest

import (
	"math"
	"slices"

	"earshot"
)

// A Baseline records how common interests are among all microblog posts. The interests of a
// monitor's posts are compared with it. Posts decay exponentially, so recent ones count most. The
// catalog stores it as JSON.
type Baseline struct {
	Position  earshot.Position // last journal entry that is counted
	Day       earshot.Date     // day up to which earlier posts have decayed
	Posts     float64
	Interests map[earshot.InterestID]float64
}

// halfLife is the number of days after which a post counts half. It is short enough to follow
// trends and long enough for rare interests to have posts.
const halfLife = 30

// Add counts a post that was ingested on the given day. An earlier day than before causes no decay.
func (b *Baseline) Add(day earshot.Date, p *earshot.Post) {
	if b.Day.Before(day) {
		if b.Posts > 0 {
			factor := math.Exp2(-float64(b.Day.DaysUntil(day)) / halfLife)
			b.Posts *= factor
			for id := range b.Interests {
				b.Interests[id] *= factor
			}
		}
		b.Day = day
	}
	b.Posts++
	if b.Interests == nil {
		b.Interests = map[earshot.InterestID]float64{}
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

// Share returns the fraction of posts that have an interest, from 0 to 1.
func (b *Baseline) Share(id earshot.InterestID) float64 {
	if b.Posts == 0 {
		return 0
	}
	return b.Interests[id] / b.Posts
}
