package insight

import (
	"context"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// How much a memo keeps.
const (
	memoAnswers = 4096
	memoBytes   = 16 << 20
)

// A memo keeps answers that take long to compute, those that were asked for last. An answer
// is computed once, however many ask for it at the same time. The zero memo is empty.
type memo[V weighty] struct {
	mu      sync.Mutex
	answers map[memoKey]*memoAnswer[V]
	bytes   int
	asked   uint64 // how often something was
}

// weighty is what knows roughly how many bytes it takes.
type weighty interface{ weight() int }

// A memoKey is all that an answer depends on.
type memoKey struct {
	monitor  earshot.MonitorID
	from, to time.Time
	version  poststore.Version // of the monitor's posts in that range
	question string            // what else was asked, different for different questions
}

// A memoAnswer is an answer, or a place for one that is being computed.
type memoAnswer[V weighty] struct {
	done  chan struct{} // is closed when value is there, or when there will be none
	value V
	ok    bool   // value is there
	asked uint64 // when it was last asked for
}

func (a *memoAnswer[V]) weight(key memoKey) int { return a.value.weight() + len(key.question) }

// remember returns the answer of compute about posts of a monitor, an earlier one if these
// have not changed since. The answer belongs to all who ask: nobody may change it.
func remember[V weighty](ctx context.Context, s Store, m *memo[V], of poststore.Selection, question string, compute func() (V, error)) (none V, err error) {
	version, err := s.Version(ctx, of.Monitor, of.From, of.To)
	if err != nil {
		return none, err
	}
	key := memoKey{of.Monitor, of.From.UTC(), of.To.UTC(), version, question}
	return m.get(ctx, key, func() (v V, same bool, err error) {
		if v, err = compute(); err != nil {
			return v, false, err
		}
		// What changed while it was computed may change back.
		after, err := s.Version(ctx, of.Monitor, of.From, of.To)
		return v, after == version, err
	})
}

// get returns the answer of a key. When there is none, compute makes it, and says whether it
// is to be kept.
func (m *memo[V]) get(ctx context.Context, key memoKey, compute func() (value V, keep bool, err error)) (none V, err error) {
	for {
		a, found := m.find(key)
		if !found {
			return m.fill(key, a, compute)
		}
		select {
		case <-a.done:
		case <-ctx.Done():
			return none, ctx.Err()
		}
		if a.ok {
			return a.value, nil
		}
		// Who computed it failed, perhaps because nobody waited there any more.
	}
}

// find returns the answer of a key. When there is none, it returns a place for the caller to
// fill.
func (m *memo[V]) find(key memoKey) (a *memoAnswer[V], found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	if a, found = m.answers[key]; !found {
		if m.answers == nil {
			m.answers = map[memoKey]*memoAnswer[V]{}
		}
		a = &memoAnswer[V]{done: make(chan struct{})}
		m.answers[key] = a
	}
	a.asked = m.asked
	return a, found
}

// fill computes an answer and takes its place out again when it is not to be kept.
func (m *memo[V]) fill(key memoKey, a *memoAnswer[V], compute func() (V, bool, error)) (value V, err error) {
	ok, keep := false, false
	defer func() { // also when compute panics
		m.mu.Lock()
		defer m.mu.Unlock()
		a.value, a.ok = value, ok
		if keep {
			m.bytes += a.weight(key)
			m.trim()
		} else {
			delete(m.answers, key)
		}
		close(a.done)
	}()
	value, keep, err = compute()
	ok = err == nil
	keep = keep && ok
	return value, err
}

// trim forgets what was not asked for longest until the rest is not too much. The caller
// holds the lock.
func (m *memo[V]) trim() {
	for len(m.answers) > memoAnswers || m.bytes > memoBytes {
		var oldest memoKey
		least := m.asked + 1
		for key, a := range m.answers {
			if a.ok && a.asked < least {
				oldest, least = key, a.asked
			}
		}
		if least > m.asked { // all that are left are being computed
			return
		}
		m.bytes -= m.answers[oldest].weight(oldest)
		delete(m.answers, oldest)
	}
}
