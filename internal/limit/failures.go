package limit

import (
	"container/list"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
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

	mu     sync.Mutex
	seed   []byte                   // guarded by mu
	shared map[uint64]failureChange // guarded by mu: what other nodes are told; nil: nothing
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
	seed := make([]byte, 16)
	rand.Read(seed) // never fails
	return &Failures{freeFailures: free, seed: seed, keys: map[uint64]*list.Element{}, oldest: list.New()}
}

// key hashes a key, because usernames that do not exist can be long and other nodes need not know
// them. The caller must hold mu.
func (t *Failures) key(parts []string) uint64 {
	h := hmac.New(sha256.New, t.seed)
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
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
	t.count(k, 1, now)
	t.note(k, func(c *failureChange) { c.Failures++ })
}

// count adds n failures of a key. The caller must hold mu.
func (t *Failures) count(k uint64, n int, now time.Time) {
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
	f.count += n
	f.last = now
	t.oldest.MoveToBack(e)
}

// Reset clears the failures of a key.
func (t *Failures) Reset(key ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.key(key)
	if e := t.keys[k]; e != nil {
		t.remove(e)
		t.note(k, func(c *failureChange) { c.Failures, c.Reset = 0, true })
	}
}

// remove removes a key. The caller must hold mu.
func (t *Failures) remove(e *list.Element) {
	delete(t.keys, t.oldest.Remove(e).(*failures).key)
}
