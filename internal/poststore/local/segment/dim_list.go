package segment

import (
	"math"
	"slices"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// A listDimColumns is where the file has a dimension of which a row may have several values.
type listDimColumns struct {
	list, dict string
	flag       uint64 // of rows that have any, or noFlag
}

// noFlag says that no flag tells which rows have any.
const noFlag = math.MaxUint64

var listDims = map[poststore.Dim]listDimColumns{
	poststore.ByHashtag:    {listHashtags, dictHashtag, flagHashtags},
	poststore.ByCashtag:    {listCashtags, dictCashtag, noFlag},
	poststore.ByInterest:   {listInterest, dictInterest, flagInterests},
	poststore.ByImageClass: {listClasses, dictImageClass, flagClasses},
	poststore.ByBrand:      {listBrands, dictBrand, flagBrands},
}

// listDim is a dimension of which a row may have several values, as of hashtags. For that
// the rows are spread: a row comes once for each of its values, and the dimension has the
// values.
type listDim struct {
	lists *colfile.Lists
	dict  *colfile.Strings
	flag  uint64
	codes []uint64 // of the rows that are spread at the moment
}

func (s *Segment) listDim(d listDimColumns) (*listDim, error) {
	lists, err := s.Lists(d.list)
	if err != nil {
		return nil, err
	}
	dict, err := s.Strings(d.dict)
	if err != nil {
		return nil, err
	}
	if lists.Limit() > dict.Len() {
		return nil, &colfile.CorruptError{Path: s.Path(), Section: d.list, Reason: "numbers that " + d.dict + " does not have"}
	}
	return &listDim{lists: lists, dict: dict, flag: d.flag}, nil
}

func (t *listDim) span() uint64 { return uint64(max(t.lists.Limit(), 1)) }

func (t *listDim) read(codes []uint64, _ []uint32) { copy(codes, t.codes) }

func (t *listDim) keyFunc(close bool) keyFunc { return dictKeyFunc(t.dict, 0, close, appendText) }

// A listCounter counts by one such dimension alone.
type listCounter struct {
	lists *colfile.ListReader
	posts []uint32
	list  []uint32
}

// planList counts by values of which a row may have several.
func (q *countQuery) planList(t *listDim) error {
	c := &listCounter{lists: t.lists.Reader(), posts: make([]uint32, t.span())}
	q.flagged[t.flag] = append(q.flagged[t.flag], c)
	q.partials = append(q.partials, func() partial { return occupied(t, c.posts) })
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

// A spreader makes of each row one for each combination of the values that it has in some
// dimensions, of which several may be the same.
type spreader struct {
	dims              []*listDim
	stopped           func() error
	countCombinations func(rows []uint32) error // takes rows that are spread

	readers []*colfile.ListReader // by dimension

	rows        []uint32   // spread so far
	lists       [][]uint32 // values of the row at hand, by dimension
	combination []uint64   // combination at hand
}

func newSpreader(dims []*listDim, alive func() error, each func(rows []uint32) error) *spreader {
	s := &spreader{dims: dims, stopped: alive, countCombinations: each, lists: make([][]uint32, len(dims)), combination: make([]uint64, len(dims))}
	for _, d := range dims {
		s.readers = append(s.readers, d.lists.Reader())
	}
	return s
}

// count implements counter: it calls each with all of the rows, some thousand combinations
// at a time.
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

// combine adds the row once for each combination from a dimension on.
func (s *spreader) combine(row uint32, from int) error {
	if from == len(s.dims) {
		return s.add(row)
	}
	for _, value := range s.lists[from] {
		s.combination[from] = uint64(value)
		if err := s.combine(row, from+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *spreader) add(row uint32) error {
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
	if err := s.stopped(); err != nil { // few rows may have many combinations
		return err
	}
	err := s.countCombinations(s.rows)
	s.rows = s.rows[:0]
	for _, d := range s.dims {
		d.codes = d.codes[:0]
	}
	return err
}

// distinct leaves each value once. Nearly all posts have a handful, so looking through
// them beats sorting, but a post may have thousands.
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
