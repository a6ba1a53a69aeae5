package natsnode

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestABatchWithManySubjectsIsStoredInOrder(t *testing.T) {
	n := open(t, t.TempDir())
	s := subjects(t, n)
	for _, size := range []int{1, 2, MaxBatch} {
		before := s.CachedInfo().State.LastSeq
		messages := batch(size)
		seq, err := n.PublishBatch(t.Context(), messages)
		if err != nil || seq != before+uint64(size) {
			t.Fatalf("%d messages: got sequence %d, %v, want %d", size, seq, err, before+uint64(size))
		}
		for _, i := range []int{0, size / 2, size - 1} {
			m, err := s.GetMsg(t.Context(), before+1+uint64(i))
			if err != nil || m.Subject != messages[i].Subject || string(m.Data) != fmt.Sprint(i) {
				t.Errorf("%d messages, the one at %d: got %+v, %v", size, i, m, err)
			}
		}
		if err := s.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Info(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestABatchWithAWrongExpectationIsNotStored(t *testing.T) {
	n := open(t, t.TempDir())
	s := subjects(t, n)
	for _, want := range []error{nil, ErrConflict, ErrConflict} { // repeats conflict too
		if _, err := n.PublishBatch(t.Context(), batch(20)); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	messages := batch(20)
	for i := range messages[:10] {
		ExpectLast(messages[i], uint64(11+i))
	}
	messages[3].Header.Set(jetstream.ExpectedLastSubjSeqHeader, "1")
	if _, err := n.PublishBatch(t.Context(), messages); !errors.Is(err, ErrConflict) {
		t.Errorf("one in the middle: got %v, want ErrConflict", err)
	}
	ExpectLast(messages[3], 14)
	if seq, err := n.PublishBatch(t.Context(), messages); err != nil || seq != 40 {
		t.Errorf("got sequence %d, %v, want 40", seq, err)
	}
	if info, err := s.Info(t.Context()); err != nil || info.State.Msgs != 40 {
		t.Errorf("got %+v, %v, want 40 messages", info, err)
	}
}

// batch returns messages for ten empty subjects.
func batch(size int) []*nats.Msg {
	messages := make([]*nats.Msg, size)
	for i := range messages {
		messages[i] = &nats.Msg{Subject: fmt.Sprint("batch.", i%10), Data: []byte(fmt.Sprint(i))}
		if i < 10 {
			ExpectLast(messages[i], 0)
		}
	}
	return messages
}

func subjects(t testing.TB, n *Node) jetstream.Stream {
	t.Helper()
	s, err := n.JetStream().CreateOrUpdateStream(t.Context(), jetstream.StreamConfig{Name: "B", Subjects: []string{"batch.*"}, AllowAtomicPublish: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
