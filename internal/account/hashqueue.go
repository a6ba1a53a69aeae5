package account

import (
	"context"
	"slices"
	"sync"
	"time"

	"earshot"
)

// A hashQueue runs password hashes, a few at a time, because each needs 19 MiB and a core. Attempts
// wait in two lanes: those with a good record, which get most of the turns, and all others. Within a
// lane, keys take turns, so that many attempts under one key do not delay those of others. Under a
// key, the newest attempt is first: if there are many, most are guesses, and those who guess wait for
// their responses. A full lane drops the oldest attempt of the key that has the most.
type hashQueue struct {
	mu      sync.Mutex
	free    int  // guarded by mu: number of hashes that may start
	turns   int  // guarded by mu: number of hashes that waited
	trusted lane // guarded by mu
	other   lane // guarded by mu
}

// A lane holds waiting attempts by key.
type lane struct {
	keys    []string // keys with waiting attempts; the first has the next turn
	waiting map[string][]*waiter
	size    int
}

type waiter struct {
	turn chan struct{} // closed when it is the waiter's turn or it was dropped
	err  error         // set before turn is closed
}

const (
	hashJobs     = 2   // concurrent hashes
	maxLane      = 256 // waiting attempts of a lane; the last of them waits a few seconds
	trustedTurns = 4   // of every trustedTurns turns, one is for the other lane
)

var errBusy = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
	Message: "Too many people are signing in at the same time; try again in a moment"}

func newHashQueue(jobs int) *hashQueue { return &hashQueue{free: jobs} }

// do calls f when it is its turn. If it returns an error, it did not call f.
func (q *hashQueue) do(ctx context.Context, trusted bool, key string, f func()) error {
	if err := q.enter(ctx, trusted, key); err != nil {
		return err
	}
	defer q.leave()
	f()
	return nil
}

func (q *hashQueue) enter(ctx context.Context, trusted bool, key string) error {
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return nil
	}
	l := &q.other
	if trusted {
		l = &q.trusted
	}
	w := l.add(key)
	q.mu.Unlock()
	select {
	case <-w.turn:
		return w.err
	case <-ctx.Done():
	}
	q.mu.Lock()
	waiting := l.remove(key, w)
	q.mu.Unlock()
	if !waiting && w.err == nil { // its turn has just come
		q.leave()
	}
	return ctx.Err()
}

// leave passes the turn on.
func (q *hashQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.turns++
	first, second := &q.trusted, &q.other
	if q.turns%trustedTurns == 0 {
		first, second = second, first
	}
	w := first.next()
	if w == nil {
		w = second.next()
	}
	if w == nil {
		q.free++
		return
	}
	close(w.turn)
}

// add adds a waiter under a key. If the lane is full, it drops the oldest waiter of the key that has
// the most.
func (l *lane) add(key string) *waiter {
	if l.size >= maxLane {
		longest := slices.MaxFunc(l.keys, func(a, b string) int { return len(l.waiting[a]) - len(l.waiting[b]) })
		dropped := l.waiting[longest][0]
		l.remove(longest, dropped)
		dropped.err = errBusy
		close(dropped.turn)
	}
	if l.waiting == nil {
		l.waiting = map[string][]*waiter{}
	}
	w := &waiter{turn: make(chan struct{})}
	if len(l.waiting[key]) == 0 {
		l.keys = append(l.keys, key)
	}
	l.waiting[key] = append(l.waiting[key], w)
	l.size++
	return w
}

// next removes and returns the newest waiter of the key that has the next turn, or nil.
func (l *lane) next() *waiter {
	if len(l.keys) == 0 {
		return nil
	}
	key := l.keys[0]
	list := l.waiting[key]
	w := list[len(list)-1]
	l.remove(key, w)
	if len(l.keys) > 0 && l.keys[0] == key {
		l.keys = append(l.keys[1:], key)
	}
	return w
}

// remove removes a waiter and reports whether it was waiting.
func (l *lane) remove(key string, w *waiter) bool {
	i := slices.Index(l.waiting[key], w)
	if i < 0 {
		return false
	}
	l.size--
	if l.waiting[key] = slices.Delete(l.waiting[key], i, i+1); len(l.waiting[key]) == 0 {
		delete(l.waiting, key)
		l.keys = slices.DeleteFunc(l.keys, func(k string) bool { return k == key })
	}
	return true
}
