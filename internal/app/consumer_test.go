package app

import (
	"strings"
	"testing"
)

// TestADamagedConsumerDoesNotPreventTheStart damages the consumer of the pipeline. It is only a
// position in the journal, so nothing is lost or counted twice.
func TestADamagedConsumerDoesNotPreventTheStart(t *testing.T) {
	cfg := testConfig(t)
	a := open(t, cfg, &sink{})
	ready(t, a)
	f := newFixture(t, a)
	f.upload(t, a, "1")
	f.upload(t, a, "2")
	want := f.volume(t, a)
	a.Close()

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
