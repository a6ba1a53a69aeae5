package demo

import (
	"math"
	"math/rand/v2"

	"earshot"
)

// A figure is a counter of a post, for a post that reaches so many people.
type figure func(p *earshot.Post, reach float64)

func likes(p *earshot.Post, reach float64)    { p.Likes = counted(reach * 0.02) }
func comments(p *earshot.Post, reach float64) { p.Comments = counted(reach * 0.004) }
func shares(p *earshot.Post, reach float64)   { p.Shares = counted(reach * 0.003) }
func retweets(p *earshot.Post, reach float64) { p.Retweets = counted(reach * 0.005) }
func replies(p *earshot.Post, reach float64)  { p.Replies = counted(reach * 0.003) }
func views(p *earshot.Post, reach float64)    { p.Views = counted(reach) }

func counted(x float64) earshot.Count { return earshot.Counted(int64(x)) }

// reach is how many people see a post: most posts are seen by few of the
// followers, some by many more people than follow.
func reach(r *rand.Rand, followers int64) float64 {
	return (float64(followers) + 30) * math.Exp(r.NormFloat64()-0.5)
}
