package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// A year is a store with the posts of one year.
type year struct {
	*session
	store store
	zone  *time.Location
	end   time.Time
	peak  int64 // peak memory in bytes
}

func (y *year) measure(ctx context.Context, filter Query, guids []string) (f MetricsResult, err error) {
	stats, err := y.store.Stats(ctx)
	if err != nil {
		return f, err
	}
	f.Segments = stats.Segments
	if f.Matched, err = y.matched(ctx, y.store); err != nil {
		return f, err
	}
	for _, m := range metrics {
		y.logf("querying: %s", m.name)
		times, err := y.metric(ctx, m)
		if err != nil {
			return f, err
		}
		f.Metrics = append(f.Metrics, times)
	}
	if f.Newest, err = y.newest(ctx, filter); err != nil {
		return f, err
	}
	f.Deletion, err = y.delete(ctx, guids)
	y.peak = max(y.peak, Resident())
	f.ResidentMB = megabytes(y.peak)
	return f, err
}

// selection selects the posts of the monitor in the year. It starts and ends at a day boundary of
// the time zone.
func (y *year) selection() poststore.Selection {
	first := time.Date(firstDay.Year(), firstDay.Month(), firstDay.Day()-1, 0, 0, 0, 0, y.zone)
	last := time.Date(y.end.Year(), y.end.Month(), y.end.Day()+1, 0, 0, 0, 0, y.zone)
	return poststore.Selection{Set: testMonitor, From: first, To: last}
}

func (y *year) matched(ctx context.Context, st store) (int64, error) {
	rows, err := poststore.TallyOne(ctx, st, y.selection(), poststore.Tally{})
	if err != nil {
		return 0, err
	}
	return rows[0].Posts, nil
}

// fresh calls do with a copy of the store that has not served any queries.
func (y *year) fresh(ctx context.Context, do func(store) error) error {
	dir := filepath.Join(y.dir, "fresh")
	if err := os.RemoveAll(dir); err != nil { // left by an interrupted run
		return err
	}
	defer os.RemoveAll(dir)
	if err := y.store.Checkpoint(ctx, dir); err != nil {
		return err
	}
	st, err := y.open(ctx, dir)
	if err != nil {
		return err
	}
	err = do(st)
	y.peak = max(y.peak, Resident())
	return errors.Join(err, st.Close())
}

func (y *year) metric(ctx context.Context, m metric) (t MetricTimes, err error) {
	tally := poststore.Tally{By: m.by, Sum: m.sum, Zone: y.zone}
	err = y.fresh(ctx, func(st store) error {
		cold, warm, err := y.coldAndWarm(func() error {
			rows, err := poststore.TallyOne(ctx, st, y.selection(), tally)
			t.Rows, t.Posts = len(rows), 0
			for _, row := range rows {
				t.Posts += row.Posts
			}
			return err
		})
		if err != nil {
			return err
		}
		t.Metric, t.Cold = m.name, Milliseconds(cold)
		t.P50, t.P95 = Milliseconds(warm.Quantile(0.5)), Milliseconds(warm.Quantile(0.95))
		return nil
	})
	return t, err
}

func (y *year) coldAndWarm(run func() error) (time.Duration, Times, error) {
	cold, err := once(run)
	if err != nil {
		return 0, nil, err
	}
	warm, err := Repeat(y.runs, run)
	return cold, warm, err
}

// newest queries the newest posts of the monitor that match a filter.
func (y *year) newest(ctx context.Context, q Query) (t PostsTimes, err error) {
	y.logf("querying: newest posts")
	of := y.selection()
	if of.Where, err = q.Condition(); err != nil {
		return t, err
	}
	err = y.fresh(ctx, func(st store) error {
		cold, warm, err := y.coldAndWarm(func() error {
			posts, matched, err := st.Posts(ctx, of, newestPosts)
			t.Posts, t.Matched = len(posts), matched
			return err
		})
		if err != nil {
			return err
		}
		t.Query, t.Cold = q.Keywords(), Milliseconds(cold)
		t.P50, t.P95 = Milliseconds(warm.Quantile(0.5)), Milliseconds(warm.Quantile(0.95))
		return nil
	})
	return t, err
}

// delete deletes documents from a copy of the store and counts the remaining posts.
func (y *year) delete(ctx context.Context, guids []string) (t DeletionTimes, err error) {
	y.logf("deleting %d documents", len(guids))
	err = y.fresh(ctx, func(st store) error {
		before, err := y.matched(ctx, st)
		if err != nil {
			return err
		}
		t, err = y.deleteFrom(ctx, st, guids)
		if err != nil {
			return err
		}
		after, err := y.matched(ctx, st)
		t.Gone = before - after
		return err
	})
	return t, err
}

func (y *year) deleteFrom(ctx context.Context, st store, guids []string) (DeletionTimes, error) {
	at, err := st.Position(ctx)
	if err != nil {
		return DeletionTimes{}, err
	}
	steps := []func() error{
		func() error {
			return st.Delete(ctx, at+1, earshot.Deletion{ContentSource: CustomSource, GUIDs: guids})
		},
		func() error { return st.Flush(ctx) },
		func() error {
			_, err := poststore.TallyOne(ctx, st, y.selection(), poststore.Tally{By: []poststore.Dim{poststore.ByDay}, Zone: y.zone})
			return err
		},
	}
	var took [3]float64
	for i, step := range steps {
		d, err := once(step)
		if err != nil {
			return DeletionTimes{}, err
		}
		took[i] = Milliseconds(d)
	}
	return DeletionTimes{Documents: len(guids), DeleteMS: took[0], FlushMS: took[1], RecountMS: took[2]}, nil
}
