package jetstream_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/journal/jetstream"
	"earshot/internal/state/journal/journaltest"
	"earshot/internal/state/natsnode"
)

func TestJournal(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) journal.Journal {
		_, j := open(t, t.TempDir())
		return j
	})
}

func TestArchive(t *testing.T) {
	journaltest.RunArchive(t, func(t *testing.T) journal.Archive {
		_, j := open(t, t.TempDir())
		return j
	})
}

func TestEntriesSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	node, j := open(t, dir)
	for i := range 5 {
		appendPost(t, j, fmt.Sprint(i))
	}
	next, stop := pull(t, j)
	for i := range 3 {
		b := next()
		if i == 0 {
			if err := b.Reject(t.Context(), "bad"); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := b.Ack(); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	node.Close()

	_, j = open(t, dir)
	if last, err := j.Last(t.Context()); err != nil || last != 5 {
		t.Errorf("Last: got %d, %v, want 5", last, err)
	}
	d, err := j.DeadLetters(t.Context())
	if err != nil || d.Count != 1 || d.Recent[0].Position != 1 || d.Recent[0].Reason != "bad" {
		t.Errorf("dead letters: got %+v, %v, want position 1, bad", d, err)
	}
	next, stop = pull(t, j)
	defer stop()
	for i := 3; i < 5; i++ {
		if got := next().Posts[0].GUID; got != fmt.Sprint(i) {
			t.Errorf("got post %s, want %d", got, i)
		}
	}
	if p := appendPost(t, j, "new"); p != 6 {
		t.Errorf("next position: got %d, want 6", p)
	}
}

func TestAnUndecodableEntryBecomesADeadLetter(t *testing.T) {
	node, j := open(t, t.TempDir())
	garbage := []string{"", "hello", "\x01hello", "\x02", strings.Repeat("\x00", 1000)}
	appendPost(t, j, "first")
	for _, data := range garbage {
		if _, err := node.JetStream().Publish(t.Context(), "journal", []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	appendPost(t, j, "last")

	next, stop := pull(t, j)
	defer stop()
	for _, want := range []string{"first", "last"} {
		if got := next().Posts[0].GUID; got != want {
			t.Errorf("got post %s, want %s", got, want)
		}
	}
	d, err := j.DeadLetters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Count != int64(len(garbage)) {
		t.Errorf("got %d dead letters, want %d", d.Count, len(garbage))
	}
	for i, l := range d.Recent {
		if want := earshot.Position(6 - i); l.Position != want || !strings.HasPrefix(l.Reason, "decode journal entry: ") {
			t.Errorf("letter %d: got position %d, %q, want %d, decode journal entry: …", i, l.Position, l.Reason, want)
		}
	}
	letters, err := node.JetStream().Stream(t.Context(), "DEADLETTERS")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := letters.GetLastMsgForSubject(t.Context(), "deadletter.3")
	if err != nil || string(kept.Data) != "hello" {
		t.Errorf("letter of position 3: got %v, %v, want hello", kept, err)
	}
}

func TestAppendRejectsAPostThatIsTooLarge(t *testing.T) {
	_, j := open(t, t.TempDir())
	huge := journal.Entry{Posts: []earshot.Post{{GUID: "1"}, {GUID: "2", Contents: strings.Repeat("x", 70<<20)}}}
	if _, err := j.Append(t.Context(), huge); !earshot.IsKind(err, earshot.TooLarge) {
		t.Errorf("got %.100v, want a TooLarge error", err)
	}
	if last, err := j.Last(t.Context()); err != nil || last != 0 {
		t.Errorf("Last: got %d, %v, want 0", last, err)
	}
}

func TestAppendToAClosedNodeIsUnavailable(t *testing.T) {
	node, j := open(t, t.TempDir())
	node.Close()
	_, err := j.Append(t.Context(), journal.Entry{Posts: []earshot.Post{{GUID: "1"}}})
	if !earshot.IsKind(err, earshot.Unavailable) {
		t.Errorf("got %v, want an Unavailable error", err)
	}
}

// open opens a journal and closes it at the end of the test.
func open(t testing.TB, dir string) (*natsnode.Node, *jetstream.Journal) {
	t.Helper()
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	j, err := jetstream.Open(t.Context(), node, jetstream.Options{Log: logTo(t)})
	if err != nil {
		t.Fatal(err)
	}
	return node, j
}

// logTo returns a logger whose output is shown if the test fails.
func logTo(t testing.TB) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

func appendPost(t testing.TB, j *jetstream.Journal, guid string) earshot.Position {
	t.Helper()
	p, err := j.Append(t.Context(), journal.Entry{Posts: []earshot.Post{{Source: earshot.Blogs, GUID: guid}}})
	if err != nil {
		t.Errorf("Append: %v", err)
	}
	return p
}

// pull starts a loop. next fails the test if no entry arrives.
func pull(t *testing.T, j *jetstream.Journal) (next func() *journal.Batch, stop func()) {
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	each, end := iter.Pull(j.Batches(ctx, "test"))
	next = func() *journal.Batch {
		t.Helper()
		b, ok := each()
		if !ok {
			t.Fatal("no entry arrived")
		}
		return b
	}
	return next, func() { end(); cancel() }
}
