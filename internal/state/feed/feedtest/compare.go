package feedtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/state/feed"
)

// Compare applies the same random operations to two empty feeds and expects the same results,
// including cursors.
func Compare(t *testing.T, a, b feed.Feed, steps int, seed uint64) {
	c := &comparison{t: t, a: a, b: b, r: rand.New(rand.NewPCG(seed, 1))}
	for i := range steps {
		what := c.step()
		if t.Failed() {
			t.Fatalf("seed %d, step %d: %s", seed, i, what)
		}
	}
}

type comparison struct {
	t        *testing.T
	a, b     feed.Feed
	r        *rand.Rand
	position earshot.Position
	items    int
	cursors  [3][]feed.Cursor // seen so far, by queue
}

func (c *comparison) step() string {
	ctx := c.t.Context()
	q := c.r.IntN(len(c.cursors))
	id, count := earshot.StreamID(q+1), c.r.IntN(200)
	switch n := c.r.IntN(20); {
	case n < 8:
		return c.append()
	case n < 11:
		c.page(q, func(f feed.Feed) (feed.Page, error) { return f.Take(ctx, id, count) })
		return fmt.Sprintf("Take(%d, %d)", id, count)
	case n < 15:
		from := c.cursor(q)
		c.page(q, func(f feed.Feed) (feed.Page, error) { return f.Read(ctx, id, from, count) })
		return fmt.Sprintf("Read(%d, %v, %d)", id, from, count)
	case n < 17:
		c.same(func(f feed.Feed) (any, error) { return f.Drop(ctx, id, int64(count)-10) })
		return fmt.Sprintf("Drop(%d, %d)", id, count-10)
	case n < 18:
		c.same(func(f feed.Feed) (any, error) { p, _, err := f.Position(ctx); return p, err })
		return "Position"
	case n < 19 && c.r.IntN(4) == 0:
		c.same(func(f feed.Feed) (any, error) { return nil, f.Remove(ctx, id) })
		return fmt.Sprintf("Remove(%d)", id)
	case n < 20 && c.r.IntN(4) == 0:
		last := c.position - min(c.position, earshot.Position(c.r.IntN(2)))
		c.same(func(f feed.Feed) (any, error) { return nil, f.Reconcile(ctx, last) })
		c.position = last
		return fmt.Sprintf("Begin(%d)", last)
	}
	return "nothing"
}

// append adds a few runs, sometimes including earlier ones.
func (c *comparison) append() string {
	p := c.position - min(c.position, earshot.Position(c.r.IntN(3)))
	c.position += earshot.Position(c.r.IntN(4))
	var runs []feed.Run
	for ; p < c.position; p++ {
		for q := range c.cursors {
			if c.r.IntN(2) == 0 {
				runs = append(runs, run(earshot.StreamID(q+1), p+1, c.texts()...))
			}
		}
	}
	c.same(func(f feed.Feed) (any, error) { return nil, f.Append(c.t.Context(), c.position, runs) })
	return fmt.Sprintf("Append(%d) of %d runs", c.position, len(runs))
}

func (c *comparison) texts() []string {
	n := c.r.IntN(10)
	if c.r.IntN(10) == 0 {
		n = 90 + c.r.IntN(150)
	}
	items := numbered(c.items, n)
	c.items += n
	if n > 0 && c.r.IntN(20) == 0 {
		items[0] = strings.Repeat(items[0]+" ", 100_000)
	}
	return items
}

func (c *comparison) cursor(q int) feed.Cursor {
	switch seen := c.cursors[q]; {
	case c.r.IntN(10) == 0:
		return feed.End
	case len(seen) > 0 && c.r.IntN(5) > 0:
		return seen[c.r.IntN(len(seen))]
	}
	return feed.Cursor{Message: uint64(c.r.IntN(20)), Index: c.r.IntN(20)}
}

func (c *comparison) page(q int, get func(feed.Feed) (feed.Page, error)) {
	c.same(func(f feed.Feed) (any, error) {
		p, err := get(f)
		if errors.Is(err, feed.ErrBeyondEnd) {
			return "beyond", nil
		}
		c.cursors[q] = append(c.cursors[q], p.Next)
		return p, err
	})
}

func (c *comparison) same(do func(feed.Feed) (any, error)) {
	got, err := do(c.a)
	if err != nil {
		c.t.Errorf("the first fails: %v", err)
	}
	want, err := do(c.b)
	if err != nil {
		c.t.Errorf("the second fails: %v", err)
	}
	if !reflect.DeepEqual(got, want) {
		c.t.Errorf("the first returns  %.300v\nthe second returns %.300v", got, want)
	}
}
