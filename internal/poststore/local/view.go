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
	segments []*segmentState // in the order of their first posts
	position earshot.Position

	// setGenerations changes for a category set whenever Rematch reassigns posts to it. It is
	// part of the cache key of counts by sets: fingerprints of posts say nothing about them.
	setGenerations map[poststore.SetID]uint64
}

// A segmentState is a file of posts and what changed since it was written. It is never changed:
// a change makes a new part with the same id.
type segmentState struct {
	id           uint64
	data         *segment.Segment
	inMemory     bool // in memory, and unknown to Pebble
	uncompressed bool // not compressed yet
	rows         int
	first        time.Time // no post is older
	last         time.Time // none is newer

	modified time.Time // when it was written, rows went or monitors changed, whichever came last

	deleted   *roaring.Bitmap            // rows deleted or replaced; nil: none
	overrides map[poststore.SetID]uint64 // monitors whose rows are kept in Pebble, and under which id
	// deletedVersion is another whenever gone is another, so that what was made of rows can be kept.
	deletedVersion uint64
}

// live returns how many posts the part has.
func (p *segmentState) live() int64 {
	if p.deleted == nil {
		return int64(p.rows)
	}
	return int64(p.rows) - int64(p.deleted.GetCardinality())
}

func (p *segmentState) isDeleted(row uint32) bool { return p.deleted != nil && p.deleted.Contains(row) }

// overlaps reports whether a post of p can be in the time that a selection is about.
func (p *segmentState) overlaps(of *poststore.Selection) bool {
	return (of.To.IsZero() || p.first.Before(of.To)) && (of.From.IsZero() || !p.last.Before(of.From)) &&
		(of.FromPost == nil || !p.first.After(of.FromPost.Time))
}

// withDeleted returns the part with more rows gone.
func (s *Store) withDeleted(p *segmentState, rows *roaring.Bitmap) *segmentState {
	if rows.IsEmpty() {
		return p
	}
	c := *p
	c.deleted = rows
	if p.deleted != nil {
		c.deleted = roaring.Or(p.deleted, rows)
	}
	c.deletedVersion = s.newID()
	return &c
}

// find returns the part with that id, nil when the view has none.
func (v *view) find(id uint64) *segmentState {
	for _, p := range v.segments {
		if p.id == id {
			return p
		}
	}
	return nil
}

// publish makes other parts the current view. The caller holds s.mu.
func (s *Store) publish(parts []*segmentState, at earshot.Position) {
	s.publishSets(parts, at, s.current.Load().setGenerations)
}

// publishSets is publish for those who reassign category sets.
func (s *Store) publishSets(parts []*segmentState, at earshot.Position, generations map[poststore.SetID]uint64) {
	slices.SortStableFunc(parts, func(a, b *segmentState) int { return a.first.Compare(b.first) })
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
	for i, p := range v.segments {
		if !p.data.Retain() {
			(&view{segments: v.segments[:i]}).release()
			return false
		}
	}
	return true
}

func (v *view) release() {
	for _, p := range v.segments {
		p.data.Release()
	}
}

// damageError says that a part cannot be read.
type damageError struct {
	segment *segmentState
	err     error
}

func (d *damageError) Error() string { return d.err.Error() }
func (d *damageError) Unwrap() error { return d.err }

// reading calls f, which reads the file of p. What is wrong with the file becomes a
// *damage, also when the disk fails under a page of it, which would end the process.
func reading(p *segmentState, f func() error) (err error) {
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
		err = &damageError{p, fmt.Errorf("%s cannot be read: %w", p.data.Path(), fault)}
	}()
	err = f()
	var corrupt *colfile.CorruptError
	if errors.As(err, &corrupt) || errors.Is(err, colfile.ErrNoSection) {
		return &damageError{p, err}
	}
	return err
}
