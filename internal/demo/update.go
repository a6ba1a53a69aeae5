package demo

import (
	"iter"
	"time"

	"earshot"
)

// updatedDays is the age in days up to which the counters of the brand's own posts change.
const updatedDays = 5

// Updates yields the brand's own Facebook and Instagram posts of the last days again with changed
// counters, as a connector that revisits them would send them. Most have more likes, some have
// fewer.
func (g Generator) Updates() iter.Seq[earshot.Post] {
	return func(yield func(earshot.Post) bool) {
		r := g.random(updateStream)
		since := g.End.Add(-updatedDays * 24 * time.Hour)
		for p := range g.Posts() {
			own := p.Source == earshot.Facebook && p.AuthorProfileID == FacebookPageID ||
				p.Source == earshot.Instagram && p.AuthorUsername == InstagramHandle
			if !own || p.Time.Before(since) {
				continue
			}
			for _, count := range []*earshot.Count{&p.Likes, &p.Shares, &p.Comments} {
				if n, stated := count.Value(); stated {
					*count = newCount(float64(n) * (0.97 + 0.08*r.Float64()))
				}
			}
			if !yield(p) {
				return
			}
		}
	}
}

// updateStream is the random stream for updates.
const updateStream = snapshotStream + 1
