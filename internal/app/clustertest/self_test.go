package clustertest

import (
	"fmt"
	"slices"
	"testing"

	"earshot/internal/state/natsfile"
)

// A recorder is a test that only notes its errors.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// TestChecks checks that the checks of a history find errors.
func TestChecks(t *testing.T) {
	at := func(number, index int) delivery {
		return delivery{(&batch{uploader: "u0", number: number}).url(index), 1}
	}
	a, b, c := at(0, 0), at(0, 1), at(1, 0)
	want := map[delivery]bool{a: true, b: true, c: true}
	deliveries := func(got ...delivery) []string {
		r := &recorder{TB: t}
		(&load{c: &cluster{TB: r}}).checkDeliveries("reader", got, want)
		return r.errors
	}
	f := func(got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(deliveries(a, b, c))
	f(deliveries(a, b, a, b, c)) // again
	f(deliveries(a, c), "reader did not get {https://example.com/u0/0/1 1}")
	f(deliveries(a, c, b), "reader got {https://example.com/u0/0/1 1} after number 0 of batch 1")
	f(deliveries(b, a, c), "reader got {https://example.com/u0/0/0 1} after number 1 of batch 0")
	f(deliveries(a, b, c, at(2, 0)), "reader got {https://example.com/u0/2/0 1}, which is not stored")

	analyses := func(results ...result) []string {
		r := &recorder{TB: t}
		a := &analyst{client: client{load: &load{c: &cluster{TB: r}}}, answers: map[int64]string{}}
		for _, result := range results {
			a.record(result)
		}
		return r.errors
	}
	waiting, done, other := result{Status: "WAITING"}, result{Status: "DONE", Analysis: []byte("1")}, result{Status: "DONE", Analysis: []byte("2")}
	f(analyses(waiting, done, done))
	f(analyses(done, waiting), `result 0 is WAITING with , it was "1"`)
	f(analyses(done, other), `result 0 is DONE with 2, it was "1"`)

	stale := func(tokens ...uint64) int {
		log := fenceLog{raised: map[string][]uint64{}}
		for i, token := range tokens {
			r := natsfile.Record{Sequence: uint64(i + 1), Subject: "fence"}
			if token > 0 {
				r.Subject, r.Header = "data", fmt.Appendf(nil, "NATS/1.0\r\nNats-Expected-Last-Subject-Sequence: %d\r\nNats-Expected-Last-Subject-Sequence-Subject: fence\r\n\r\n", token)
			}
			log.add(r)
		}
		return len(log.stale())
	}
	if got := stale(0, 1, 1, 0, 4, 4); got != 0 { // 0 raises the fence
		t.Errorf("%d stale writes, want 0", got)
	}
	if got := stale(0, 1, 0, 1, 3); got != 1 {
		t.Errorf("%d stale writes, want the one with token 1 after 3", got)
	}
}
