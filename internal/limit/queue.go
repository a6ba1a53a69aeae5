package limit

import (
	"context"
	"slices"
	"sync"
	"time"

	"earshot"
)

// A Queue hashes passwords, a few at a time, because each hash needs 19 MiB and a core. Attempts
// wait in two lanes: those with a good record, which get most of the turns, and all others. Within a
// lane, keys take turns, so that many attempts under one key do not delay those of others. Under a
// key, the newest attempt is first: if there are many, most are guesses, and those who guess wait for
// their responses. A full lane drops the oldest attempt of the key that has the most.
type Queue struct {
	mu      sync.Mutex
	free    int  // guarded by mu: number of hashes that may start
	turns   int  // guarded by mu: number of hashes that ended
	trusted lane // guarded by mu
	other   lane // guarded by mu
}

// A Turn is who waits in a [Queue].
type Turn struct {
	Trusted bool   // has a good record
	Key     string // attempts under the same key are in the same line
}

// A lane holds waiting attempts by key.
type lane struct {
	keys    []string // keys with waiting attempts; the first has the next turn
	waiting map[string][]*attempt
	size    int
}

type attempt struct {
	turn chan struct{} // closed when it is its turn or it was dropped
	err  error         // set before turn is closed
}

const (
	maxHashingWaiters = 256 // of a lane; the last of them waits a few seconds
	trustedTurns      = 4   // of every trustedTurns turns, one is for the other lane
)

// errBusy is the response to an attempt that a full lane dropped.
var errBusy = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
	Message: "Too many people are signing in at the same time. Please try again in a moment"}

// NewQueue returns a queue that runs this many hashes at a time.
func NewQueue(jobs int) *Queue { return &Queue{free: jobs} }

// Do calls f when it is its turn, and returns when f has returned. If ctx ends or the attempt is
// dropped first, it returns an error without calling f. The error of a dropped attempt can be sent to
// the client.
func (q *Queue) Do(ctx context.Context, t Turn, f func()) error {
	if err := q.enter(ctx, t); err != nil {
		return err
	}
	defer q.leave()
	f()
	return nil
}

func (q *Queue) enter(ctx context.Context, t Turn) error {
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return nil
	}
	l := &q.other
	if t.Trusted {
		l = &q.trusted
	}
	w := l.add(t.Key)
	q.mu.Unlock()
	select {
	case <-w.turn:
		return w.err
	case <-ctx.Done():
	}
	q.mu.Lock()
	waiting := l.remove(t.Key, w)
	q.mu.Unlock()
	if !waiting && w.err == nil { // its turn has just come
		q.leave()
	}
	return ctx.Err()
}

// leave passes the turn on.
func (q *Queue) leave() {
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

// add adds an attempt under a key. If the lane is full, it drops the oldest attempt of the key that has
// the most.
func (l *lane) add(key string) *attempt {
	if l.size >= maxHashingWaiters {
		longest := slices.MaxFunc(l.keys, func(a, b string) int { return len(l.waiting[a]) - len(l.waiting[b]) })
		dropped := l.waiting[longest][0]
		l.remove(longest, dropped)
		dropped.err = errBusy
		close(dropped.turn)
	}
	if l.waiting == nil {
		l.waiting = map[string][]*attempt{}
	}
	w := &attempt{turn: make(chan struct{})}
	if len(l.waiting[key]) == 0 {
		l.keys = append(l.keys, key)
	}
	l.waiting[key] = append(l.waiting[key], w)
	l.size++
	return w
}

// next removes and returns the newest attempt of the key that has the next turn, or nil.
func (l *lane) next() *attempt {
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

// remove removes an attempt and reports whether it was waiting.
func (l *lane) remove(key string, w *attempt) bool {
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
