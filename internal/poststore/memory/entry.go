package memory

import (
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// An entry is a stored post.
type entry struct {
	post    earshot.Post
	sets    []poststore.SetID
	arrived earshot.Position // position of its journal entry
	at      int              // index in its bucket

	corrected poststore.Correction // zero in stored entries; see correct
}

// in reports whether the post is in a set.
func (e *entry) in(id poststore.SetID) bool {
	return e.corrected.Has(id, slices.Contains(e.sets, id))
}

// correct returns the entry, or a copy with the post's correction.
func (e *entry) correct(all *poststore.Corrections) *entry {
	c := all.Of(e.post.Key())
	if c == (poststore.Correction{}) {
		return e
	}
	copied := *e
	copied.corrected = c
	c.Apply(&copied.post)
	return &copied
}

// A bucket contains the posts of one UTC day, in no particular order.
type bucket []*entry

// put adds e, replacing the post with the same key.
func (s *Store) put(e *entry) {
	key := e.post.Key()
	if old, ok := s.posts[key]; ok {
		s.remove(old)
	}
	s.posts[key] = e
	day := dayOf(e.post.Time)
	e.at = len(s.days[day])
	s.days[day] = append(s.days[day], e)
}

// remove removes e. The last post of its bucket takes its place there.
func (s *Store) remove(e *entry) {
	s.markChanged(e, e.sets...)
	delete(s.posts, e.post.Key())
	day := dayOf(e.post.Time)
	b := s.days[day]
	end := len(b) - 1
	last := b[end]
	b[e.at], last.at = last, e.at
	b[end] = nil // release memory
	if end == 0 {
		delete(s.days, day)
		return
	}
	s.days[day] = b[:end]
}

// scanStep is the number of posts examined between two checks for cancellation.
const scanStep = 64

// scan yields the selected posts by day, newest day first, in no particular order within a day. If
// ctx is done, it yields the error and stops. The caller holds s.mu.
func (s *Store) scan(ctx context.Context, of *poststore.Selection) iter.Seq2[*entry, error] {
	return func(yield func(*entry, error) bool) {
		var doc query.Document
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		for _, day := range s.daysOf(of) {
			for i, e := range s.days[day] {
				if i%scanStep == 0 && ctx.Err() != nil {
					yield(nil, ctx.Err())
					return
				}
				if e = e.correct(of.Corrections); selects(of, e, &doc) && !yield(e, nil) {
					return
				}
			}
		}
	}
}

// daysOf returns the days that may contain selected posts, newest first.
func (s *Store) daysOf(of *poststore.Selection) []int64 {
	days := slices.Sorted(maps.Keys(s.days))
	slices.Reverse(days)
	return slices.DeleteFunc(days, func(day int64) bool {
		return !of.From.IsZero() && day < dayOf(of.From) || !of.To.IsZero() && day > dayOf(of.To)
	})
}

// selects reports whether a selection picks a post.
func selects(of *poststore.Selection, e *entry, doc *query.Document) bool {
	return enginekit.Selects(of, &enginekit.StoredPost{Post: &e.post, In: e.in, Arrived: e.arrived}, doc)
}

func sameDay(a, b *entry) bool { return dayOf(a.post.Time) == dayOf(b.post.Time) }

// dayOf returns the UTC day of t as a number of days since 1970.
func dayOf(t time.Time) int64 {
	const day = 24 * 60 * 60
	seconds := t.Unix()
	return (seconds - ((seconds%day)+day)%day) / day
}
