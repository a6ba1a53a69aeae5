package enginekit

import (
	"cmp"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// CheckTally returns an error for a tally that no store can count, which is a programming error,
// not a user error.
func CheckTally(t *poststore.Tally) error {
	switch {
	case slices.Contains(t.By, poststore.BySets):
		if len(t.Sets) == 0 || len(t.Sets) > poststore.MaxSets {
			return fmt.Errorf("tally by %d sets: must be 1 to %d", len(t.Sets), poststore.MaxSets)
		}
		return checkAlone(t, "sets")
	case slices.Contains(t.By, poststore.ByEthnicity):
		return checkAlone(t, "ethnicity")
	}
	for _, d := range t.By {
		if !slices.Contains(poststore.Dims, d) {
			return fmt.Errorf("tally by unknown dimension %d", d)
		}
	}
	for _, m := range t.Sum {
		if !slices.Contains(poststore.Measures, m) {
			return fmt.Errorf("tally with unknown measure %d", m)
		}
	}
	if len(t.IncludeKeys) > 0 && len(t.By) != 1 {
		return fmt.Errorf("tally with IncludeKeys by %d dimensions: must be 1", len(t.By))
	}
	if t.Top < 0 {
		return fmt.Errorf("tally with Top %d: must not be negative", t.Top)
	}
	if t.TopSum < 0 || t.TopSum > 0 && len(t.Sum) == 0 {
		return fmt.Errorf("tally with TopSum %d and %d sums: must not be negative, and requires a sum", t.TopSum, len(t.Sum))
	}
	return nil
}

// checkAlone returns an error unless the dimension is the only thing in the tally.
func checkAlone(t *poststore.Tally, dim string) error {
	if len(t.By) != 1 || len(t.Sum) > 0 || t.Top != 0 || t.TopSum != 0 || len(t.IncludeKeys) > 0 {
		return fmt.Errorf("tally by %s: must be the only dimension, without sums, Top, TopSum and IncludeKeys", dim)
	}
	return nil
}

// Counts reports whether a tally counts a selected post.
func Counts(t *poststore.Tally, p *earshot.Post) bool {
	return len(t.Sources) == 0 || slices.Contains(t.Sources, p.Source)
}

// MeasureOf returns the amount that a post adds to a measure. It returns 0 for Authors, which is
// not a sum.
func MeasureOf(m poststore.Measure, p *earshot.Post) int64 { return countOf(m, p).Int() }

// countOf returns the number that a measure adds up.
func countOf(m poststore.Measure, p *earshot.Post) earshot.Count {
	switch m {
	case poststore.Impressions:
		return p.Followers
	case poststore.Likes:
		return p.Likes
	case poststore.Shares:
		return p.Shares
	case poststore.Comments:
		return p.Comments
	case poststore.Replies:
		return p.Replies
	case poststore.Retweets:
		return p.Retweets
	case poststore.Views:
		return p.Views
	}
	return earshot.Count{}
}

// SetsKey returns the key of BySets: bit i%8 of byte i/8 is set if the post is in set i.
func SetsKey(sets []poststore.SetID, in func(poststore.SetID) bool) string {
	key := make([]byte, (len(sets)+7)/8)
	for i, id := range sets {
		if in(id) {
			key[i/8] |= 1 << (i % 8)
		}
	}
	return string(key)
}

// Truncate sorts rows in tally order and removes rows that the tally does not request.
func Truncate(t *poststore.Tally, rows []poststore.Row) []poststore.Row {
	if t.Top == 0 || len(t.IncludeKeys) == 0 && t.TopSum == 0 {
		return poststore.TopRows(rows, t.Top)
	}
	all := poststore.TopRows(rows, 0)
	bySum := largestSums(t, all)
	top := min(t.Top, len(all))
	result := all[:top]
	for i := top; i < len(all); i++ {
		if bySum[i] || len(t.IncludeKeys) > 0 && slices.Contains(t.IncludeKeys, all[i].Key[0]) {
			result = append(result, all[i]) // index at most i, so this overwrites only visited rows
		}
	}
	return result
}

// largestSums returns the indexes of the TopSum rows with the largest first sum. The rows must be
// in tally order.
func largestSums(t *poststore.Tally, rows []poststore.Row) map[int]bool {
	var indexes []int
	for i := range rows {
		if t.TopSum > 0 && rows[i].Sums[0] > 0 {
			indexes = append(indexes, i)
		}
	}
	slices.SortStableFunc(indexes, func(a, b int) int { return cmp.Compare(rows[b].Sums[0], rows[a].Sums[0]) })
	largest := map[int]bool{}
	for _, i := range indexes[:min(t.TopSum, len(indexes))] {
		largest[i] = true
	}
	return largest
}
