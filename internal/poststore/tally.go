package poststore

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"earshot"
)

// Measures lists everything that is added up besides the number of posts.
var Measures = []Measure{Authors, Impressions, Likes, Shares, Comments, Replies, Retweets, Views}

// Check returns an error for a tally that no store can answer, which is a
// mistake of the program and not of its user.
func (t *Tally) Check() error {
	switch {
	case slices.Contains(t.By, BySets):
		return t.checkSets()
	case slices.Contains(t.By, ByEthnicity):
		return t.checkAlone("ethnicity")
	}
	for _, d := range t.By {
		if !slices.Contains(Dims, d) {
			return fmt.Errorf("tally by unknown dimension %d", d)
		}
	}
	for _, m := range t.Sum {
		if !slices.Contains(Measures, m) {
			return fmt.Errorf("tally of unknown measure %d", m)
		}
	}
	if len(t.IncludeKeys) > 0 && len(t.By) != 1 {
		return fmt.Errorf("tally by %d dimensions that keeps some keys", len(t.By))
	}
	if t.Top < 0 {
		return fmt.Errorf("tally of the top %d rows", t.Top)
	}
	if t.TopSum < 0 || t.TopSum > 0 && len(t.Sum) == 0 {
		return fmt.Errorf("tally of the top %d of %d sums", t.TopSum, len(t.Sum))
	}
	return nil
}

// MaxSets is how many sets a tally may be by.
const MaxSets = 256

func (t *Tally) checkSets() error {
	if len(t.Sets) == 0 || len(t.Sets) > MaxSets {
		return fmt.Errorf("tally by %d sets", len(t.Sets))
	}
	return t.checkAlone("sets")
}

// checkAlone is for dimensions that posts are counted by, and by nothing else.
func (t *Tally) checkAlone(dim string) error {
	if len(t.By) != 1 || len(t.Sum) > 0 || t.Top != 0 || t.TopSum != 0 || len(t.IncludeKeys) > 0 {
		return fmt.Errorf("tally by %s and something else", dim)
	}
	return nil
}

// Counts reports whether the tally counts a post that is selected.
func (t *Tally) Counts(p *earshot.Post) bool {
	return len(t.Sources) == 0 || slices.Contains(t.Sources, p.Source)
}

// SetsKey spells which of some sets a post is in: bit i%8 of byte i/8 stands for the ith.
func SetsKey(sets []SetID, in func(SetID) bool) string {
	key := make([]byte, (len(sets)+7)/8)
	for i, id := range sets {
		if in(id) {
			key[i/8] |= 1 << (i % 8)
		}
	}
	return string(key)
}

// Location returns the zone of days and hours.
func (t *Tally) Location() *time.Location { return cmp.Or(t.Zone, time.UTC) }

// Of returns what p adds to the measure. Authors is no sum, so no post adds to it.
func (m Measure) Of(p *earshot.Post) int64 {
	switch m {
	case Impressions:
		return p.Followers.Int()
	case Likes:
		return p.Likes.Int()
	case Shares:
		return p.Shares.Int()
	case Comments:
		return p.Comments.Int()
	case Replies:
		return p.Replies.Int()
	case Retweets:
		return p.Retweets.Int()
	case Views:
		return p.Views.Int()
	}
	return 0
}

// SaturatingAdd adds two sums. Posts may state any figure, and a sum too large for an
// int64 stays at the largest, in whatever order it is added up.
func SaturatingAdd(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
