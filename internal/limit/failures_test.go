package limit

import (
	"fmt"
	"testing"
	"time"
)

func TestFailuresDelayTheNextAttempt(t *testing.T) {
	f := NewFailures(3)
	now := time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)
	var waits []time.Duration
	for range 11 {
		f.Add(now, "ann", "192.0.2.1")
		waits = append(waits, f.Wait(now, "ann", "192.0.2.1"))
	}
	if got, want := fmt.Sprint(waits), "[0s 0s 1s 2s 4s 8s 16s 32s 1m0s 1m0s 1m0s]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if wait := f.Wait(now, "ann192.0.2.1"); wait != 0 {
		t.Errorf("another key: got %v, want no wait", wait)
	}
	f.Reset("ann", "192.0.2.1")
	if wait := f.Wait(now, "ann", "192.0.2.1"); wait != 0 {
		t.Errorf("after a success: got %v, want no wait", wait)
	}
}

func TestFailuresMemoryIsBounded(t *testing.T) {
	f := NewFailures(1)
	now := time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)
	for i := range maxKeys + 1000 {
		f.Add(now, fmt.Sprint(i))
	}
	if len(f.keys) != maxKeys || f.oldest.Len() != maxKeys {
		t.Errorf("got %d keys, want %d", len(f.keys), maxKeys)
	}
	if f.Wait(now, "0") != 0 || f.Wait(now, fmt.Sprint(maxKeys)) == 0 {
		t.Error("want the oldest keys to make room for new ones")
	}
}
