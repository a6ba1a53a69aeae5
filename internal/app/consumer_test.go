package app

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/config"
	"earshot/internal/state/natsnode"
)

// TestADamagedConsumerDoesNotPreventTheStart damages the consumer that an earlier version has left. It
// is only a position in the journal, so nothing is lost or counted twice.
func TestADamagedConsumerDoesNotPreventTheStart(t *testing.T) {
	cfg := testConfig(t)
	a := open(t, cfg, &sink{})
	ready(t, a)
	f := newFixture(t, a)
	f.upload(t, a, "1")
	f.upload(t, a, "2")
	want := f.volume(t, a)
	a.Close()

	addOldConsumer(t, cfg)
	flip(t, cfg, "nats/jetstream/$G/streams/JOURNAL/obs/*/meta.inf")
	log := &sink{}
	a = open(t, cfg, log)
	defer a.Close()
	ready(t, a)
	if got := f.volume(t, a); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !strings.Contains(log.String(), "damaged consumer") {
		t.Error("the log does not mention the damaged consumer")
	}
	f.upload(t, a, "3")
	if got := f.volume(t, a); got == want {
		t.Errorf("got %s after another upload", got)
	}
}

// addOldConsumer creates the consumer that earlier versions had.
func addOldConsumer(t *testing.T, cfg config.Config) {
	t.Helper()
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: filepath.Join(cfg.Data, "nats")})
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	durable := jetstream.ConsumerConfig{Durable: "pipeline", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 16}
	if _, err := node.JetStream().CreateOrUpdateConsumer(t.Context(), "JOURNAL", durable); err != nil {
		t.Fatal(err)
	}
}
