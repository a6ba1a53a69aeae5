package account

import (
	"sync"
	"time"
)

// A throttle makes attempts under a key wait once too many have failed: one
// second at first, twice as long after each further failure, a minute at most.
type throttle struct {
	freeFailures int // failures that cost nothing

	mu       sync.Mutex
	failures map[string]failures
}

type failures struct {
	count int
	last  time.Time
}

const (
	maxWait     = time.Minute
	forgetAfter = 15 * time.Minute
	maxKeys     = 100_000 // a hostile spread of keys cannot take all memory
)

func newThrottle(free int) *throttle {
	return &throttle{freeFailures: free, failures: map[string]failures{}}
}

// wait returns how long the next attempt under key must still wait.
func (t *throttle) wait(now time.Time, key string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.failures[key]
	over := f.count - t.freeFailures
	if over < 0 {
		return 0
	}
	delay := min(time.Second<<min(over, 10), maxWait)
	return max(f.last.Add(delay).Sub(now), 0)
}

// add counts a failure.
func (t *throttle) add(now time.Time, key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.failures) >= maxKeys {
		t.evict(now)
	}
	f := t.failures[key]
	if now.Sub(f.last) > forgetAfter {
		f.count = 0
	}
	t.failures[key] = failures{f.count + 1, now}
}

// reset clears a key after a success.
func (t *throttle) reset(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.failures, key)
}

// evict forgets what no longer waits, and everything when that is not enough.
func (t *throttle) evict(now time.Time) {
	for k, f := range t.failures {
		if now.Sub(f.last) > maxWait {
			delete(t.failures, k)
		}
	}
	if len(t.failures) >= maxKeys {
		clear(t.failures)
	}
}
