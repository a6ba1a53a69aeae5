package ledger

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/state/kv"
)

// stores maps each implementation to a function that opens an empty store.
var stores = map[string]func(t *testing.T) kv.Store{
	"memory": func(*testing.T) kv.Store { return kv.NewMemory() },
	"bucket": func(t *testing.T) kv.Store {
		_, b := openBucket(t, t.TempDir())
		return b
	},
}

func TestLedger(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) { testLedger(t, func(t *testing.T) *Ledger { return New(open(t)) }) })
	}
}

// testLedger tests a ledger. open returns an empty one each time.
func testLedger(t *testing.T, open func(t *testing.T) *Ledger) {
	cases := []struct {
		name string
		run  func(t *testing.T, l *Ledger)
	}{
		{"a missing analysis is not found", findUnknown},
		{"an analysis can be found after a put", putFind},
		{"revision 0 creates an analysis and nothing else", create},
		{"a write with a wrong revision conflicts and changes nothing", wrongRevision},
		{"revisions always increase", revisionsGrow},
		{"only one of several nodes claims an attempt", race},
		{"an analysis round-trips, with its times in UTC", roundTrip},
		{"an analysis of a megabyte round-trips", large},
		{"a caller cannot change what is stored", isolation},
		{"adding and removing pending IDs may be repeated", addRemovePending},
		{"pending IDs are in ascending order", pendingSorted},
		{"pending IDs and analyses are independent", independent},
		{"concurrent changes of pending IDs are not lost", pendingRace},
		{"a user's analyses are listed newest first, page by page", list},
		{"a list has the last version of each analysis", listChanged},
		{"a conflicting write adds nothing to a list", listConflict},
		{"a call ends with its context", ends},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func findUnknown(t *testing.T, l *Ledger) {
	put(t, l, &Analysis{ID: 12}, 0)
	for _, id := range []earshot.ResultID{0, 1, 2, 120} {
		wantNone(t, l, id)
	}
}

func putFind(t *testing.T, l *Ledger) {
	rev := put(t, l, &Analysis{ID: 1, State: Waiting}, 0)
	wantAnalysis(t, l, &Analysis{ID: 1, State: Waiting}, rev)
	rev = put(t, l, &Analysis{ID: 1, State: Done}, rev)
	wantAnalysis(t, l, &Analysis{ID: 1, State: Done}, rev)
}

func create(t *testing.T, l *Ledger) {
	rev := put(t, l, &Analysis{ID: 1, State: Waiting}, 0)
	wantConflict(t, l, 1, 0)
	wantConflict(t, l, 2, rev)
	wantAnalysis(t, l, &Analysis{ID: 1, State: Waiting}, rev)
	wantNone(t, l, 2)
}

func wrongRevision(t *testing.T, l *Ledger) {
	old := put(t, l, &Analysis{ID: 1, Attempt: 1}, 0)
	rev := put(t, l, &Analysis{ID: 1, Attempt: 2}, old)
	for _, wrong := range []uint64{0, old, rev + 1, math.MaxUint64} {
		wantConflict(t, l, 1, wrong)
	}
	wantAnalysis(t, l, &Analysis{ID: 1, Attempt: 2}, rev)
}

func revisionsGrow(t *testing.T, l *Ledger) {
	var last uint64
	for id := range earshot.ResultID(5) {
		rev := put(t, l, &Analysis{ID: id}, 0)
		if rev <= last {
			t.Fatalf("revision %d follows %d", rev, last)
		}
		last = rev
	}
}

func race(t *testing.T, l *Ledger) {
	rev := put(t, l, &Analysis{ID: 1}, 0)
	for attempt := range 5 {
		won := claim(t, l, rev)
		if len(won) != 1 {
			t.Fatalf("attempt %d: %d claims succeeded, want 1", attempt, len(won))
		}
		rev = <-won
	}
}

// claim writes analysis 1 several times concurrently, and returns the revisions of the successful
// writes.
func claim(t *testing.T, l *Ledger, revision uint64) <-chan uint64 {
	won := make(chan uint64, 8)
	var wg sync.WaitGroup
	for i := range cap(won) {
		wg.Go(func() {
			rev, err := l.Put(t.Context(), &Analysis{ID: 1, Attempt: i}, revision)
			switch {
			case err == nil:
				won <- rev
			case !errors.Is(err, ErrConflict):
				t.Errorf("Put: got %v, want ErrConflict", err)
			}
		})
	}
	wg.Wait()
	return won
}

func roundTrip(t *testing.T, l *Ledger) {
	want, local := fullAnalysis(), fullAnalysis()
	local.Created = local.Created.In(zone)
	local.Due = local.Due.In(zone)
	local.Request.Start = local.Request.Start.In(zone)
	local.Request.End = local.Request.End.In(zone)
	rev := put(t, l, local, 0)
	wantAnalysis(t, l, want, rev)
	if local.Created.Location() != zone {
		t.Errorf("Put changed its argument")
	}
	least := &Analysis{ID: 1}
	wantAnalysis(t, l, least, put(t, l, least, 0))
}

func large(t *testing.T, l *Ledger) {
	want := &Analysis{ID: 1}
	want.Request.Echo = make([]byte, 1<<20)
	wantAnalysis(t, l, want, put(t, l, want, 0))
}

func isolation(t *testing.T, l *Ledger) {
	r := fullAnalysis()
	rev := put(t, l, r, 0)
	modify(r)
	r, _, err := l.Find(t.Context(), fullAnalysis().ID)
	if err != nil {
		t.Fatal(err)
	}
	modify(r)
	wantAnalysis(t, l, fullAnalysis(), rev)
}

// modify changes the values that r points to.
func modify(r *Analysis) {
	r.Teams[0]++
	r.Request.Echo[0]++
	r.Request.Languages.Values[0] = "x"
	r.Metrics.Volume[0]++
}

func addRemovePending(t *testing.T, l *Ledger) {
	wantPending(t, l)
	for range 2 {
		for range 2 {
			addPending(t, l, 7)
			wantPending(t, l, 7)
		}
		for range 2 {
			removePending(t, l, 7)
			wantPending(t, l)
		}
	}
	removePending(t, l, 8)
	wantPending(t, l)
}

func pendingSorted(t *testing.T, l *Ledger) {
	for _, id := range []earshot.ResultID{9, 100, 1<<53 - 1, 10, 1, earshot.FirstID} {
		addPending(t, l, id)
	}
	removePending(t, l, 10)
	wantPending(t, l, 1, 9, 100, earshot.FirstID, 1<<53-1)
}

func independent(t *testing.T, l *Ledger) {
	rev := put(t, l, &Analysis{ID: 1}, 0)
	wantPending(t, l)
	addPending(t, l, 1)
	addPending(t, l, 2)
	wantNone(t, l, 2)
	removePending(t, l, 1)
	wantAnalysis(t, l, &Analysis{ID: 1}, rev)
	wantPending(t, l, 2)
}

func pendingRace(t *testing.T, l *Ledger) {
	var wg sync.WaitGroup
	var want []earshot.ResultID
	for id := range earshot.ResultID(40) {
		wg.Go(func() {
			addPending(t, l, id)
			if id%2 == 0 {
				removePending(t, l, id)
			}
		})
		if id%2 != 0 {
			want = append(want, id)
		}
	}
	wg.Wait()
	wantPending(t, l, want...)
}

func ends(t *testing.T, l *Ledger) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := func(name string, err error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", name, err)
		}
	}
	_, _, err := l.Find(ctx, 1)
	f("Find", err)
	_, err = l.Put(ctx, &Analysis{ID: 1}, 0)
	f("Put", err)
	f("AddPending", l.AddPending(ctx, 1))
	f("RemovePending", l.RemovePending(ctx, 1))
	_, err = l.ListPending(ctx)
	f("ListPending", err)
	_, err = l.List(ctx, 1, 0, 1)
	f("List", err)
}

func put(t *testing.T, l *Ledger, r *Analysis, revision uint64) uint64 {
	t.Helper()
	revision, err := l.Put(t.Context(), r, revision)
	if err != nil {
		t.Fatalf("Put(%d): %v", r.ID, err)
	}
	return revision
}

func addPending(t *testing.T, l *Ledger, id earshot.ResultID) {
	t.Helper()
	if err := l.AddPending(t.Context(), id); err != nil {
		t.Errorf("AddPending(%d): %v", id, err)
	}
}

func removePending(t *testing.T, l *Ledger, id earshot.ResultID) {
	t.Helper()
	if err := l.RemovePending(t.Context(), id); err != nil {
		t.Errorf("RemovePending(%d): %v", id, err)
	}
}

func wantAnalysis(t *testing.T, l *Ledger, want *Analysis, revision uint64) {
	t.Helper()
	got, rev, err := l.Find(t.Context(), want.ID)
	if err != nil {
		t.Fatalf("Find(%d): %v", want.ID, err)
	}
	if rev != revision || !reflect.DeepEqual(got, want) {
		t.Errorf("Find(%d): got %+v at %d, want %+v at %d", want.ID, got, rev, want, revision)
	}
}

func wantNone(t *testing.T, l *Ledger, id earshot.ResultID) {
	t.Helper()
	if r, _, err := l.Find(t.Context(), id); !errors.Is(err, ErrNotFound) {
		t.Errorf("Find(%d): got %+v, %v, want ErrNotFound", id, r, err)
	}
}

func wantConflict(t *testing.T, l *Ledger, id earshot.ResultID, revision uint64) {
	t.Helper()
	if _, err := l.Put(t.Context(), &Analysis{ID: id, State: Skipped}, revision); !errors.Is(err, ErrConflict) {
		t.Errorf("Put(%d) at revision %d: got %v, want ErrConflict", id, revision, err)
	}
}

func wantPending(t *testing.T, l *Ledger, want ...earshot.ResultID) {
	t.Helper()
	if got, err := l.ListPending(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("ListPending: got %v, %v, want %v", got, err, want)
	}
}
