package correction

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// A Store is what a [Reader] reads from.
type Store interface {
	poststore.Reader
	Position(ctx context.Context) (earshot.Position, error)
}

// A Reader is a post store whose queries about the posts of a monitor, or of one of its filters, see
// the monitor's corrections. [poststore.Reader.Find] and queries about the posts of several monitors
// do not.
type Reader struct {
	Store
	Corrections *Service
}

// correct adds the corrections to a selection.
func (r *Reader) correct(of poststore.Selection) poststore.Selection {
	of.Corrections = r.of(&of)
	return of
}

// of returns the corrections that apply to a selection, or nil.
func (r *Reader) of(of *poststore.Selection) *poststore.Corrections {
	if r.Corrections.isEmpty() {
		return nil
	}
	sets := []poststore.SetID{of.Set}
	if of.Set == 0 {
		sets = of.Categories.Sets // perhaps those of monitors
	}
	var common *earshot.Monitor
	for _, set := range sets {
		id, ok := set.Owner()
		if !ok || set == 0 {
			return nil
		}
		m, ok := r.Corrections.Catalog.FindMonitor(id)
		if !ok || common != nil && common.ID != m.ID {
			return nil
		}
		common = m
	}
	if common == nil {
		return nil
	}
	return r.Corrections.of(common)
}

// Posts implements [poststore.Reader].
func (r *Reader) Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	return r.Store.Posts(ctx, r.correct(of), limit)
}

// Rank implements [poststore.Reader].
func (r *Reader) Rank(ctx context.Context, of poststore.Selection, by poststore.Ranking) (poststore.Ranked, error) {
	return r.Store.Rank(ctx, r.correct(of), by)
}

// Tallies implements [poststore.Reader].
func (r *Reader) Tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	return r.Store.Tallies(ctx, r.correct(of), ts)
}

// Days implements [poststore.Reader].
func (r *Reader) Days(ctx context.Context, of poststore.Selection, starts []time.Time, ts []poststore.Tally) ([][][]poststore.Row, error) {
	return r.Store.Days(ctx, r.correct(of), starts, ts)
}

// Histogram implements [poststore.Reader].
func (r *Reader) Histogram(ctx context.Context, of poststore.Selection, starts []time.Time) ([]int64, error) {
	return r.Store.Histogram(ctx, r.correct(of), starts)
}

// Words implements [poststore.Reader].
func (r *Reader) Words(ctx context.Context, of poststore.Selection, sample int, visit func([]poststore.Word)) (int64, error) {
	return r.Store.Words(ctx, r.correct(of), sample, visit)
}

// Sample implements [poststore.Reader].
func (r *Reader) Sample(ctx context.Context, of poststore.Selection, sample int, visit func(*earshot.Post)) (int64, error) {
	return r.Store.Sample(ctx, r.correct(of), sample, visit)
}

// Fingerprint implements [poststore.Reader]. It covers all corrections of the monitor.
func (r *Reader) Fingerprint(ctx context.Context, set poststore.SetID, from, to time.Time) (poststore.Fingerprint, error) {
	posts, err := r.Store.Fingerprint(ctx, set, from, to)
	c := r.of(&poststore.Selection{Set: set})
	if err != nil || c == nil {
		return posts, err
	}
	corrections := c.Fingerprint()
	sum := sha256.Sum256(append(posts[:], corrections[:]...))
	return poststore.Fingerprint(sum[:len(posts)]), nil
}

// Changed implements [poststore.Reader]. Correcting a post changes its day.
func (r *Reader) Changed(ctx context.Context, set poststore.SetID, starts []time.Time) ([]time.Time, error) {
	changed, err := r.Store.Changed(ctx, set, starts)
	if err != nil || r.Corrections.isEmpty() {
		return changed, err
	}
	id, _ := set.Owner()
	m, ok := r.Corrections.Catalog.FindMonitor(id)
	if !ok {
		return changed, nil
	}
	for _, c := range r.Corrections.list(m.ID) {
		day, found := slices.BinarySearchFunc(starts, c.Posted, time.Time.Compare)
		if !found {
			day--
		}
		// A filter may not have the post, and then has no change either.
		if day >= 0 && day < len(changed) && !changed[day].IsZero() && c.Time.After(changed[day]) {
			changed[day] = c.Time
		}
	}
	return changed, nil
}
