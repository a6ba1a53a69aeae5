package local

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// A view is an immutable state of the store. Every change creates a new view.
type view struct {
	segments []*segmentState // sorted by the time of their first post
	position earshot.Position

	// setGenerations holds, for each category set, a number that changes whenever Rematch reassigns
	// posts to the set. It is part of the cache key of counts by set because fingerprints of posts
	// do not cover category sets.
	setGenerations map[poststore.SetID]uint64
}

// find returns the segment with the given id, or nil.
func (v *view) find(id uint64) *segmentState {
	for _, p := range v.segments {
		if p.id == id {
			return p
		}
	}
	return nil
}

// publish makes a view of the given segments current. The caller holds s.mu.
func (s *Store) publish(segments []*segmentState, at earshot.Position) {
	s.publishSets(segments, at, s.current.Load().setGenerations)
}

// publishSets is publish with new generations of category sets.
func (s *Store) publishSets(segments []*segmentState, at earshot.Position, generations map[poststore.SetID]uint64) {
	slices.SortStableFunc(segments, func(a, b *segmentState) int { return a.first.Compare(b.first) })
	s.current.Store(&view{segments, at, generations})
}

// acquire returns the current view and retains its segments until release.
func (s *Store) acquire() (*view, error) {
	for {
		v := s.current.Load()
		if v.retain() {
			return v, nil
		}
		if s.closed.Load() {
			return nil, ErrClosed
		}
		// A segment was discarded in the meantime, so there is a newer view.
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

// A damageError reports that a segment cannot be read.
type damageError struct {
	segment *segmentState
	err     error
}

func (d *damageError) Error() string { return d.err.Error() }
func (d *damageError) Unwrap() error { return d.err }

// reading calls f, which reads a segment, and turns damage to the segment's file into a
// *damageError. This includes I/O errors on a mapped page, which would otherwise crash the process.
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
		err = &damageError{p, fmt.Errorf("segment %s cannot be read: %w", p.data.Path(), fault)}
	}()
	err = f()
	var corrupt *colfile.CorruptError
	if errors.As(err, &corrupt) || errors.Is(err, colfile.ErrNoSection) {
		return &damageError{p, err}
	}
	return err
}
