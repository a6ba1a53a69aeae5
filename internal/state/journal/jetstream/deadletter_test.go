package jetstream_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/journal/jetstream"
	"earshot/internal/state/natsnode"
)

func TestDeadLettersLeaveNoConsumers(t *testing.T) {
	node, j := open(t, t.TempDir())
	deadLetters(t, node, 1, 30)
	for range 50 {
		wantDeadLetters(t, j, 30, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11)
	}
	info, err := stream(t, node).Info(t.Context())
	if err != nil || info.State.Consumers != 0 {
		t.Errorf("got %d consumers, %v, want none", info.State.Consumers, err)
	}
}

func TestRemovedDeadLettersAreNotListed(t *testing.T) {
	node, j := open(t, t.TempDir())
	deadLetters(t, node, 1, 5)
	wantDeadLetters(t, j, 5, 5, 4, 3, 2, 1)
	remove(t, node, 3, 5)
	wantDeadLetters(t, j, 3, 4, 2, 1)
	deadLetters(t, node, 6, 6)
	wantDeadLetters(t, j, 4, 6, 4, 2, 1)
	remove(t, node, 1, 2, 4, 6)
	wantDeadLetters(t, j, 0)
}

func TestDeadLettersBeyondAWideGapAreCountedButNotListed(t *testing.T) {
	node, j := open(t, t.TempDir())
	deadLetters(t, node, 1, 210)
	for seq := uint64(3); seq < 210; seq++ {
		remove(t, node, seq)
	}
	wantDeadLetters(t, j, 3, 210)
}

func TestALargeDeadLetterIsListed(t *testing.T) {
	node, j := open(t, t.TempDir())
	letter(t, node, 1, make([]byte, 6<<20))
	wantDeadLetters(t, j, 1, 1)
}

func TestForeignMessagesAreCountedButNotListed(t *testing.T) {
	node, j := open(t, t.TempDir())
	deadLetters(t, node, 1, 1)
	if _, err := node.JetStream().Publish(t.Context(), "deadletter.x", nil); err != nil {
		t.Fatal(err)
	}
	wantDeadLetters(t, j, 2, 1)
}

func TestCallersMayModifyTheListOfDeadLetters(t *testing.T) {
	node, j := open(t, t.TempDir())
	deadLetters(t, node, 1, 2)
	d, err := j.DeadLetters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clear(d.Recent)
	wantDeadLetters(t, j, 2, 2, 1)
}

// wantDeadLetters compares the number of dead letters and the positions of the listed ones.
func wantDeadLetters(t *testing.T, j *jetstream.Journal, count int64, positions ...earshot.Position) {
	t.Helper()
	d, err := j.DeadLetters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []earshot.Position
	for _, l := range d.Recent {
		got = append(got, l.Position)
		if want := fmt.Sprintf("reason %d", l.Position); l.Reason != want || l.Time.IsZero() {
			t.Errorf("letter %d: got %q at %v, want %q", l.Position, l.Reason, l.Time, want)
		}
	}
	if d.Count != count || !slices.Equal(got, positions) {
		t.Errorf("got %d letters, shown %v, want %d, shown %v", d.Count, got, count, positions)
	}
}

// deadLetters stores dead letters for the positions from first to last.
func deadLetters(t *testing.T, node *natsnode.Node, first, last int) {
	t.Helper()
	for p := first; p <= last; p++ {
		letter(t, node, p, []byte("x"))
	}
}

func letter(t *testing.T, node *natsnode.Node, position int, data []byte) {
	t.Helper()
	_, err := node.Publish(t.Context(), &nats.Msg{
		Subject: fmt.Sprintf("deadletter.%d", position),
		Header:  nats.Header{"Earshot-Reason": {fmt.Sprintf("reason %d", position)}},
		Data:    data,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, node *natsnode.Node, sequences ...uint64) {
	t.Helper()
	for _, seq := range sequences {
		if err := stream(t, node).DeleteMsg(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
}

func stream(t *testing.T, node *natsnode.Node) natsjs.Stream {
	t.Helper()
	s, err := node.JetStream().Stream(t.Context(), "DEADLETTERS")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
