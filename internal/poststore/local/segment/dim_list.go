package segment

import (
	"math"
	"slices"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// listDimColumns are the columns of a dimension in which a row may have several values.
type listDimColumns struct {
	list, dict string
	flag       uint64 // flag of the rows that have a value, or noFlag
}

// noFlag means that there is no flag for the rows that have a value.
const noFlag = math.MaxUint64

var listDims = map[poststore.Dim]listDimColumns{
	poststore.ByHashtag:    {listHashtags, dictHashtag, flagHashtags},
	poststore.ByCashtag:    {listCashtags, dictCashtag, noFlag},
	poststore.ByInterest:   {listInterest, dictInterest, flagInterests},
	poststore.ByImageClass: {listClasses, dictImageClass, flagClasses},
	poststore.ByBrand:      {listBrands, dictBrand, flagBrands},
}

// listDim is a dimension in which a row may have several values, such as hashtags. A [spreader]
// repeats a row for each of its values and sets the codes of the repeated rows.
type listDim struct {
	lists *colfile.Lists
	dict  *colfile.Strings
	flag  uint64
	codes []uint64 // codes of the current chunk of repeated rows
}

func (s *Segment) listDim(c listDimColumns) (*listDim, error) {
	lists, dict, err := s.openListColumn(c.list, c.dict)
	if err != nil {
		return nil, err
	}
	return &listDim{lists: lists, dict: dict, flag: c.flag}, nil
}

func (d *listDim) span() uint64 { return uint64(max(d.lists.Limit(), 1)) }

func (d *listDim) read(codes []uint64, _ []uint32) { copy(codes, d.codes) }

func (d *listDim) keyFunc(dense bool) keyFunc { return dictKeyFunc(d.dict, 0, dense, appendText) }

// A listCounter counts by a single listDim.
type listCounter struct {
	lists *colfile.ListReader
	posts []uint32
	list  []uint32
}

// planList counts by a single listDim.
func (q *countQuery) planList(d *listDim) error {
	c := &listCounter{lists: d.lists.Reader(), posts: make([]uint32, d.span())}
	q.flagged[d.flag] = append(q.flagged[d.flag], c)
	q.partials = append(q.partials, func() partial { return nonzeroPartial(d, c.posts) })
	return q.meter().hold(4 * int64(len(c.posts)))
}

func (c *listCounter) count(rows []uint32) error {
	for _, row := range rows {
		one, two, n := c.lists.Pair(row)
		switch {
		case n == 1 || n == 2 && one == two:
			c.posts[one]++
		case n == 2:
			c.posts[one]++
			c.posts[two]++
		case n > 2:
			c.list = distinct(c.lists.Append(c.list[:0], row))
			for _, tag := range c.list {
				c.posts[tag]++
			}
		}
	}
	return nil
}

// A spreader repeats each row for each combination of its values in several dimensions. The same
// dimension may occur more than once.
type spreader struct {
	dims    []*listDim
	stopped func() error
	next    func(rows []uint32) error // receives the repeated rows

	readers []*colfile.ListReader // indexed by dimension

	rows        []uint32   // repeated rows of the current chunk
	lists       [][]uint32 // indexed by dimension: values of the current row
	combination []uint64   // the current combination
}

func newSpreader(dims []*listDim, stopped func() error, next func(rows []uint32) error) *spreader {
	s := &spreader{dims: dims, stopped: stopped, next: next, lists: make([][]uint32, len(dims)), combination: make([]uint64, len(dims))}
	for _, d := range dims {
		s.readers = append(s.readers, d.lists.Reader())
	}
	return s
}

// count implements [counter]. It passes the repeated rows on in chunks.
func (s *spreader) count(rows []uint32) error {
	for _, row := range rows {
		for i, r := range s.readers {
			s.lists[i] = distinct(r.Append(s.lists[i][:0], row))
		}
		if err := s.combine(row, 0); err != nil {
			return err
		}
	}
	return s.flush()
}

// combine adds the row once for each combination of values in the dimensions from dim on.
func (s *spreader) combine(row uint32, dim int) error {
	if dim < len(s.dims) {
		for _, value := range s.lists[dim] {
			s.combination[dim] = uint64(value)
			if err := s.combine(row, dim+1); err != nil {
				return err
			}
		}
		return nil
	}
	s.rows = append(s.rows, row)
	for i, d := range s.dims {
		d.codes = append(d.codes, s.combination[i])
	}
	if len(s.rows) == chunkRows {
		return s.flush()
	}
	return nil
}

func (s *spreader) flush() error {
	if len(s.rows) == 0 {
		return nil
	}
	if err := s.stopped(); err != nil { // few rows can have many combinations
		return err
	}
	err := s.next(s.rows)
	s.rows = s.rows[:0]
	for _, d := range s.dims {
		d.codes = d.codes[:0]
	}
	return err
}

// distinct removes duplicates from values. Almost all posts have a handful of values, for which a
// linear search beats sorting, but a post may have thousands.
func distinct(values []uint32) []uint32 {
	if len(values) > 32 {
		slices.Sort(values)
		return slices.Compact(values)
	}
	if len(values) < 2 {
		return values
	}
	kept := values[:1]
	for _, v := range values[1:] {
		if !slices.Contains(kept, v) {
			kept = append(kept, v)
		}
	}
	return kept
}
