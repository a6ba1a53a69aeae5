package poststore

import (
	"cmp"
	"time"

	"earshot"
)

// An Order is an order in which [Reader.Rank] lists posts.
type Order int

const (
	NewestFirst    Order = iota
	OldestFirst          // the only order in which ties by score are sorted by time, earliest first
	MostEngagement       // likes, shares, comments, replies and retweets, added up
	MostReach            // followers of the author
	MostRelevant         // see [Ranking.Terms]
)

// A Ranking states which posts to list, and in which order. Posts with the same score are sorted by
// time, newest first, and posts with the same time by a hash of their key. The order is therefore
// total and the same in every engine.
type Ranking struct {
	Order Order
	Limit int

	// After lists only posts after the position of this one. It need not be stored anymore.
	After *RankPosition

	// Terms are the words that make a post relevant, in lower case, without accents and sigils.
	// enginekit.Relevance computes the score: it grows with the number of occurrences and decreases
	// with the length of the text.
	Terms []string

	// Group lists only the first post of each group of duplicates and near-duplicates
	// (enginekit.Grouper). At most [MaxGrouped] posts can be grouped.
	Group bool

	// GroupOf lists all posts of the group that this post is in, instead of the first of each group.
	// It requires Group. There are none if the post is not selected.
	GroupOf *earshot.PostKey
}

// MaxGrouped is the maximum number of posts that Rank divides into groups. Groups take about 150
// bytes of memory per post while they are computed.
const MaxGrouped = 2_000_000

// A RankPosition is a position in an order of posts.
type RankPosition struct {
	Score int64
	Time  time.Time
	Hash  uint64 // enginekit.SampleHash of the post's key
}

// Compare returns a negative number if a post at position p comes before one at position q, and a
// positive one if it comes after it.
func (o Order) Compare(p, q RankPosition) int {
	switch {
	case p.Score != q.Score:
		if p.Score > q.Score {
			return -1
		}
		return 1
	case !p.Time.Equal(q.Time):
		if p.Time.After(q.Time) == (o != OldestFirst) {
			return -1
		}
		return 1
	}
	return cmp.Compare(p.Hash, q.Hash)
}

// A RankedPost is a post in an order.
type RankedPost struct {
	Post     earshot.Post
	Position RankPosition
	Copies   int64 // number of posts in its group, including itself; 1 if posts are not grouped
}

// Ranked is the beginning of an order.
type Ranked struct {
	Posts  []RankedPost
	Total  int64 // selected posts, or those of the group, regardless of After
	Groups int64 // groups of these posts; equals Total if posts are not grouped
}
