package local

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// Fingerprint implements [poststore.Reader]. It uses the same fingerprints that validate the day
// cache.
func (s *Store) Fingerprint(ctx context.Context, set poststore.SetID, from, to time.Time) (fingerprint poststore.Fingerprint, err error) {
	err = s.query(ctx, func(v *view) error {
		fingerprints, _, err := s.dayFingerprints(ctx, v, set, []time.Time{from, to})
		if err == nil {
			binary.BigEndian.PutUint64(fingerprint[:8], fingerprints[0][0])
			binary.BigEndian.PutUint64(fingerprint[8:], fingerprints[0][1])
		}
		return err
	})
	return fingerprint, err
}

// dayFingerprints returns, for each day [starts[d], starts[d+1]), the fingerprint of the posts that
// a set contains, and whether all of them are on disk.
func (s *Store) dayFingerprints(ctx context.Context, v *view, set poststore.SetID, starts []time.Time) (fingerprints []segment.Fingerprint, durable []bool, err error) {
	ofSegments := make([][]segment.Fingerprint, len(v.segments))
	all := &poststore.Selection{From: starts[0], To: starts[len(starts)-1]}
	var missing []int // indexes of segments without cached prefixes
	for i, p := range v.segments {
		if !p.overlaps(all) {
			continue
		}
		if ofSegments[i] = s.cachedFingerprints(p, set, starts); ofSegments[i] == nil {
			missing = append(missing, i)
		}
	}
	err = parallel.For(ctx, len(missing), 0, func(_ context.Context, n int) (err error) {
		i := missing[n]
		ofSegments[i], err = s.fingerprintsBefore(v.segments[i], set, starts)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	fingerprints, durable = make([]segment.Fingerprint, len(starts)-1), make([]bool, len(starts)-1)
	for day := range durable {
		durable[day] = true
	}
	for i, before := range ofSegments {
		for day := range max(len(before)-1, 0) {
			if ofDay := before[day+1].Sub(before[day]); ofDay != (segment.Fingerprint{}) {
				fingerprints[day] = fingerprints[day].Add(ofDay)
				durable[day] = durable[day] && !v.segments[i].inMemory
			}
		}
	}
	return fingerprints, durable, nil
}

// A prefix is the fingerprint of a set's posts in a segment before a time. The fingerprint of a day
// is the difference between two prefixes. Days in all time zones, and ranges of any length, can
// therefore share prefixes that are computed once.
type prefix struct {
	at     time.Time
	row    uint32 // first row at or after the time
	before segment.Fingerprint
}

func (e prefix) compare(t time.Time) int { return e.at.Compare(t) }

// prefixes are the prefixes of a set in a segment, in chronological order. They are immutable.
type prefixes struct {
	deletedVersion uint64
	deleted        *roaring.Bitmap // the segment's deleted rows at this version
	list           []prefix
}

// cachedFingerprints returns the result of fingerprintsBefore if it can be computed from cached
// prefixes alone, and nil otherwise.
func (s *Store) cachedFingerprints(p *segmentState, set poststore.SetID, times []time.Time) []segment.Fingerprint {
	cached := s.fingerprints.get(prefixKeyOf(p, set))
	if cached.deletedVersion != p.deletedVersion {
		return nil
	}
	fingerprints, missing := cached.fingerprints(p, times)
	if len(missing) > 0 {
		return nil
	}
	return fingerprints
}

// fingerprintsBefore returns the fingerprints of a set's posts in a segment before each of the
// given times, which must be ascending. It caches the prefixes it computes.
func (s *Store) fingerprintsBefore(p *segmentState, set poststore.SetID, times []time.Time) ([]segment.Fingerprint, error) {
	cached := s.fingerprints.get(prefixKeyOf(p, set))
	_, missing := cached.fingerprints(p, times)
	err := reading(p, func() (err error) {
		if cached, err = s.follow(p, set, cached); err == nil && len(missing) > 0 {
			cached, err = s.addPrefixes(p, set, cached, missing)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.fingerprints.put(prefixKeyOf(p, set), cached)
	fingerprints, _ := cached.fingerprints(p, times)
	return fingerprints, nil
}

// fingerprints returns the fingerprint before each of the given times, and the times without a
// prefix. Times outside the segment are clamped to its first time and the time right after its
// last.
func (e *prefixes) fingerprints(p *segmentState, times []time.Time) (fingerprints []segment.Fingerprint, missing []time.Time) {
	fingerprints = make([]segment.Fingerprint, len(times))
	end := p.last.Add(1)
	next := 0
	for i, at := range times {
		switch {
		case at.Before(p.first):
			at = p.first
		case at.After(end):
			at = end
		}
		for next < len(e.list) && e.list[next].compare(at) < 0 {
			next++
		}
		switch {
		case next < len(e.list) && e.list[next].at.Equal(at):
			fingerprints[i] = e.list[next].before
		case len(missing) == 0 || missing[len(missing)-1].Before(at):
			missing = append(missing, at)
		}
	}
	return fingerprints, missing
}

// follow updates prefixes to the rows that are deleted now. It reads only rows whose state has
// changed.
func (s *Store) follow(p *segmentState, set poststore.SetID, known prefixes) (prefixes, error) {
	now := prefixes{p.deletedVersion, p.deleted, known.list}
	if known.deletedVersion == p.deletedVersion || len(known.list) == 0 {
		return now, nil
	}
	removed, err := s.fingerprintRows(p, set, known.list, difference(p.deleted, known.deleted))
	if err != nil {
		return prefixes{}, err
	}
	restored, err := s.fingerprintRows(p, set, known.list, difference(known.deleted, p.deleted)) // if p is from an older view
	if err != nil {
		return prefixes{}, err
	}
	now.list = slices.Clone(known.list)
	var change segment.Fingerprint
	for i := range now.list {
		change = change.Add(restored[i]).Sub(removed[i])
		now.list[i].before = now.list[i].before.Add(change)
	}
	return now, nil
}

// difference returns the rows that are not in others. A nil bitmap is empty.
func difference(rows, others *roaring.Bitmap) *roaring.Bitmap {
	switch {
	case rows == nil:
		return roaring.New()
	case others == nil:
		return rows.Clone()
	}
	return roaring.AndNot(rows, others)
}

// fingerprintRows returns, for each prefix, the fingerprint of those of the given rows, deleted or
// not, that are in the set and lie between the previous prefix and this one.
func (s *Store) fingerprintRows(p *segmentState, set poststore.SetID, list []prefix, rows *roaring.Bitmap) ([]segment.Fingerprint, error) {
	if set != 0 && !rows.IsEmpty() {
		marked, err := s.setRows(p, set)
		if err != nil {
			return nil, err
		}
		rows.And(marked)
	}
	at := []uint32{0}
	for _, e := range list {
		at = append(at, e.row)
	}
	return p.data.Fingerprints(rows, at)
}

// addPrefixes adds prefixes at the given times. It reads all rows from the last known prefix before
// the first new one up to the last new one.
func (s *Store) addPrefixes(p *segmentState, set poststore.SetID, known prefixes, times []time.Time) (prefixes, error) {
	place, _ := slices.BinarySearchFunc(known.list, times[0], prefix.compare)
	var from prefix
	if place > 0 {
		from = known.list[place-1]
	}
	added := make([]prefix, len(times))
	at := []uint32{from.row}
	for i, t := range times {
		row, err := p.data.RowsBefore(t)
		if err != nil {
			return prefixes{}, err
		}
		added[i] = prefix{at: t, row: row}
		at = append(at, row)
	}
	rows, err := s.liveRows(p, set, nil)
	if err != nil {
		return prefixes{}, err
	}
	fingerprints, err := p.data.Fingerprints(rowRange(rows, from.row, at[len(times)]), at)
	if err != nil {
		return prefixes{}, err
	}
	before := from.before
	for i := range added {
		before = before.Add(fingerprints[i])
		added[i].before = before
	}
	all := slices.Concat(known.list, added)
	slices.SortFunc(all, func(a, b prefix) int { return a.compare(b.at) })
	return prefixes{known.deletedVersion, known.deleted, all}, nil
}

// A prefixKey identifies the rows that prefixes cover, regardless of which of them are deleted.
type prefixKey struct {
	segment, override uint64
	set               poststore.SetID
}

func prefixKeyOf(p *segmentState, set poststore.SetID) prefixKey {
	return prefixKey{segment: p.id, override: p.overrides[set], set: set}
}

// A prefixCache caches prefixes. It is cleared when it is full because prefixes are quick to
// compute.
type prefixCache struct {
	mu      sync.Mutex
	size    int                    // guarded by mu
	entries map[prefixKey]prefixes // guarded by mu
}

// maxPrefixes is the maximum number of cached prefixes, about 50 bytes each (20 MB). Each map entry
// counts as entryPrefixes prefixes.
const (
	maxPrefixes   = 400_000
	entryPrefixes = 5
)

func newPrefixCache() *prefixCache { return &prefixCache{entries: map[prefixKey]prefixes{}} }

func (c *prefixCache) get(name prefixKey) prefixes {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[name]
}

func (c *prefixCache) put(name prefixKey, now prefixes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, known := c.entries[name]; known {
		c.size -= len(before.list) + entryPrefixes
	}
	if c.size += len(now.list) + entryPrefixes; c.size > maxPrefixes {
		clear(c.entries)
		c.size = len(now.list) + entryPrefixes
	}
	c.entries[name] = now
}
