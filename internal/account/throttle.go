package account

import (
	"sync"
	"time"
)

// A throttle delays attempts under a key once too many have failed: by one second at first,
// twice as long after each further failure, and at most a minute.
type throttle struct {
	freeFailures int // before delays begin

	mu       sync.Mutex
	failures map[string]failures // guarded by mu
}

type failures struct {
	count int
	last  time.Time
}

const (
	maxWait     = time.Minute      // stops guessing, but does not lock users out
	forgetAfter = 15 * time.Minute // without failures
	maxKeys     = 100_000          // bounds the memory that attempts under many keys take
)

func newThrottle(free int) *throttle {
	return &throttle{freeFailures: free, failures: map[string]failures{}}
}

// wait returns the remaining delay of the next attempt under key.
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

// reset clears the failures of a key after a success.
func (t *throttle) reset(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.failures, key)
}

// evict removes keys without a delay, or all keys when that does not suffice. The caller holds
// mu.
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
