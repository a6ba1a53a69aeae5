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

// Fingerprint implements poststore.Reader: it is the sum of the fingerprints that validate day
// results.
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

// dayFingerprints returns a fingerprint of the posts that a set has on each day, from starts[d]
// to before starts[d+1], and whether they are all on disk.
func (s *Store) dayFingerprints(ctx context.Context, v *view, set poststore.SetID, starts []time.Time) (fingerprints []segment.Fingerprint, durable []bool, err error) {
	ofSegments := make([][]segment.Fingerprint, len(v.segments))
	all := &poststore.Selection{From: starts[0], To: starts[len(starts)-1]}
	var missing []int // segments
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

// A prefix is the fingerprint of the posts that a set has in a segment before a time. The
// fingerprint of a day is the difference of two. So the days of all zones, and ranges of any
// length, are made of prefixes that are computed once.
type prefix struct {
	at     time.Time
	row    uint32 // the first that is not before
	before segment.Fingerprint
}

func (e prefix) compare(t time.Time) int { return e.at.Compare(t) }

// prefixes are those of a set in a segment, in the order of time. They are never changed.
type prefixes struct {
	deletedVersion uint64
	deleted        *roaring.Bitmap // as in the segment
	list           []prefix
}

// cachedFingerprints returns what fingerprintsBefore returns if it takes only prefixes that are
// cached, and nil otherwise.
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

// fingerprintsBefore returns the fingerprints of the posts that a set has in a segment before each
// of some times, which are in ascending order. It caches the prefixes that they take.
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

// fingerprints returns the fingerprint before each of some times, and the times at which there is no
// prefix yet. A time before or after all of the segment is as good as its first time or the one
// after its last.
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

// follow returns prefixes for the rows that are deleted now. It reads only the rows that make
// the difference.
func (s *Store) follow(p *segmentState, set poststore.SetID, known prefixes) (prefixes, error) {
	now := prefixes{p.deletedVersion, p.deleted, known.list}
	if known.deletedVersion == p.deletedVersion || len(known.list) == 0 {
		return now, nil
	}
	removed, err := s.fingerprintRows(p, set, known.list, difference(p.deleted, known.deleted))
	if err != nil {
		return prefixes{}, err
	}
	restored, err := s.fingerprintRows(p, set, known.list, difference(known.deleted, p.deleted)) // of a view that is older
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

// difference returns the rows of a set that another does not have; nil is for an empty set.
func difference(rows, others *roaring.Bitmap) *roaring.Bitmap {
	switch {
	case rows == nil:
		return roaring.New()
	case others == nil:
		return rows.Clone()
	}
	return roaring.AndNot(rows, others)
}

// fingerprintRows returns the fingerprints of those of some rows, deleted or not, that are in a
// set, between each prefix and the one before.
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

// addPrefixes returns more prefixes. It reads all rows from the prefix before the first new one up
// to the last new one.
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
	rows, err := s.liveRows(p, set)
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

// A prefixKey names which rows of which segment prefixes are of, whichever of them are deleted.
type prefixKey struct {
	segment, override uint64
	set               poststore.SetID
}

func prefixKeyOf(p *segmentState, set poststore.SetID) prefixKey {
	return prefixKey{segment: p.id, override: p.overrides[set], set: set}
}

// A prefixCache holds prefixes. When it is full, it is emptied: they are quick to compute.
type prefixCache struct {
	mu      sync.Mutex
	size    int                    // guarded by mu
	entries map[prefixKey]prefixes // guarded by mu
}

// maxPrefixes is how many prefixes are cached, about 50 bytes each; an entry of the map counts as
// some of them.
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
