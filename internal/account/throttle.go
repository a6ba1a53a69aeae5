package account

import (
	"sync"
	"time"
)

// A throttle delays attempts under a key after too many failures. The first delay is one second. It
// doubles with each further failure, up to one minute.
type throttle struct {
	freeFailures int // number of failures before delays start

	mu       sync.Mutex
	failures map[string]failures // guarded by mu
}

type failures struct {
	count int
	last  time.Time
}

const (
	maxWait     = time.Minute      // slows guessing without locking users out
	forgetAfter = 15 * time.Minute // a key without failures for this long starts over
	maxKeys     = 100_000          // bounds memory when attempts use many keys
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

// add records a failure.
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

// reset clears the failures of a key after a successful attempt.
func (t *throttle) reset(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.failures, key)
}

// evict removes the keys that are no longer delayed, or all keys if that is not enough. The caller
// must hold mu.
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
