package ledgertest

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/state/ledger"
)

// RunArchive checks that a kind of ledger can be carried to another one. open returns an empty
// one each time.
func RunArchive(t *testing.T, open func(t *testing.T) ledger.Archive) {
	cases := []struct {
		name string
		run  func(t *testing.T, from, to ledger.Archive)
	}{
		{"what is carried over is the same", carry},
		{"an empty ledger stays one", carryEmpty},
		{"what was closed is not carried", carryClosed},
		{"a ledger with something in it cannot be filled", loadTwice},
		{"what no ledger can have is refused", loadWrong},
		{"an error on the way ends the filling", loadFails},
		{"iterating ends with its context and with its loop", entriesEnd},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t), open(t)) })
	}
}

func carry(t *testing.T, from, to ledger.Archive) {
	put(t, from, Full(), 0)
	rev := put(t, from, &ledger.Record{ID: 9, Attempt: 1}, 0)
	put(t, from, &ledger.Record{ID: 9, Attempt: 2}, rev)
	put(t, from, &ledger.Record{ID: 10}, 0)
	for _, id := range []earshot.ResultID{9, 10, 11} {
		open(t, from, id)
	}
	if err := to.Load(t.Context(), from.Entries(t.Context())); err != nil {
		t.Fatal(err)
	}
	want := entries(t, from)
	if got := entries(t, to); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := keys(want), []string{"open.10", "open.11", "open.9", "result.10", "result.2147483649", "result.9"}; !slices.Equal(got, want) {
		t.Errorf("got keys %v, want %v", got, want)
	}
	wantOpened(t, to, 9, 10, 11)
	wantList(t, to, Full().User, 0, 10, Full().ID)
	wantList(t, to, 0, 0, 10, 10, 9)
	r, rev, err := to.Find(t.Context(), 9)
	if err != nil || r.Attempt != 2 {
		t.Fatalf("got %+v, %v, want attempt 2", r, err)
	}
	put(t, to, r, rev)
}

func carryEmpty(t *testing.T, from, to ledger.Archive) {
	if err := to.Load(t.Context(), from.Entries(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, to); len(got) > 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

func carryClosed(t *testing.T, from, to ledger.Archive) {
	open(t, from, 1)
	shut(t, from, 1)
	open(t, from, 2)
	if got := keys(entries(t, from)); !slices.Equal(got, []string{"open.2"}) {
		t.Errorf("got %v, want open.2", got)
	}
}

func loadTwice(t *testing.T, from, to ledger.Archive) {
	put(t, from, &ledger.Record{ID: 1}, 0)
	open(t, to, 2)
	err := to.Load(t.Context(), from.Entries(t.Context()))
	if want := "load the ledger: it has 1 entries"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	wantNone(t, to, 1)
	wantOpened(t, to, 2)
}

func loadWrong(t *testing.T, _, to ledger.Archive) {
	f := func(e ledger.Entry, want string) {
		t.Helper()
		err := to.Load(t.Context(), sequence(nil, e))
		if want = "load the ledger: " + want; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", e.Key, err, want)
		}
	}
	f(ledger.Entry{Key: "else.1"}, `ledger: "else.1" is no key`)
	f(ledger.Entry{Key: "open.01"}, `ledger: "open.01" is no key`)
	f(ledger.Entry{Key: "result.1", Value: []byte(`{"ID":2}`)}, `ledger: result.1 is the record of 2`)
	f(ledger.Entry{Key: "result.1", Value: []byte(`{`)}, `result.1: decode record: unexpected end of JSON input`)

	one := ledger.Entry{Key: "result.1", Value: []byte(`{"ID":1}`)}
	if err := to.Load(t.Context(), sequence(nil, one, one)); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("the same record twice: got %v, want ErrConflict", err)
	}
}

func loadFails(t *testing.T, _, to ledger.Archive) {
	damaged := errors.New("damaged")
	if err := to.Load(t.Context(), sequence(damaged, ledger.Entry{Key: "open.1"})); !errors.Is(err, damaged) {
		t.Errorf("got %v, want %v", err, damaged)
	}
}

func entriesEnd(t *testing.T, from, _ ledger.Archive) {
	open(t, from, 1)
	open(t, from, 2)
	for range from.Entries(t.Context()) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for e, err := range from.Entries(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %q, %v, want context.Canceled", e, err)
		}
	}
}

// sequence yields entries and then, unless it is nil, an error.
func sequence(err error, entries ...ledger.Entry) iter.Seq2[ledger.Entry, error] {
	return func(yield func(ledger.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(ledger.Entry{}, err)
		}
	}
}

func entries(t *testing.T, l ledger.Archive) (all []ledger.Entry) {
	t.Helper()
	for e, err := range l.Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func keys(entries []ledger.Entry) (keys []string) {
	for _, e := range entries {
		keys = append(keys, e.Key)
	}
	return keys
}
