package enginekit

import (
	"encoding/binary"
	"slices"

	"earshot"
	"earshot/internal/model/people"
	"earshot/internal/poststore"
)

// A RowCounter counts posts into the rows of a tally, one post at a time. It is the definition of
// what a tally counts; engines may count in other ways as long as the rows are the same.
type RowCounter struct {
	tally   *poststore.Tally
	bearers *people.Population // set for ByEthnicity, which has no groups; otherwise nil
	groups  map[string]*rowGroup
	values  [][]string // values of the current post, by dimension
	key     []string   // the current combination of values
	name    []byte     // key of the current combination in groups
}

// A rowGroup is a row under construction.
type rowGroup struct {
	poststore.Row
	authors map[string]struct{}
}

// NewRowCounter returns a counter for a tally that [CheckTally] accepts.
func NewRowCounter(t *poststore.Tally) *RowCounter {
	c := &RowCounter{
		tally:  t,
		groups: map[string]*rowGroup{},
		values: make([][]string, len(t.By)),
		key:    make([]string, len(t.By)),
	}
	if len(t.By) == 0 {
		c.find() // the only row exists even if no posts are selected
	}
	if slices.Contains(t.By, poststore.ByEthnicity) {
		c.bearers = new(people.Population)
	}
	return c
}

// Add counts a post in each combination of its values. in reports whether the post is in a set of
// the tally.
func (c *RowCounter) Add(p *earshot.Post, in func(poststore.SetID) bool) {
	if !Counts(c.tally, p) {
		return
	}
	if c.bearers != nil {
		AddBearer(c.bearers, p)
		return
	}
	for i, d := range c.tally.By {
		if d == poststore.BySets {
			c.values[i] = append(c.values[i][:0], SetsKey(c.tally.Sets, in))
			continue
		}
		c.values[i] = AppendKeys(c.values[i][:0], d, p, c.tally.Location())
	}
	c.combine(0, p)
}

// combine counts p once for each combination of values in the dimensions from i on.
func (c *RowCounter) combine(i int, p *earshot.Post) {
	if i == len(c.values) {
		c.find().add(c.tally.Sum, p)
		return
	}
	for _, v := range c.values[i] {
		c.key[i] = v
		c.combine(i+1, p)
	}
}

// find returns the group of the current combination. Its key includes the lengths of the values
// because they may contain any separator.
func (c *RowCounter) find() *rowGroup {
	c.name = c.name[:0]
	for _, v := range c.key {
		c.name = append(binary.AppendUvarint(c.name, uint64(len(v))), v...)
	}
	g, ok := c.groups[string(c.name)]
	if !ok {
		g = &rowGroup{
			Row:     poststore.Row{Key: slices.Clone(c.key), Sums: make([]int64, len(c.tally.Sum))},
			authors: map[string]struct{}{},
		}
		c.groups[string(c.name)] = g
	}
	return g
}

func (g *rowGroup) add(measures []poststore.Measure, p *earshot.Post) {
	g.Posts++
	for i, m := range measures {
		if m != poststore.Authors {
			g.Sums[i] = poststore.SaturatingAdd(g.Sums[i], MeasureOf(m, p))
			continue
		}
		if author := AuthorKey(p); author != "" {
			g.authors[author] = struct{}{}
		}
		g.Sums[i] = int64(len(g.authors))
	}
}

// Rows returns the rows that the tally requests, in tally order.
func (c *RowCounter) Rows() []poststore.Row {
	if c.bearers != nil {
		return EthnicityRows(c.bearers)
	}
	rows := make([]poststore.Row, 0, len(c.groups))
	for _, g := range c.groups {
		rows = append(rows, g.Row)
	}
	return Truncate(c.tally, rows)
}
