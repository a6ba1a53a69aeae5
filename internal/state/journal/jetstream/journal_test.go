package jetstream_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

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
	next, stop := pull(t, j, 0)
	if err := next().Reject(t.Context(), "bad"); err != nil {
		t.Fatal(err)
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
	next, stop = pull(t, j, 3)
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

	next, stop := pull(t, j, 0)
	defer stop()
	for i := range 7 {
		b := next()
		switch {
		case b.Position != earshot.Position(i+1):
			t.Fatalf("got position %d, want %d", b.Position, i+1)
		case i > 0 && i < 6:
			if !reflect.DeepEqual(b.Entry, journal.Entry{}) {
				t.Errorf("position %d: got %+v, want no content", b.Position, b.Entry)
			}
		case len(b.Posts) != 1 || b.Posts[0].GUID != map[int]string{0: "first", 6: "last"}[i]:
			t.Errorf("position %d: got %+v", b.Position, b.Posts)
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

func TestEntriesHaveTheCatalogRevisionOfTheirAppender(t *testing.T) {
	node, plain := open(t, t.TempDir())
	revision := uint64(0)
	j, err := jetstream.Open(t.Context(), node, jetstream.Options{Log: logTo(t), CatalogRevision: func() uint64 { return revision }})
	if err != nil {
		t.Fatal(err)
	}
	appendPost(t, plain, "single node")
	for _, revision = range []uint64{7, 93} {
		appendPost(t, j, "cluster")
	}
	next, stop := pull(t, plain, 0)
	defer stop()
	for _, want := range []uint64{0, 7, 93} {
		if got := next().Catalog; got != want {
			t.Errorf("got revision %d, want %d", got, want)
		}
	}
	// A restored catalog has other revisions, so a copy of the journal has none.
	_, restored := open(t, t.TempDir())
	if err := restored.Load(t.Context(), journal.Span{First: 1, Last: 3}, j.Entries(t.Context(), 3)); err != nil {
		t.Fatal(err)
	}
	again, stop := pull(t, restored, 0)
	defer stop()
	for range 3 {
		if b := again(); b.Catalog != 0 {
			t.Errorf("entry %d of the copy has revision %d, want none", b.Position, b.Catalog)
		}
	}
}

func TestLoopsLeaveNoConsumers(t *testing.T) {
	node, j := open(t, t.TempDir())
	appendPost(t, j, "1")
	for range 3 {
		next, stop := pull(t, j, 0)
		next()
		stop()
	}
	wantConsumers(t, node, 0)
}

func TestConsumersOfEarlierVersionsAreRemoved(t *testing.T) {
	node, _ := open(t, t.TempDir())
	for _, name := range []string{"pipeline", "pictures"} {
		config := natsjs.ConsumerConfig{Durable: name, AckPolicy: natsjs.AckExplicitPolicy, MaxAckPending: 16}
		if _, err := node.JetStream().CreateOrUpdateConsumer(t.Context(), "JOURNAL", config); err != nil {
			t.Fatal(err)
		}
	}
	wantConsumers(t, node, 2)
	if _, err := jetstream.Open(t.Context(), node, jetstream.Options{Log: logTo(t)}); err != nil {
		t.Fatal(err)
	}
	wantConsumers(t, node, 0)
}

func wantConsumers(t *testing.T, node *natsnode.Node, want int) {
	t.Helper()
	s, err := node.JetStream().Stream(t.Context(), "JOURNAL")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.CachedInfo().State.Consumers; got != want {
		t.Errorf("got %d consumers, want %d", got, want)
	}
}

// TestALoopResumesAfterTheLossOfItsConsumer removes the consumers of a loop, as the loss of a server
// does.
func TestALoopResumesAfterTheLossOfItsConsumer(t *testing.T) {
	node, j := open(t, t.TempDir())
	next, stop := pull(t, j, 0)
	defer stop()
	s, err := node.JetStream().Stream(t.Context(), "JOURNAL")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		appendPost(t, j, fmt.Sprint(i))
		if got := next().Posts[0].GUID; got != fmt.Sprint(i) {
			t.Fatalf("got post %s, want %d", got, i)
		}
		if i%4 != 3 {
			continue
		}
		for name := range s.ConsumerNames(t.Context()).Name() {
			if err := s.DeleteConsumer(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
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
func pull(t *testing.T, j *jetstream.Journal, after earshot.Position) (next func() *journal.Batch, stop func()) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	each, end := iter.Pull2(j.Batches(ctx, after))
	next = func() *journal.Batch {
		t.Helper()
		b, err, ok := each()
		if !ok || err != nil {
			t.Fatalf("no entry arrived: %v", err)
		}
		return b
	}
	return next, func() { end(); cancel() }
}
