package local

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/poststore/local/segment"
)

// A view is the store at a moment. It is never changed.
type view struct {
	parts    []*part // in the order of their first posts
	position earshot.Position

	// setGenerations changes for a category set whenever Rematch reassigns posts to it. It is
	// part of the cache key of counts by sets: fingerprints of posts say nothing about them.
	setGenerations map[poststore.SetID]uint64
}

// A part is a file of posts and what changed since it was written. It is never changed:
// a change makes a new part with the same id.
type part struct {
	id    uint64
	file  *segment.Segment
	fresh bool // in memory, and unknown to Pebble
	plain bool // not compressed yet
	rows  int
	first time.Time // no post is older
	last  time.Time // none is newer

	touched time.Time // when it was written, rows went or monitors changed, whichever came last

	gone  *roaring.Bitmap            // rows deleted or replaced; nil: none
	marks map[poststore.SetID]uint64 // monitors whose rows are kept in Pebble, and under which id
	// goneID is another whenever gone is another, so that what was made of rows can be kept.
	goneID uint64
}

// live returns how many posts the part has.
func (p *part) live() int64 {
	if p.gone == nil {
		return int64(p.rows)
	}
	return int64(p.rows) - int64(p.gone.GetCardinality())
}

func (p *part) isGone(row uint32) bool { return p.gone != nil && p.gone.Contains(row) }

// mayHold reports whether a post of p can be in the time that a selection is about.
func (p *part) mayHold(of *poststore.Selection) bool {
	return (of.To.IsZero() || p.first.Before(of.To)) && (of.From.IsZero() || !p.last.Before(of.From)) &&
		(of.FromPost == nil || !p.first.After(of.FromPost.Time))
}

// without returns the part with more rows gone.
func (s *Store) without(p *part, rows *roaring.Bitmap) *part {
	if rows.IsEmpty() {
		return p
	}
	c := *p
	c.gone = rows
	if p.gone != nil {
		c.gone = roaring.Or(p.gone, rows)
	}
	c.goneID = s.newID()
	return &c
}

// find returns the part with that id, nil when the view has none.
func (v *view) find(id uint64) *part {
	for _, p := range v.parts {
		if p.id == id {
			return p
		}
	}
	return nil
}

// publish makes other parts the current view. The caller holds s.mu.
func (s *Store) publish(parts []*part, at earshot.Position) {
	s.publishSets(parts, at, s.current.Load().setGenerations)
}

// publishSets is publish for those who reassign category sets.
func (s *Store) publishSets(parts []*part, at earshot.Position, generations map[poststore.SetID]uint64) {
	slices.SortStableFunc(parts, func(a, b *part) int { return a.first.Compare(b.first) })
	s.current.Store(&view{parts, at, generations})
}

// acquire returns the current view with its files retained until release.
func (s *Store) acquire() (*view, error) {
	for {
		v := s.current.Load()
		if v.retain() {
			return v, nil
		}
		if s.closed.Load() {
			return nil, ErrClosed
		}
		// A file was given up since, so there is a newer view.
	}
}

func (v *view) retain() bool {
	for i, p := range v.parts {
		if !p.file.Retain() {
			(&view{parts: v.parts[:i]}).release()
			return false
		}
	}
	return true
}

func (v *view) release() {
	for _, p := range v.parts {
		p.file.Release()
	}
}

// damage says that a part cannot be read.
type damage struct {
	part *part
	err  error
}

func (d *damage) Error() string { return d.err.Error() }
func (d *damage) Unwrap() error { return d.err }

// reading calls f, which reads the file of p. What is wrong with the file becomes a
// *damage, also when the disk fails under a page of it, which would end the process.
func reading(p *part, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		fault, ok := r.(interface {
			error
			Addr() uintptr
		})
		if !ok {
			panic(r)
		}
		err = &damage{p, fmt.Errorf("%s cannot be read: %w", p.file.Path(), fault)}
	}()
	err = f()
	var corrupt *colfile.CorruptError
	if errors.As(err, &corrupt) || errors.Is(err, colfile.ErrNoSection) {
		return &damage{p, err}
	}
	return err
}
