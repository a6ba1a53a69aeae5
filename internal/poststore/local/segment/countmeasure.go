package segment

import (
	"fmt"
	"math"
	"math/bits"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// measure makes what is added up for each group.
func (g *grouper) measure(q *question, measures []poststore.Measure) error {
	g.sums = make([]*figures, len(measures))
	for i, m := range measures {
		var err error
		switch {
		case m != poststore.Authors:
			g.sums[i], err = q.figures(m)
		case g.authors == nil:
			g.authors, err = q.crowd(g.joint.span)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// figureColumns are the columns of the measures that are sums.
var figureColumns = map[poststore.Measure]string{
	poststore.Impressions: colFollowers,
	poststore.Likes:       colLikes,
	poststore.Shares:      colShares,
	poststore.Comments:    colComments,
	poststore.Replies:     colReplies,
	poststore.Retweets:    colRetweets,
	poststore.Views:       colViews,
}

// figures adds up a column of figures.
type figures struct {
	values *colfile.Uints
	large  bool    // a sum may become larger than the largest number
	totals []int64 // by group
}

func (q *question) figures(m poststore.Measure) (*figures, error) {
	col, ok := figureColumns[m]
	if !ok {
		return nil, fmt.Errorf("count unknown measure %d", m)
	}
	values, err := q.file.Uints(col)
	if err != nil {
		return nil, err
	}
	hi, lo := bits.Mul64(values.Max(), q.size)
	return &figures{values: values, large: hi > 0 || lo > math.MaxInt64}, nil
}

// add adds the figures of rows to the totals of their groups.
func (f *figures) add(groups, scratch []uint64, rows []uint32) {
	readColumn(f.values, scratch, rows)
	base := f.values.Base()
	if f.large {
		for i, group := range groups {
			f.totals[group] = poststore.Plus(f.totals[group], int64(min(stated(scratch[i]+base), math.MaxInt64)))
		}
		return
	}
	scratch = scratch[:len(groups)]
	for i, group := range groups {
		f.totals[group] += int64(stated(scratch[i] + base))
	}
}

// stated returns the figure that a column has plus one, 0 when it is not stated.
func stated(plusOne uint64) uint64 { return plusOne - min(plusOne, 1) }
