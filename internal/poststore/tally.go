package poststore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"earshot"
)

// A Tally counts the selected posts, with one row for each combination of values of the dimensions
// in By. A post with several values of a dimension counts in several rows; a post with none counts
// in no row.
type Tally struct {
	By   []Dim          // empty: a single row, even if no posts are selected
	Zone *time.Location // of ByDay, ByHour and ByClock; nil is UTC
	Sum  []Measure      // in the order of Row.Sums
	Top  int            // maximum number of rows, largest first; 0: no limit

	// IncludeKeys lists keys whose rows are returned in addition to the Top largest. It requires a
	// single dimension and a Top.
	IncludeKeys []string

	// TopSum is the number of rows with the largest first sum to return in addition to the Top
	// largest. It requires a Top. Ties are broken in favor of the row with more posts. Rows whose
	// sum is 0 are not included.
	TopSum int

	// Sources limits the count to posts from these sources. If empty, all selected posts count.
	Sources []earshot.Source

	// Sets lists the sets for BySets, at most MaxSets.
	Sets []SetID
}

// MaxSets is the maximum number of sets in a tally. It suffices for the assigned posts and four
// score bits of each category of an opinion monitor.
const MaxSets = 256

// Location returns the time zone of days and hours.
func (t *Tally) Location() *time.Location { return cmp.Or(t.Zone, time.UTC) }

// IsCorrectable reports whether corrections can change the counts of selected posts.
func (t *Tally) IsCorrectable() bool { return slices.ContainsFunc(t.By, Dim.IsCorrectable) }

// A Counter counts posts. Every [Reader] is a Counter.
type Counter interface {
	Tallies(ctx context.Context, of Selection, ts []Tally) ([][]Row, error)
}

// TallyOne returns the rows of a single tally.
func TallyOne(ctx context.Context, c Counter, of Selection, t Tally) ([]Row, error) {
	rows, err := c.Tallies(ctx, of, []Tally{t})
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// A Measure is a number that a tally adds up in addition to the number of posts.
type Measure int

const (
	Authors     Measure = iota + 1 // distinct authors, identified by the key of ByAuthor
	Impressions                    // sum of the authors' follower counts
	Likes
	Shares
	Comments
	Replies
	Retweets
	Views
)

// Measures lists all measures.
var Measures = []Measure{Authors, Impressions, Likes, Shares, Comments, Replies, Retweets, Views}

// A Row is one row of a tally.
type Row struct {
	Key   []string // one value for each of Tally.By
	Posts int64
	Sums  []int64 // one for each of Tally.Sum
}

// SaturatingAdd adds two sums. Posts can state arbitrary numbers, so a sum that overflows stays at
// the maximum or minimum int64. For numbers of the same sign, the order of addition does not matter.
func SaturatingAdd(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}
