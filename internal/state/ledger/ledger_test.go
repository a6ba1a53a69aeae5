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

// stores open an empty store each time.
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

// testLedger tests ledgers. open returns an empty one each time.
func testLedger(t *testing.T, open func(t *testing.T) *Ledger) {
	cases := []struct {
		name string
		run  func(t *testing.T, l *Ledger)
	}{
		{"a record that is not there is not found", findUnknown},
		{"what was put can be found", putFind},
		{"revision 0 makes a new record and nothing else", create},
		{"a write with a wrong revision conflicts and changes nothing", wrongRevision},
		{"revisions only grow", revisionsGrow},
		{"of several who claim an attempt one succeeds", race},
		{"a record comes back with all it has, and its times in UTC", roundTrip},
		{"a record may have a megabyte", large},
		{"a caller cannot change what is stored", isolation},
		{"opening and closing may be repeated", openClose},
		{"opened ids are in ascending order", openedSorted},
		{"opened ids and records have nothing to do with each other", apart},
		{"of many who open and close at the same time none is lost", openRace},
		{"a user's records are listed newest first, page by page", list},
		{"a list has records as they were written last", listChanged},
		{"a write that conflicts puts nothing on a list", listConflict},
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
	wantRecord(t, l, &Analysis{ID: 1, State: Waiting}, rev)
	rev = put(t, l, &Analysis{ID: 1, State: Done}, rev)
	wantRecord(t, l, &Analysis{ID: 1, State: Done}, rev)
}

func create(t *testing.T, l *Ledger) {
	rev := put(t, l, &Analysis{ID: 1, State: Waiting}, 0)
	wantConflict(t, l, 1, 0)
	wantConflict(t, l, 2, rev)
	wantRecord(t, l, &Analysis{ID: 1, State: Waiting}, rev)
	wantNone(t, l, 2)
}

func wrongRevision(t *testing.T, l *Ledger) {
	old := put(t, l, &Analysis{ID: 1, Attempt: 1}, 0)
	rev := put(t, l, &Analysis{ID: 1, Attempt: 2}, old)
	for _, wrong := range []uint64{0, old, rev + 1, math.MaxUint64} {
		wantConflict(t, l, 1, wrong)
	}
	wantRecord(t, l, &Analysis{ID: 1, Attempt: 2}, rev)
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

// claim has several write record 1 at the same time, and returns the revisions of those who could.
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
	want, local := fullRecord(), fullRecord()
	local.Created = local.Created.In(zone)
	local.Due = local.Due.In(zone)
	local.Request.Start = local.Request.Start.In(zone)
	local.Request.End = local.Request.End.In(zone)
	rev := put(t, l, local, 0)
	wantRecord(t, l, want, rev)
	if local.Created.Location() != zone {
		t.Errorf("Put changed the record of its caller")
	}
	least := &Analysis{ID: 1}
	wantRecord(t, l, least, put(t, l, least, 0))
}

func large(t *testing.T, l *Ledger) {
	want := &Analysis{ID: 1}
	want.Request.Echo = make([]byte, 1<<20)
	wantRecord(t, l, want, put(t, l, want, 0))
}

func isolation(t *testing.T, l *Ledger) {
	r := fullRecord()
	rev := put(t, l, r, 0)
	scratch(r)
	r, _, err := l.Find(t.Context(), fullRecord().ID)
	if err != nil {
		t.Fatal(err)
	}
	scratch(r)
	wantRecord(t, l, fullRecord(), rev)
}

// scratch changes what r points to.
func scratch(r *Analysis) {
	r.Teams[0]++
	r.Request.Echo[0]++
	r.Request.Languages.Values[0] = "x"
	r.Metrics.Volume[0]++
}

func openClose(t *testing.T, l *Ledger) {
	wantOpened(t, l)
	for range 2 {
		for range 2 {
			open(t, l, 7)
			wantOpened(t, l, 7)
		}
		for range 2 {
			shut(t, l, 7)
			wantOpened(t, l)
		}
	}
	shut(t, l, 8)
	wantOpened(t, l)
}

func openedSorted(t *testing.T, l *Ledger) {
	for _, id := range []earshot.ResultID{9, 100, 1<<53 - 1, 10, 1, earshot.FirstID} {
		open(t, l, id)
	}
	shut(t, l, 10)
	wantOpened(t, l, 1, 9, 100, earshot.FirstID, 1<<53-1)
}

func apart(t *testing.T, l *Ledger) {
	rev := put(t, l, &Analysis{ID: 1}, 0)
	wantOpened(t, l)
	open(t, l, 1)
	open(t, l, 2)
	wantNone(t, l, 2)
	shut(t, l, 1)
	wantRecord(t, l, &Analysis{ID: 1}, rev)
	wantOpened(t, l, 2)
}

func openRace(t *testing.T, l *Ledger) {
	var wg sync.WaitGroup
	var want []earshot.ResultID
	for id := range earshot.ResultID(40) {
		wg.Go(func() {
			open(t, l, id)
			if id%2 == 0 {
				shut(t, l, id)
			}
		})
		if id%2 != 0 {
			want = append(want, id)
		}
	}
	wg.Wait()
	wantOpened(t, l, want...)
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
	f("Open", l.AddPending(ctx, 1))
	f("Close", l.RemovePending(ctx, 1))
	_, err = l.ListPending(ctx)
	f("Opened", err)
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

func open(t *testing.T, l *Ledger, id earshot.ResultID) {
	t.Helper()
	if err := l.AddPending(t.Context(), id); err != nil {
		t.Errorf("Open(%d): %v", id, err)
	}
}

func shut(t *testing.T, l *Ledger, id earshot.ResultID) {
	t.Helper()
	if err := l.RemovePending(t.Context(), id); err != nil {
		t.Errorf("Close(%d): %v", id, err)
	}
}

func wantRecord(t *testing.T, l *Ledger, want *Analysis, revision uint64) {
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

func wantOpened(t *testing.T, l *Ledger, want ...earshot.ResultID) {
	t.Helper()
	if got, err := l.ListPending(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("Opened: got %v, %v, want %v", got, err, want)
	}
}
