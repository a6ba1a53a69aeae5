package memory

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

func (o *oracle) Days(ctx context.Context, of poststore.Selection, starts []time.Time, ts []poststore.Tally) ([][][]poststore.Row, error) {
	frozen := o.copied()
	answers := make([][][]poststore.Row, len(ts))
	for d := 1; d < len(starts); d++ {
		of.From, of.To = starts[d-1], starts[d]
		rows, err := frozen.Tallies(ctx, of, ts)
		if err != nil {
			return nil, err
		}
		for i := range ts {
			answers[i] = append(answers[i], rows[i])
		}
	}
	return answers, ctx.Err()
}

func (o *oracle) Fingerprint(ctx context.Context, m poststore.SetID, from, to time.Time) (poststore.Fingerprint, error) {
	var lines []string
	for _, p := range o.selected(poststore.Selection{Set: m, From: from, To: to}) {
		o.mu.Lock()
		lines = append(lines, fmt.Sprintf("%+v %d %d", p.Key(), o.arrived[p.Key()], p.InferredBy))
		o.mu.Unlock()
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return poststore.Fingerprint(sum[:16]), ctx.Err()
}

func (o *oracle) Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error) {
	posts := slices.DeleteFunc(o.selected(poststore.Selection{}), func(p earshot.Post) bool { return !slices.Contains(keys, p.Key()) })
	return posts, ctx.Err()
}

func (o *oracle) Words(ctx context.Context, of poststore.Selection, sample int, visit func([]poststore.Word)) (int64, error) {
	if sample < 0 {
		return 0, errors.New("negative sample")
	}
	posts := o.selected(of)
	slices.SortFunc(posts, func(a, b earshot.Post) int {
		if enginekit.SampleHash(a.Key()) < enginekit.SampleHash(b.Key()) {
			return -1
		}
		return 1
	})
	for i := range min(sample, len(posts)) {
		visit(enginekit.WordsOf(&posts[i], new(query.Document)))
	}
	return int64(len(posts)), ctx.Err()
}

func (o *oracle) CounterChanges(ctx context.Context, m poststore.SetID, from, to time.Time, visit func(poststore.CounterChange)) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var sums []poststore.CounterChange
	for _, c := range o.changes[m] {
		at := slices.IndexFunc(sums, func(s poststore.CounterChange) bool { return s.Time.Equal(c.Time) && s.Posted.Equal(c.Posted) })
		if at < 0 {
			sums = append(sums, c)
			continue
		}
		sums[at].Likes += c.Likes
		sums[at].Shares += c.Shares
		sums[at].Comments += c.Comments
	}
	for _, c := range sums {
		came := c.Time.Compare(from) >= 0 && c.Time.Compare(to) < 0
		posted := c.Posted.Compare(from) >= 0 && c.Posted.Compare(to) < 0
		if came || posted {
			visit(c)
		}
	}
	return ctx.Err()
}

// An event records that a post of a set was added, removed or modified.
type event struct {
	monitor    poststore.SetID
	posted, at time.Time
}

func (o *oracle) note(p *earshot.Post, monitors ...poststore.SetID) {
	for _, m := range monitors {
		o.events = append(o.events, event{m, p.Time, time.Now()})
	}
}

func (o *oracle) Changed(ctx context.Context, m poststore.SetID, starts []time.Time) ([]time.Time, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	changed := make([]time.Time, max(len(starts)-1, 0))
	for d := range changed {
		for _, e := range o.events { // the last event is the latest
			if e.monitor == m && !e.posted.Before(starts[d]) && e.posted.Before(starts[d+1]) {
				changed[d] = e.at
			}
		}
	}
	return changed, ctx.Err()
}
