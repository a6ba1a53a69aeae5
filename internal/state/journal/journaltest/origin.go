package journaltest

import (
	"slices"
	"testing"

	"earshot"
	"earshot/internal/state/journal"
)

func origins(t *testing.T, j journal.Journal) {
	wantOrigins(t, j, 0)
	appendPost(t, j, "none")
	wantOrigins(t, j, 0)
	wantOrigins(t, j, 1)
	var want []journal.StoredOrigin
	for _, o := range []journal.Origin{{Source: 7, Cursor: "a"}, {Source: 8, Cursor: "x\ny"}, {Source: 7}, {Source: 7, Cursor: "b", Counters: `{"events":3}`}, {Source: 9, Counters: `{"events":1}`}} {
		at := appendFrom(t, j, o, []earshot.Post{{Source: earshot.Bluesky, GUID: o.Cursor + "!"}})
		if o.IsPosition() {
			want = append(want, journal.StoredOrigin{Origin: o, Position: at})
		}
	}
	appendPost(t, j, "after")
	wantOrigins(t, j, 0, want...)
	wantOrigins(t, j, want[0].Position-1, want...)
	wantOrigins(t, j, want[0].Position, want[1:]...)
	wantOrigins(t, j, want[3].Position)
	wantOrigins(t, j, 1000)
	trim(t, j, want[0].Position, later())
	wantOrigins(t, j, 0, want[1:]...)
}

func largeOrigin(t *testing.T, j journal.Journal) {
	o := journal.Origin{Source: 7, Cursor: "end", Counters: `{"posts":1000}`}
	at := appendFrom(t, j, o, randomPosts(1000, 20<<10))
	wantOrigins(t, j, 0, journal.StoredOrigin{Origin: o, Position: at})
	next := reader(t, j)
	for {
		b := next()
		switch {
		case b.Origin == nil || b.Origin.Source != 7:
			t.Fatalf("position %d: got origin %+v, want source 7", b.Position, b.Origin)
		case b.Position == at:
			return
		case b.Origin.IsPosition():
			t.Fatalf("position %d of %d: got origin %+v, want no cursor yet", b.Position, at, b.Origin)
		}
	}
}

// retryOrigin appends a dead letter again after its source has moved on.
func retryOrigin(t *testing.T, j, _ journal.Archive) {
	next := reader(t, j)
	appendFrom(t, j, journal.Origin{Source: 7, Cursor: "a", Counters: "{}"}, []earshot.Post{{Source: earshot.Bluesky, GUID: "1"}})
	if err := next().Reject(t.Context(), "bad"); err != nil {
		t.Fatal(err)
	}
	newest := journal.Origin{Source: 7, Cursor: "b"}
	at := appendFrom(t, j, newest, []earshot.Post{{Source: earshot.Bluesky, GUID: "2"}})
	next()
	if n, err := j.RetryDeadLetters(t.Context(), at); n != 1 || err != nil {
		t.Fatalf("got %d, %v, want 1 letter", n, err)
	}
	wantGUID(t, next(), "1")
	wantOrigins(t, j, at)
}

func appendFrom(t *testing.T, j journal.Journal, o journal.Origin, posts []earshot.Post) earshot.Position {
	t.Helper()
	at, err := j.Append(t.Context(), journal.Entry{Posts: posts, Origin: &o})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func wantOrigins(t *testing.T, j journal.Journal, after earshot.Position, want ...journal.StoredOrigin) {
	t.Helper()
	var got []journal.StoredOrigin
	for o, err := range j.Origins(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, o)
	}
	if !slices.Equal(got, want) {
		t.Errorf("origins after %d: got %+v, want %+v", after, got, want)
	}
}
