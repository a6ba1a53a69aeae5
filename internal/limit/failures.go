package limit

import (
	"container/list"
	"hash/maphash"
	"sync"
	"time"
)

// Failures counts failed attempts at a secret by key, and says how long the next attempt must wait.
// The first delay is one second. It doubles with each further failure, up to one minute.
//
// Its size is bounded: the key whose last failure is the oldest makes room for a new one. Every
// failure costs a password hash, so filling the table takes longer than forgetAfter.
type Failures struct {
	freeFailures int // number of failures before delays start
	seed         maphash.Seed

	mu     sync.Mutex
	keys   map[uint64]*list.Element // guarded by mu
	oldest *list.List               // guarded by mu: failures, those with the oldest last failure first
}

type failures struct {
	key   uint64
	count int
	last  time.Time
}

const (
	maxWait     = time.Minute      // slows guessing without locking users out
	forgetAfter = 15 * time.Minute // a key without failures for this long starts over
	maxKeys     = 100_000          // about 15 MB
)

// NewFailures returns a table in which each key has this many failures before delays start.
func NewFailures(free int) *Failures {
	return &Failures{freeFailures: free, seed: maphash.MakeSeed(), keys: map[uint64]*list.Element{}, oldest: list.New()}
}

// key hashes a key, because usernames that do not exist can be long.
func (t *Failures) key(parts []string) uint64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	for _, p := range parts {
		h.WriteString(p)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// Wait returns how long the next attempt under a key must still wait.
func (t *Failures) Wait(now time.Time, key ...string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.keys[t.key(key)]
	if e == nil {
		return 0
	}
	f := e.Value.(*failures)
	over := f.count - t.freeFailures
	if over < 0 {
		return 0
	}
	delay := min(time.Second<<min(over, 10), maxWait)
	return max(f.last.Add(delay).Sub(now), 0)
}

// Add records a failure.
func (t *Failures) Add(now time.Time, key ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.key(key)
	e := t.keys[k]
	if e == nil {
		if len(t.keys) >= maxKeys {
			t.remove(t.oldest.Front())
		}
		e = t.oldest.PushBack(&failures{key: k})
		t.keys[k] = e
	}
	f := e.Value.(*failures)
	if now.Sub(f.last) > forgetAfter {
		f.count = 0
	}
	f.count++
	f.last = now
	t.oldest.MoveToBack(e)
}

// Reset clears the failures of a key.
func (t *Failures) Reset(key ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.keys[t.key(key)]; e != nil {
		t.remove(e)
	}
}

// remove removes a key. The caller must hold mu.
func (t *Failures) remove(e *list.Element) {
	delete(t.keys, t.oldest.Remove(e).(*failures).key)
}
