package journaltest

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/journal"
)

// RunArchive tests copying between journals of an implementation. open returns an empty journal
// each time.
func RunArchive(t *testing.T, open func(t *testing.T) journal.Archive) {
	cases := []struct {
		name string
		run  func(t *testing.T, from, to journal.Archive)
	}{
		{"a copy has the same entries at the same positions", carry},
		{"the copy of a trimmed journal has the same span", carryTrimmed},
		{"a fully trimmed journal continues its positions", carryNothing},
		{"a journal without entries can be copied", carryEmpty},
		{"only entries and dead letters up to the position are copied", carryPart},
		{"gaps in positions are copied", carryGaps},
		{"dead letters keep their entries, times and reasons", carryLetters},
		{"dead letters are appended again", retryLetters},
		{"a dead letter that is appended again does not move its source back", retryOrigin},
		{"a journal with entries cannot be loaded", loadTwice},
		{"entries out of order are rejected", loadWrong},
		{"an error ends loading", loadFails},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t), open(t)) })
	}
}

func carry(t *testing.T, from, to journal.Archive) {
	appendPost(t, from, "before")
	if _, err := from.Append(t.Context(), journal.Entry{Posts: randomPosts(1000, 20<<10)}); err != nil { // split into several messages
		t.Fatal(err)
	}
	if _, err := from.Append(t.Context(), journal.Entry{Deletion: &earshot.Deletion{ContentSource: 7}, Origin: &journal.Origin{Source: 7, Cursor: "c"}}); err != nil {
		t.Fatal(err)
	}
	last := appendPost(t, from, "after")
	load(t, from, to)
	wantSame(t, from, to)
	if at := appendPost(t, to, "new"); at != last+1 {
		t.Errorf("the next entry: got position %d, want %d", at, last+1)
	}
	a, b := reader(t, from), reader(t, to)
	for at := earshot.Position(0); at < last; {
		want, got := a(), b()
		at = want.Position
		if got.Position != at || !got.Time.Equal(want.Time) || !reflect.DeepEqual(got.Entry, want.Entry) {
			t.Fatalf("entry %d, appended at %v, came back as entry %d of %v, or changed", at, want.Time, got.Position, got.Time)
		}
	}
	wantGUID(t, b(), "new")
}

func carryTrimmed(t *testing.T, from, to journal.Archive) {
	for i := range 5 {
		appendPost(t, from, fmt.Sprint(i))
	}
	trim(t, from, 3, later())
	load(t, from, to)
	wantSame(t, from, to)
	wantLast(t, to, 5)
	wantPending(t, to, 3, 2)
	wantTrimmed(t, to, 0, 3)
	wantGUID(t, readerAfter(t, to, 3)(), "3")
	// Trim uses the times of the original appends.
	trim(t, to, 5, later())
	wantPending(t, to, 3, 0)
}

func carryNothing(t *testing.T, from, to journal.Archive) {
	for i := range 3 {
		appendPost(t, from, fmt.Sprint(i))
	}
	trim(t, from, 3, later())
	load(t, from, to)
	wantLast(t, to, 3)
	wantPending(t, to, 3, 0)
	if at := appendPost(t, to, "new"); at != 4 {
		t.Errorf("the next entry: got position %d, want 4", at)
	}
	wantGUID(t, readerAfter(t, to, 3)(), "new")
}

func retryLetters(t *testing.T, j, from journal.Archive) {
	next := reader(t, j)
	for i := range 30 {
		appendPost(t, j, fmt.Sprint(i))
		b := next()
		if i%3 == 2 {
			continue
		}
		if err := b.Reject(t.Context(), "bad"); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := j.RetryDeadLetters(t.Context(), 24); n != 20 || err != nil { // 16 of them before 24
		t.Fatalf("got %d, %v, want 20 letters", n, err)
	}
	wantLetters(t, j, 0)
	wantLast(t, j, 46)
	for i := range 24 {
		if i%3 == 2 {
			continue
		}
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		if err := b.Reject(t.Context(), "bad again"); err != nil { // a letter may fail again
			t.Fatal(err)
		}
	}
	wantLetters(t, j, 16)
	if n, err := from.RetryDeadLetters(t.Context(), 0); n != 0 || err != nil {
		t.Errorf("got %d, %v, want no letters", n, err)
	}
}

func carryEmpty(t *testing.T, from, to journal.Archive) {
	load(t, from, to)
	wantLast(t, to, 0)
	if at := appendPost(t, to, "first"); at != 1 {
		t.Errorf("the first entry: got position %d, want 1", at)
	}
}

func carryPart(t *testing.T, from, _ journal.Archive) {
	next := reader(t, from)
	for i := range 4 {
		appendPost(t, from, fmt.Sprint(i))
		if err := next().Reject(t.Context(), "bad"); err != nil {
			t.Fatal(err)
		}
	}
	for upTo := range earshot.Position(6) {
		entries := collect(t, from.Entries(t.Context(), upTo))
		letters := collect(t, from.StoredDeadLetters(t.Context(), upTo))
		if want := min(int(upTo), 4); len(entries) != want || len(letters) != want {
			t.Errorf("up to %d: got %d entries and %d letters, want %d", upTo, len(entries), len(letters), want)
		}
	}
	for range from.Entries(t.Context(), 4) {
		break // stopping early is allowed
	}
}

func carryGaps(t *testing.T, from, to journal.Archive) {
	for i := range 8 {
		appendPost(t, from, fmt.Sprint(i))
	}
	all := collect(t, from.Entries(t.Context(), 8))
	some := []journal.StoredEntry{all[2], all[3], all[6]}
	if err := to.Load(t.Context(), journal.Span{First: 3, Last: 7}, each(some, nil)); err != nil {
		t.Fatal(err)
	}
	wantLast(t, to, 7)
	if got := collect(t, to.Entries(t.Context(), 7)); !reflect.DeepEqual(positions(got), positions(some)) {
		t.Errorf("got the positions %v, want %v", positions(got), positions(some))
	}
	next := readerAfter(t, to, 2)
	for _, post := range []string{"2", "3", "6"} {
		wantGUID(t, next(), post)
	}
	wantPending(t, to, 7, 0)
}

func carryLetters(t *testing.T, from, to journal.Archive) {
	next := reader(t, from)
	for i := range 3 {
		appendPost(t, from, fmt.Sprint(i))
		if err := next().Reject(t.Context(), fmt.Sprint("reason ", i)); err != nil {
			t.Fatal(err)
		}
	}
	trim(t, from, 3, later())
	load(t, from, to)
	wantSame(t, from, to)
	want, got := wantLetters(t, from, 3), wantLetters(t, to, 3)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := to.LoadDeadLetters(t.Context(), from.StoredDeadLetters(t.Context(), 3)); err == nil {
		t.Error("loading letters twice succeeded")
	}
}

func loadTwice(t *testing.T, from, to journal.Archive) {
	appendPost(t, from, "0")
	load(t, from, to)
	for _, j := range []journal.Archive{from, to} {
		if err := j.Load(t.Context(), journal.Span{First: 1, Last: 1}, each[journal.StoredEntry](nil, nil)); err == nil {
			t.Error("Load into a journal with entries succeeded")
		}
	}
	wantLast(t, to, 1)
}

func loadWrong(t *testing.T, _, to journal.Archive) {
	for _, s := range []journal.Span{{}, {First: 3, Last: 1}} {
		if err := to.Load(t.Context(), s, each[journal.StoredEntry](nil, nil)); err == nil {
			t.Errorf("Load of the span %+v succeeded", s)
		}
	}
	outside := []journal.StoredEntry{{Position: 4, Data: []byte("x")}}
	if err := to.Load(t.Context(), journal.Span{First: 5, Last: 9}, each(outside, nil)); err == nil {
		t.Error("Load of an entry before the first succeeded")
	}
}

func loadFails(t *testing.T, _, to journal.Archive) {
	broken := errors.New("broken")
	if err := to.Load(t.Context(), journal.Span{First: 1, Last: 9}, each[journal.StoredEntry](nil, broken)); !errors.Is(err, broken) {
		t.Errorf("Load: got %v, want %v", err, broken)
	}
	if err := to.LoadDeadLetters(t.Context(), each[journal.StoredDeadLetter](nil, broken)); !errors.Is(err, broken) {
		t.Errorf("LoadLetters: got %v, want %v", err, broken)
	}
}

// load copies everything from one journal to the other.
func load(t *testing.T, from, to journal.Archive) {
	t.Helper()
	s, err := from.Span(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Load(t.Context(), s, from.Entries(t.Context(), s.Last)); err != nil {
		t.Fatal(err)
	}
	if err := to.LoadDeadLetters(t.Context(), from.StoredDeadLetters(t.Context(), s.Last)); err != nil {
		t.Fatal(err)
	}
	if got, err := to.Span(t.Context()); err != nil || got != s {
		t.Errorf("span: got %+v, %v, want %+v", got, err, s)
	}
}

// wantSame compares the entries and dead letters of two journals.
func wantSame(t *testing.T, a, b journal.Archive) {
	t.Helper()
	if want, got := collect(t, a.Entries(t.Context(), 1000)), collect(t, b.Entries(t.Context(), 1000)); !reflect.DeepEqual(got, want) {
		t.Errorf("entries came over changed: %v to %v", positions(want), positions(got))
	}
	if want, got := collect(t, a.StoredDeadLetters(t.Context(), 1000)), collect(t, b.StoredDeadLetters(t.Context(), 1000)); !sameLetters(got, want) {
		t.Errorf("got letters %.300v\nwant %.300v", got, want)
	}
}

// sameLetters compares everything but the IDs, because a letter is a message of its own.
func sameLetters(a, b []journal.StoredDeadLetter) bool {
	return slices.EqualFunc(a, b, func(a, b journal.StoredDeadLetter) bool {
		a.ID, b.ID = "", ""
		return reflect.DeepEqual(a, b)
	})
}

func positions(entries []journal.StoredEntry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%d (%s) ", e.Position, e.Time.Format(time.RFC3339Nano))
	}
	return b.String()
}

func collect[T any](t *testing.T, all iter.Seq2[T, error]) (list []T) {
	t.Helper()
	for v, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// each yields a list and then err, unless it is nil.
func each[T any](list []T, err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range list {
			if !yield(v, nil) {
				return
			}
		}
		if err != nil {
			yield(*new(T), err)
		}
	}
}
