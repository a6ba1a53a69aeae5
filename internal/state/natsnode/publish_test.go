package natsnode

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestPublishingTheSameMessageAgainStoresItOnce(t *testing.T) {
	n := open(t, t.TempDir())
	stream(t, n)
	m := &nats.Msg{Subject: "s", Data: []byte("x")}
	for range 3 { // m keeps the ID added by the first call
		if seq, err := n.Publish(t.Context(), m); err != nil || seq != 1 {
			t.Errorf("got %d, %v, want 1", seq, err)
		}
	}
	if seq, err := n.Publish(t.Context(), &nats.Msg{Subject: "s", Data: []byte("x")}); err != nil || seq != 2 {
		t.Errorf("another message: got %d, %v, want 2", seq, err)
	}
}

func TestAnUnexpectedLastMessageIsAConflict(t *testing.T) {
	n := open(t, t.TempDir())
	stream(t, n)
	for _, want := range []error{nil, ErrConflict} {
		m := &nats.Msg{Subject: "s", Header: nats.Header{jetstream.ExpectedLastSubjSeqHeader: {"0"}}}
		if _, err := n.Publish(t.Context(), m); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func TestPartsAreStoredAtomically(t *testing.T) {
	n := open(t, t.TempDir())
	s := stream(t, n)
	parts := [][]byte{[]byte("a"), []byte("b"), []byte("c")}
	header := nats.Header{"Some-Header": {"x"}}
	if seq, err := n.PublishParts(t.Context(), "s", header, parts); err != nil || seq != 3 {
		t.Fatalf("got %d, %v, want 3", seq, err)
	}
	for i, want := range parts {
		m, err := s.GetMsg(t.Context(), uint64(i+1))
		if err != nil || string(m.Data) != string(want) || m.Header.Get("Some-Header") != "x" {
			t.Errorf("message %d: got %v, %v, want %s", i+1, m, err, want)
		}
	}
}

func TestAnIncompleteBatchIsNotStored(t *testing.T) {
	n := open(t, t.TempDir())
	s := stream(t, n)
	m := &nats.Msg{Subject: "s", Header: nats.Header{"Nats-Batch-Id": {"b"}, "Nats-Batch-Sequence": {"1"}}}
	if _, err := n.request(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if info, err := s.Info(t.Context()); err != nil || info.State.Msgs != 0 {
		t.Errorf("got %+v, %v, want no messages", info, err)
	}
}

func TestARepeatedBatchIsRecognized(t *testing.T) {
	n := open(t, t.TempDir())
	s := stream(t, n)
	parts := make([]*nats.Msg, 2)
	for i := range parts {
		parts[i] = &nats.Msg{Subject: "s", Header: nats.Header{jetstream.MsgIDHeader: {fmt.Sprint("id", i)}}}
	}
	if a, err := n.sendParts(t.Context(), parts); err != nil || a.Sequence != 2 {
		t.Fatalf("got %+v, %v, want 2", a, err)
	}
	if _, err := n.Publish(t.Context(), &nats.Msg{Subject: "s"}); err != nil {
		t.Fatal(err)
	}
	if a, err := n.publishPartsOnce(t.Context(), parts); err != nil || a.Sequence != 2 {
		t.Errorf("repeat: got %+v, %v, want 2", a, err)
	}
	if info, err := s.Info(t.Context()); err != nil || info.State.Msgs != 3 {
		t.Errorf("got %+v, %v, want 3 messages", info, err)
	}
}
