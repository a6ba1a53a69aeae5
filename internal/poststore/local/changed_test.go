package local

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore"
)

// A clocked is a store without background work, whose clock shows full hours since day 10.
type clocked struct {
	*Store
	t   *testing.T
	dir string
	now time.Time
	at  earshot.Position
}

func newClocked(t *testing.T) *clocked {
	c := &clocked{t: t, dir: t.TempDir(), now: day(10)}
	c.open()
	return c
}

func (c *clocked) open() {
	c.t.Helper()
	c.Store = openWith(c.t, c.dir, &c.now)
}

func (c *clocked) check(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// add appends a letter of monitor 1 on each of the given days and flushes it.
func (c *clocked) add(guid string, days ...int) {
	c.t.Helper()
	for _, d := range days {
		c.append(guid, d)
	}
	c.check(c.Flush(c.t.Context()))
}

// append appends a letter of monitor 1.
func (c *clocked) append(guid string, d int) {
	c.t.Helper()
	c.at++
	post := earshot.Post{Source: "Letters", ContentSource: letters, Team: team, GUID: guid, Time: day(d).Add(time.Hour), Contents: "letter " + guid}
	c.check(c.Append(c.t.Context(), c.at, []poststore.MatchedPost{{Post: post, Sets: []poststore.SetID{1}}}))
}

func (c *clocked) remove(guids ...string) {
	c.t.Helper()
	c.at++
	c.check(c.Delete(c.t.Context(), c.at, earshot.Deletion{ContentSource: letters, GUIDs: guids}))
	c.check(c.Flush(c.t.Context()))
}

func (c *clocked) hour(n int) { c.now = day(10).Add(time.Duration(n) * time.Hour) }

// again closes the store and opens it again.
func (c *clocked) again() {
	c.t.Helper()
	c.check(c.Close())
	c.open()
}

// want checks the hour in which each day of March, starting at the first, changed; -1 means never.
func (c *clocked) want(hours ...int) {
	c.t.Helper()
	var starts []time.Time
	for d := range len(hours) + 1 {
		starts = append(starts, day(d+1))
	}
	changed, err := c.Changed(c.t.Context(), 1, starts)
	c.check(err)
	var got []int
	for _, at := range changed {
		if at.IsZero() {
			got = append(got, -1)
			continue
		}
		got = append(got, int(at.Sub(day(10)).Hours()))
	}
	if !slices.Equal(got, hours) {
		c.t.Errorf("got hours %d, want %d", got, hours)
	}
}

// Without a stored result, Changed returns when the last of the segments with posts of the day was
// modified.
func TestChangedIsWhenSegmentsWereModified(t *testing.T) {
	c := newClocked(t)
	c.add("a", 1)
	c.hour(1)
	c.append("b", 2)
	c.add("c", 3) // flushes both: four segments might be merged before openWith stops that
	c.hour(2)
	c.add("d", 3)
	c.hour(5)
	c.again()
	c.hour(6)
	c.want(0, 1, 2, -1)
	c.hour(7)
	c.again()
	c.want(0, 1, 2, -1)
}

func TestChangedAfterDeletion(t *testing.T) {
	c := newClocked(t)
	c.add("a", 1)
	c.add("b", 2)
	c.hour(3)
	c.remove("a")
	c.hour(4)
	c.again()
	c.want(3, 0)
	c.hour(5)
	c.remove("b")
	c.hour(6)
	c.want(3, 5)
	c.hour(7)
	c.check(c.Compact(t.Context()))
	c.again()
	c.want(3, 5)
}

// A compaction drops deleted posts but not the record of their existence.
func TestChangedAfterCompaction(t *testing.T) {
	c := newClocked(t)
	c.add("a", 1)
	c.add("b", 2)
	c.add("c", 2)
	c.hour(3)
	c.remove("a", "b")
	c.hour(8)
	c.check(c.Compact(t.Context()))
	c.check((&restless{Store: c.Store, t: t}).compactAll())
	c.hour(9)
	c.again()
	c.want(3, 3, -1)
}

func (r *restless) compactAll() error {
	r.maintainMu.Lock()
	defer r.maintainMu.Unlock()
	return r.compact(r.t.Context(), slices.Clone(r.current.Load().segments), nil)
}

func TestChangedByRematch(t *testing.T) {
	c := newClocked(t)
	c.add("a", 1)
	c.add("b", 2)
	c.hour(2)
	rule := poststore.Rule{Where: compile(t, "b"), UpTo: earshot.EndOfJournal, Generation: 1}
	c.check(c.Rematch(t.Context(), poststore.Rematch{Rules: poststore.Rules{1: rule}}))
	c.hour(3)
	c.again()
	c.want(2, 0)
	c.hour(4)
	c.check(c.Rematch(t.Context(), poststore.Rematch{Rules: poststore.Rules{1: {}}}))
	c.want(-1, -1)
	for _, letter := range []byte{recChangedDay, recUnmatched, recChangeByTime, recChangeByPosted} {
		from, to := recSet(letter, 1)
		if n := countKeys(t, c.db, from, to); n > 0 {
			t.Errorf("%d records of kind %c are left after the monitor was removed", n, letter)
		}
	}
}

func countKeys(t *testing.T, db *pebble.DB, from, to []byte) (n int) {
	t.Helper()
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	return n
}

func TestChangedByReinfer(t *testing.T) {
	c := newClocked(t)
	c.add("a", 1)
	c.hour(2)
	c.check(c.Reinfer(t.Context(), newReinfer(3)))
	c.hour(3)
	c.again()
	c.want(2)
}

// For segments written before modification times were recorded, Changed returns the time at which
// their files were written.
func TestChangedInOlderSegments(t *testing.T) {
	c := newClocked(t)
	c.add("a", 1)
	from, to := recKind(recModified)
	c.check(c.db.DeleteRange(from, to, pebble.Sync))
	path := c.path(c.current.Load().segments[0].id)
	c.check(c.Close())
	written := day(10).Add(5 * time.Hour)
	c.check(os.Chtimes(path, written, written))
	c.open()
	c.hour(7)
	c.want(5)
}

// Posts that come and go between two calls leave the day unchanged. If Changed is called in
// between, it reports both changes.
func TestChangedBackAndForth(t *testing.T) {
	c := newClocked(t)
	c.add("a", 1)
	c.hour(1)
	c.want(0)
	c.add("b", 1)
	c.hour(2)
	c.add("b", 2)
	c.hour(3)
	c.want(0, 2)
	c.add("c", 1)
	c.hour(4)
	c.want(3, 2)
	c.hour(5)
	c.remove("c")
	c.hour(6)
	c.again()
	c.want(5, 2)
}

// If posts changed but no segment has a later modification time, Changed returns the time at which
// it noticed the change.
func TestChangedWithStoppedClock(t *testing.T) {
	c := newClocked(t)
	c.add("a", 1)
	c.want(0)
	c.add("b", 1)
	c.want(0)
	c.hour(1)
	c.want(0)
}
