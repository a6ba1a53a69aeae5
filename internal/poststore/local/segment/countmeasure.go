package segment

import (
	"fmt"
	"math"
	"math/bits"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// addMeasures makes what is added up for each group.
func (g *grouper) addMeasures(q *countQuery, measures []poststore.Measure) error {
	g.sums = make([]*columnSum, len(measures))
	for i, m := range measures {
		var err error
		switch {
		case m != poststore.Authors:
			g.sums[i], err = q.columnSum(m)
		case g.authors == nil:
			g.authors, err = q.authorSets(g.combiner.span)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// measureColumns are the columns of the measures that are sums.
var measureColumns = map[poststore.Measure]string{
	poststore.Impressions: colFollowers,
	poststore.Likes:       colLikes,
	poststore.Shares:      colShares,
	poststore.Comments:    colComments,
	poststore.Replies:     colReplies,
	poststore.Retweets:    colRetweets,
	poststore.Views:       colViews,
}

// columnSum adds up a column of figures.
type columnSum struct {
	values *colfile.Uints
	large  bool    // a sum may become larger than the largest number
	totals []int64 // by group
}

func (q *countQuery) columnSum(m poststore.Measure) (*columnSum, error) {
	col, ok := measureColumns[m]
	if !ok {
		return nil, fmt.Errorf("count unknown measure %d", m)
	}
	values, err := q.file.Uints(col)
	if err != nil {
		return nil, err
	}
	hi, lo := bits.Mul64(values.Max(), q.size)
	return &columnSum{values: values, large: hi > 0 || lo > math.MaxInt64}, nil
}

// add adds the figures of rows to the totals of their groups.
func (f *columnSum) add(groups, scratch []uint64, rows []uint32) {
	readColumn(f.values, scratch, rows)
	base := f.values.Base()
	if f.large {
		for i, group := range groups {
			f.totals[group] = poststore.Plus(f.totals[group], int64(min(decodeCount(scratch[i]+base), math.MaxInt64)))
		}
		return
	}
	scratch = scratch[:len(groups)]
	for i, group := range groups {
		f.totals[group] += int64(decodeCount(scratch[i] + base))
	}
}

// decodeCount returns the figure that a column has plus one, 0 when it is not stated.
func decodeCount(plusOne uint64) uint64 { return plusOne - min(plusOne, 1) }
