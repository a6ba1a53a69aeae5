package ledger

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/state/kv"
)

func TestEntriesAndLoad(t *testing.T) {
	cases := []struct {
		name string
		run  func(t *testing.T, from, to *Ledger)
	}{
		{"a copy is the same", copyLedger},
		{"a copy of an empty ledger is empty", copyEmpty},
		{"removed pending IDs are not copied", copyRemoved},
		{"a ledger that is not empty cannot be loaded", loadTwice},
		{"invalid entries are rejected", loadWrong},
		{"an error ends loading", loadFails},
		{"iterating ends with its context and with its loop", entriesEnd},
	}
	for name, open := range stores {
		for _, c := range cases {
			t.Run(name+"/"+c.name, func(t *testing.T) { c.run(t, New(open(t)), New(open(t))) })
		}
	}
}

func copyLedger(t *testing.T, from, to *Ledger) {
	put(t, from, fullAnalysis(), 0)
	rev := put(t, from, &Analysis{ID: 9, Attempt: 1}, 0)
	put(t, from, &Analysis{ID: 9, Attempt: 2}, rev)
	put(t, from, &Analysis{ID: 10}, 0)
	for _, id := range []earshot.ResultID{9, 10, 11} {
		addPending(t, from, id)
	}
	if err := to.Load(t.Context(), from.Entries(t.Context())); err != nil {
		t.Fatal(err)
	}
	want := entries(t, from)
	if got := entries(t, to); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := keys(want), []string{"open.10", "open.11", "open.9", "result.10", "result.2147483649", "result.9"}; !slices.Equal(got, want) {
		t.Errorf("got keys %v, want %v", got, want)
	}
	wantPending(t, to, 9, 10, 11)
	wantList(t, to, fullAnalysis().User, 0, 10, fullAnalysis().ID)
	wantList(t, to, 0, 0, 10, 10, 9)
	r, rev, err := to.Find(t.Context(), 9)
	if err != nil || r.Attempt != 2 {
		t.Fatalf("got %+v, %v, want attempt 2", r, err)
	}
	put(t, to, r, rev)
}

func copyEmpty(t *testing.T, from, to *Ledger) {
	if err := to.Load(t.Context(), from.Entries(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, to); len(got) > 0 {
		t.Errorf("got %v, want nothing", got)
	}
}

func copyRemoved(t *testing.T, from, to *Ledger) {
	addPending(t, from, 1)
	removePending(t, from, 1)
	addPending(t, from, 2)
	if got := keys(entries(t, from)); !slices.Equal(got, []string{"open.2"}) {
		t.Errorf("got %v, want open.2", got)
	}
}

func loadTwice(t *testing.T, from, to *Ledger) {
	put(t, from, &Analysis{ID: 1}, 0)
	addPending(t, to, 2)
	err := to.Load(t.Context(), from.Entries(t.Context()))
	if want := "load the ledger: it already has 1 entries"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	wantNone(t, to, 1)
	wantPending(t, to, 2)
}

func loadWrong(t *testing.T, _, to *Ledger) {
	f := func(e kv.Entry, want string) {
		t.Helper()
		err := to.Load(t.Context(), sequence(nil, e))
		if want = "load the ledger: " + want; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", e.Key, err, want)
		}
	}
	f(kv.Entry{Key: "else.1"}, `ledger: invalid key "else.1"`)
	f(kv.Entry{Key: "open.01"}, `ledger: invalid key "open.01"`)
	f(kv.Entry{Key: "result.1", Value: []byte(`{"ID":2}`)}, `ledger: result.1 contains analysis 2`)
	f(kv.Entry{Key: "result.1", Value: []byte(`{`)}, `result.1: decode analysis: unexpected end of JSON input`)

	one := kv.Entry{Key: "result.1", Value: []byte(`{"ID":1}`)}
	if err := to.Load(t.Context(), sequence(nil, one, one)); !errors.Is(err, ErrConflict) {
		t.Errorf("the same record twice: got %v, want ErrConflict", err)
	}
}

func loadFails(t *testing.T, _, to *Ledger) {
	damaged := errors.New("damaged")
	if err := to.Load(t.Context(), sequence(damaged, kv.Entry{Key: "open.1"})); !errors.Is(err, damaged) {
		t.Errorf("got %v, want %v", err, damaged)
	}
}

func entriesEnd(t *testing.T, from, _ *Ledger) {
	addPending(t, from, 1)
	addPending(t, from, 2)
	for range from.Entries(t.Context()) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for e, err := range from.Entries(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, %v, want context.Canceled", e, err)
		}
	}
}

// sequence yields entries and then err, unless it is nil.
func sequence(err error, entries ...kv.Entry) iter.Seq2[kv.Entry, error] {
	return func(yield func(kv.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(kv.Entry{}, err)
		}
	}
}

func entries(t *testing.T, l *Ledger) (all []kv.Entry) {
	t.Helper()
	for e, err := range l.Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func keys(entries []kv.Entry) (keys []string) {
	for _, e := range entries {
		keys = append(keys, e.Key)
	}
	return keys
}
