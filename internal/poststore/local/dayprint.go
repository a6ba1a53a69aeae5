package local

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// dayPrints returns a fingerprint of the posts that a monitor has of each day, from
// starts[d] to before starts[d+1], and whether they are all on disk.
func (s *Store) dayPrints(ctx context.Context, v *view, m poststore.SetID, starts []time.Time) (prints []segment.Fingerprint, settled []bool, err error) {
	ofParts := make([][]segment.Fingerprint, len(v.segments))
	all := &poststore.Selection{From: starts[0], To: starts[len(starts)-1]}
	err = parallel(ctx, len(v.segments), func(i int) (err error) {
		if p := v.segments[i]; p.overlaps(all) {
			ofParts[i], err = s.printsBefore(p, m, starts)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	prints, settled = make([]segment.Fingerprint, len(starts)-1), make([]bool, len(starts)-1)
	for day := range settled {
		settled[day] = true
	}
	for i, before := range ofParts {
		for day := range max(len(before)-1, 0) {
			if ofDay := before[day+1].Sub(before[day]); ofDay != (segment.Fingerprint{}) {
				prints[day] = prints[day].Add(ofDay)
				settled[day] = settled[day] && !v.segments[i].inMemory
			}
		}
	}
	return prints, settled, nil
}

// An edge is a moment in the time of a part, and the fingerprint of what a monitor has there
// before it. A day is the difference of two. So the days of all zones, and stretches of any
// length, are made of edges that are computed once.
type edge struct {
	at     time.Time
	row    uint32 // the first that is not before
	before segment.Fingerprint
}

func (e edge) compare(t time.Time) int { return e.at.Compare(t) }

// edges are those of a monitor in a part, in the order of time. They are never changed.
type edges struct {
	goneID uint64
	gone   *roaring.Bitmap // the rows that were gone, as in the part
	list   []edge
}

// printsBefore returns the fingerprints of what a monitor has in a part before each of some
// moments, which do not descend.
func (s *Store) printsBefore(p *segmentState, m poststore.SetID, moments []time.Time) ([]segment.Fingerprint, error) {
	name := printName{part: p.id, marks: p.overrides[m], monitor: m}
	known := s.fingerprints.get(name)
	prints, missing := known.prints(p, moments)
	if known.goneID == p.deletedVersion && len(missing) == 0 {
		return prints, nil
	}
	err := reading(p, func() (err error) {
		if known, err = s.follow(p, m, known); err == nil && len(missing) > 0 {
			known, err = s.addEdges(p, m, known, missing)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.fingerprints.put(name, known)
	prints, _ = known.prints(p, moments)
	return prints, nil
}

// prints returns the fingerprint before each of some moments, and the moments at which
// there is no edge yet. What is before or after the whole part is as good as its first
// moment or the one after its last.
func (e *edges) prints(p *segmentState, moments []time.Time) (prints []segment.Fingerprint, missing []time.Time) {
	prints = make([]segment.Fingerprint, len(moments))
	end := p.last.Add(1)
	next := 0
	for i, at := range moments {
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
			prints[i] = e.list[next].before
		case len(missing) == 0 || missing[len(missing)-1].Before(at):
			missing = append(missing, at)
		}
	}
	return prints, missing
}

// follow returns edges for the rows that are gone now: only those that make the difference
// are looked at.
func (s *Store) follow(p *segmentState, m poststore.SetID, known edges) (edges, error) {
	now := edges{p.deletedVersion, p.deleted, known.list}
	if known.goneID == p.deletedVersion || len(known.list) == 0 {
		return now, nil
	}
	lost, err := s.printRows(p, m, known.list, difference(p.deleted, known.gone))
	if err != nil {
		return edges{}, err
	}
	back, err := s.printRows(p, m, known.list, difference(known.gone, p.deleted)) // of a view that is older
	if err != nil {
		return edges{}, err
	}
	now.list = slices.Clone(known.list)
	var change segment.Fingerprint
	for i := range now.list {
		change = change.Add(back[i]).Sub(lost[i])
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

// printRows returns the fingerprints of those of some rows, gone or not, that are a monitor's,
// between each edge and the one before.
func (s *Store) printRows(p *segmentState, m poststore.SetID, list []edge, rows *roaring.Bitmap) ([]segment.Fingerprint, error) {
	if m != 0 && !rows.IsEmpty() {
		marked, err := s.setRows(p, m)
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

// addEdges returns more edges: all rows from the edge before the first new one up to the last
// new one are looked at.
func (s *Store) addEdges(p *segmentState, m poststore.SetID, known edges, moments []time.Time) (edges, error) {
	place, _ := slices.BinarySearchFunc(known.list, moments[0], edge.compare)
	var from edge
	if place > 0 {
		from = known.list[place-1]
	}
	added := make([]edge, len(moments))
	at := []uint32{from.row}
	for i, t := range moments {
		row, err := p.data.RowsBefore(t)
		if err != nil {
			return edges{}, err
		}
		added[i] = edge{at: t, row: row}
		at = append(at, row)
	}
	rows, err := s.liveRows(p, m)
	if err != nil {
		return edges{}, err
	}
	prints, err := p.data.Fingerprints(rowRange(rows, from.row, at[len(moments)]), at)
	if err != nil {
		return edges{}, err
	}
	before := from.before
	for i := range added {
		before = before.Add(prints[i])
		added[i].before = before
	}
	all := slices.Concat(known.list, added)
	slices.SortFunc(all, func(a, b edge) int { return a.compare(b.at) })
	return edges{known.goneID, known.gone, all}, nil
}

// A printName names which rows of which part edges are of, whichever of them are gone.
type printName struct {
	part, marks uint64
	monitor     poststore.SetID
}

// A printCache keeps edges. When it is full, it is emptied: they are quick to compute.
type printCache struct {
	mu   sync.Mutex
	size int
	kept map[printName]edges
}

// mostEdges is how many edges are kept, about 50 bytes each; an entry of the map counts as
// some of them.
const (
	mostEdges  = 400_000
	entryEdges = 5
)

func newPrintCache() *printCache { return &printCache{kept: map[printName]edges{}} }

func (c *printCache) get(name printName) edges {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[name]
}

func (c *printCache) put(name printName, now edges) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before, known := c.kept[name]; known {
		c.size -= len(before.list) + entryEdges
	}
	if c.size += len(now.list) + entryEdges; c.size > mostEdges {
		clear(c.kept)
		c.size = len(now.list) + entryEdges
	}
	c.kept[name] = now
}
