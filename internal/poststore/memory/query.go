package memory

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/model/people"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

var errSample = errors.New("negative sample size")

// Posts implements [poststore.Reader].
func (s *Store) Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	if limit < 0 {
		return nil, 0, fmt.Errorf("list posts: negative limit %d", limit)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var selected []*entry
	var total int64
	for e, err := range s.scan(ctx, &of) {
		if err != nil {
			return nil, 0, err
		}
		total++
		if n := len(selected); n < limit || n > 0 && sameDay(e, selected[n-1]) { // once there are enough posts, older days are only counted
			selected = append(selected, e)
		}
	}
	slices.SortFunc(selected, func(a, b *entry) int { return earshot.ComparePosts(&a.post, &b.post) })
	posts := make([]earshot.Post, min(limit, len(selected)))
	for i := range posts {
		posts[i] = clonePost(&selected[i].post)
	}
	return posts, total, nil
}

// Tallies implements [poststore.Reader].
func (s *Store) Tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tallies(ctx, of, ts)
}

// tallies implements Tallies. The caller holds s.mu.
func (s *Store) tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	counters := make([]*counter, len(ts))
	for i := range ts {
		if err := enginekit.CheckTally(&ts[i]); err != nil {
			return nil, err
		}
		counters[i] = newCounter(&ts[i])
	}
	for e, err := range s.scan(ctx, &of) {
		if err != nil {
			return nil, err
		}
		for _, c := range counters {
			c.add(e)
		}
	}
	all := make([][]poststore.Row, len(ts))
	for i, c := range counters {
		all[i] = c.rows()
	}
	return all, nil
}

// A counter counts posts into the rows of a tally.
type counter struct {
	tally   *poststore.Tally
	bearers *people.Population // set for ByEthnicity, which has no groups; otherwise nil
	groups  map[string]*group
	values  [][]string // values of the current post, by dimension
	key     []string   // the current combination of values
	name    []byte     // key of the current combination in groups
}

// A group is a row under construction.
type group struct {
	poststore.Row
	authors map[string]struct{}
}

func newCounter(t *poststore.Tally) *counter {
	c := &counter{
		tally:  t,
		groups: map[string]*group{},
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

// add counts a post in each combination of its values.
func (c *counter) add(e *entry) {
	if !enginekit.Counts(c.tally, &e.post) {
		return
	}
	if c.bearers != nil {
		enginekit.AddBearer(c.bearers, &e.post)
		return
	}
	for i, d := range c.tally.By {
		if d == poststore.BySets {
			c.values[i] = append(c.values[i][:0], enginekit.SetsKey(c.tally.Sets, e.in))
			continue
		}
		c.values[i] = enginekit.AppendKeys(c.values[i][:0], d, &e.post, c.tally.Location())
	}
	c.combine(0, &e.post)
}

// combine counts p once for each combination of values in the dimensions from i on.
func (c *counter) combine(i int, p *earshot.Post) {
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
func (c *counter) find() *group {
	c.name = c.name[:0]
	for _, v := range c.key {
		c.name = append(binary.AppendUvarint(c.name, uint64(len(v))), v...)
	}
	g, ok := c.groups[string(c.name)]
	if !ok {
		g = &group{
			Row:     poststore.Row{Key: slices.Clone(c.key), Sums: make([]int64, len(c.tally.Sum))},
			authors: map[string]struct{}{},
		}
		c.groups[string(c.name)] = g
	}
	return g
}

func (g *group) add(measures []poststore.Measure, p *earshot.Post) {
	g.Posts++
	for i, m := range measures {
		if m != poststore.Authors {
			g.Sums[i] = poststore.SaturatingAdd(g.Sums[i], enginekit.MeasureOf(m, p))
			continue
		}
		if author := enginekit.AuthorKey(p); author != "" {
			g.authors[author] = struct{}{}
		}
		g.Sums[i] = int64(len(g.authors))
	}
}

func (c *counter) rows() []poststore.Row {
	if c.bearers != nil {
		return enginekit.EthnicityRows(c.bearers)
	}
	rows := make([]poststore.Row, 0, len(c.groups))
	for _, g := range c.groups {
		rows = append(rows, g.Row)
	}
	return enginekit.Truncate(c.tally, rows)
}
