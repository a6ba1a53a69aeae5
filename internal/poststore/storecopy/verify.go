package storecopy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/state/journal"
)

// The times of all posts are between these.
var (
	firstTime = time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)
	endOfTime = time.Date(10000, time.January, 1, 0, 0, 0, 0, time.UTC)
)

// digest returns a hash of the generations of sets.
func digest(generations map[poststore.SetID]int64) []byte {
	h := sha256.New()
	for _, id := range slices.Sorted(maps.Keys(generations)) {
		fmt.Fprintf(h, "%d %d\n", id, generations[id])
	}
	return h.Sum(nil)[:8]
}

// verify compares everything in both stores: each post, then the number of posts in each set by
// month, and what is known about the set.
func (c *copier) verify(ctx context.Context) error {
	target := c.Target.Imported()
	if err := c.verifyPosts(ctx, target); err != nil {
		return fmt.Errorf("the copy differs: %w", err)
	}
	if err := c.verifyState(ctx, target); err != nil {
		return fmt.Errorf("the copy differs: %w", err)
	}
	source, err := c.identify(ctx)
	if err == nil && source != c.last.Source {
		err = ErrSourceChanged // another node writes to it
	}
	return err
}

// verifyPosts compares all posts.
func (c *copier) verifyPosts(ctx context.Context, target poststore.Exporter) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	limit := max(c.last.Chunk, 1)
	wanted := readAhead(ctx, c.Source, poststore.FirstPost, limit)
	found := readAhead(ctx, target, poststore.FirstPost, limit)
	c.months = map[time.Time]bool{}
	var want, got []poststore.StoredPost
	for done := int64(0); ; {
		var err error
		if len(want) == 0 {
			if want, err = wanted(); err != nil {
				return err
			}
		}
		if len(got) == 0 {
			if got, err = found(); err != nil {
				return err
			}
		}
		switch {
		case len(want) == 0 && len(got) == 0:
			return nil
		case len(want) == 0:
			return fmt.Errorf("it has post %+v, which the source does not have", got[0].Post.Key())
		case len(got) == 0:
			return fmt.Errorf("it lacks post %+v", want[0].Post.Key())
		}
		n := min(len(want), len(got))
		for i := range n {
			if err := comparePosts(&want[i], &got[i]); err != nil {
				return err
			}
			t := want[i].Post.Time.UTC()
			c.months[time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)] = true
		}
		want, got = want[n:], got[n:]
		done += int64(n)
		c.report("comparing posts", done, c.total)
	}
}

// comparePosts returns an error if two stored posts differ.
func comparePosts(want, got *poststore.StoredPost) error {
	key := want.Post.Key()
	if wantAt, gotAt := poststore.CursorOf(&want.Post), poststore.CursorOf(&got.Post); wantAt != gotAt {
		if wantAt.Compare(gotAt) < 0 {
			return fmt.Errorf("it lacks post %+v", key)
		}
		return fmt.Errorf("it has post %+v, which the source does not have", got.Post.Key())
	}
	switch {
	case !bytes.Equal(journal.AppendPost(nil, &want.Post), journal.AppendPost(nil, &got.Post)):
		return fmt.Errorf("post %+v has other contents", key)
	case want.Arrived != got.Arrived:
		return fmt.Errorf("post %+v is from position %d, want %d", key, got.Arrived, want.Arrived)
	case !slices.Equal(want.Sets, got.Sets):
		return fmt.Errorf("post %+v is in the sets %v, want %v", key, got.Sets, want.Sets)
	}
	return nil
}

// verifyState compares everything but the posts.
func (c *copier) verifyState(ctx context.Context, target poststore.Exporter) error {
	if err := compare(ctx, "position", c.Source, target, func(s poststore.Exporter) (string, error) {
		at, err := s.Position(ctx)
		return fmt.Sprint(at), err
	}); err != nil {
		return err
	}
	if err := compare(ctx, "generations", c.Source, target, func(s poststore.Exporter) (string, error) {
		generations, err := s.Generations(ctx)
		return fmt.Sprint(generations), err // maps are printed in the order of their keys
	}); err != nil {
		return err
	}
	if err := compare(ctx, "snapshots", c.Source, target, func(s poststore.Exporter) (string, error) {
		all, err := s.ExportSnapshots(ctx)
		return describeSnapshots(all), err
	}); err != nil {
		return err
	}
	ids, err := c.Source.SetIDs(ctx)
	if err != nil {
		return err
	}
	starts := slices.SortedFunc(maps.Keys(c.months), time.Time.Compare)
	starts = append(starts, endOfTime)
	ids = append(ids, 0) // all posts
	var mu sync.Mutex    // guards done and calls to Report
	done := int64(0)
	return parallel.For(ctx, len(ids), compareAtOnce, func(ctx context.Context, i int) error {
		err := compare(ctx, fmt.Sprintf("set %d", ids[i]), c.Source, target, func(s poststore.Exporter) (string, error) { return describeSet(ctx, s, ids[i], starts) })
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		c.report("comparing sets", done, int64(len(ids)))
		return nil
	})
}

// compareAtOnce is the number of sets that are compared at once.
const compareAtOnce = 4

// compare returns an error if two stores have different descriptions.
func compare(ctx context.Context, what string, source, target poststore.Exporter, describe func(poststore.Exporter) (string, error)) error {
	want, err := describe(source)
	if err != nil {
		return err
	}
	got, err := describe(target)
	if err != nil {
		return err
	}
	if got != want {
		const most = 500
		return fmt.Errorf("%s: got %s, want %s", what, got[:min(most, len(got))], want[:min(most, len(want))])
	}
	return ctx.Err()
}

func describeSnapshots(all map[earshot.MonitorID][]earshot.Snapshot) string {
	h, n := sha256.New(), 0
	for _, m := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(h, "%d %+v\n", m, all[m])
		n += len(all[m])
	}
	return fmt.Sprintf("%d snapshots of %d monitors, hash %x", n, len(all), h.Sum(nil)[:8])
}

// describeSet describes the number of posts of a set in intervals, and what else is known about it. The
// numbers come from a query, which does not use what ExportPosts reads.
func describeSet(ctx context.Context, s poststore.Exporter, id poststore.SetID, starts []time.Time) (string, error) {
	posts, err := s.Histogram(ctx, poststore.Selection{Set: id}, starts)
	if err != nil {
		return "", err
	}
	if id == 0 {
		return fmt.Sprintf("posts by month %v", posts), nil
	}
	set, err := s.ExportSet(ctx, id)
	if err != nil {
		return "", err
	}
	slices.SortFunc(set.Counters, func(a, b poststore.CounterChange) int {
		if c := a.Time.Compare(b.Time); c != 0 {
			return c
		}
		return a.Posted.Compare(b.Posted)
	})
	h := sha256.New()
	for _, c := range set.Counters {
		fmt.Fprintln(h, c.Time.Unix(), c.Posted.Unix(), c.Likes, c.Shares, c.Comments)
	}
	for _, c := range set.Changes {
		fmt.Fprintln(h, c.Posted.Unix(), c.Changed.UnixNano())
	}
	return fmt.Sprintf("posts by month %v, generation %d, %d changes, %d counters, hash %x", posts, set.Generation, len(set.Changes), len(set.Counters), h.Sum(nil)[:8]), nil
}
