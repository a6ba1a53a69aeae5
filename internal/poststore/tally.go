package poststore

import (
	"cmp"
	"context"
	"math"
	"time"

	"earshot"
)

// A Tally counts the selected posts, one row for each combination of the values of By. A post
// that has several values of a dimension counts in a row for each; one that has none is in no
// row.
type Tally struct {
	By   []Dim          // none: one row for everything, also when nothing is selected
	Zone *time.Location // of ByDay, ByHour and ByClock; nil is UTC
	Sum  []Measure      // Row.Sums has these, in this order
	Top  int            // return the Top largest rows; 0: all

	// IncludeKeys, with one dimension and a Top: rows of these keys are returned as well.
	IncludeKeys []string

	// TopSum, with a Top: this many rows with the largest first sum are returned as well. Of
	// equal sums the larger rows are, and none where the sum is 0.
	TopSum int

	// Sources are those whose posts are counted, of the selected ones; none: all.
	Sources []earshot.Source

	// Sets are the sets that BySets counts, at most MaxSets.
	Sets []SetID
}

// MaxSets is how many sets a tally may be by: the assigned posts and four score bits of each of
// an opinion monitor's categories.
const MaxSets = 256

// Location returns the zone of days and hours.
func (t *Tally) Location() *time.Location { return cmp.Or(t.Zone, time.UTC) }

// A Counter counts posts. Every Reader is one.
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

// A Measure is something added up besides the number of posts.
type Measure int

const (
	Authors     Measure = iota + 1 // distinct authors, by ByAuthor's key
	Impressions                    // sum of the authors' followers
	Likes
	Shares
	Comments
	Replies
	Retweets
	Views
)

// Measures lists all measures.
var Measures = []Measure{Authors, Impressions, Likes, Shares, Comments, Replies, Retweets, Views}

// A Row is one line of a tally.
type Row struct {
	Key   []string // one value for each of Tally.By
	Posts int64
	Sums  []int64 // one for each of Tally.Sum
}

// SaturatingAdd adds two sums. Posts may state any number, and a sum too large for an int64
// stays at the maximum, whatever the order of addition.
func SaturatingAdd(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
