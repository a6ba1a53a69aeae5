// Package memory implements the journal in memory, with a map and a lock. It encodes entries like
// the durable journal. All data is lost when the process ends.
package memory

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/journal"
)

// A Journal is a [journal.Journal] in memory.
type Journal struct {
	mu          sync.Mutex // guards the fields below
	entries     map[earshot.Position]entry
	first       earshot.Position // first stored entry; last+1 if there are none
	last        earshot.Position
	appended    chan struct{}
	consumers   map[string]*consumer
	deadLetters []deadEntry // oldest first
}

type entry struct {
	data []byte
	time time.Time
}

type deadEntry struct {
	journal.DeadLetter
	entry
}

// A consumer has acknowledged all entries up to after, and the ones in acked.
type consumer struct {
	after earshot.Position
	acked map[earshot.Position]bool
}

var _ journal.Archive = (*Journal)(nil)

// New returns an empty journal.
func New() *Journal {
	return &Journal{
		entries:   map[earshot.Position]entry{},
		first:     1,
		appended:  make(chan struct{}),
		consumers: map[string]*consumer{},
	}
}

// Append implements journal.Journal.
func (j *Journal) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	data, err := journal.Encode(e)
	if errors.Is(err, journal.ErrTooLarge) {
		return 0, earshot.Errorf(earshot.TooLarge, "The request is too large. Please split it into several requests")
	}
	if err := errors.Join(err, ctx.Err()); err != nil {
		return 0, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.add(data), nil
}

// add appends an encoded entry. j.mu must be held.
func (j *Journal) add(data []byte) earshot.Position {
	j.last++
	j.entries[j.last] = entry{data: data, time: time.Now().UTC()}
	close(j.appended)
	j.appended = make(chan struct{})
	return j.last
}

// Batches implements journal.Journal.
func (j *Journal) Batches(ctx context.Context, name string) iter.Seq[*journal.Batch] {
	return func(yield func(*journal.Batch) bool) {
		at := j.start(name)
		for ctx.Err() == nil {
			next, found, appended := j.next(name, at)
			if !found {
				select {
				case <-ctx.Done():
				case <-appended:
				}
				continue
			}
			at = next
			if b, ok := j.batch(name, at); ok && !yield(b) {
				return
			}
		}
	}
}

// Rewind implements journal.Journal.
func (j *Journal) Rewind(_ context.Context, name string, after earshot.Position) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if after+1 < j.first {
		return fmt.Errorf("rewind %s: entries %d to %d are no longer in the journal", name, after+1, j.first-1)
	}
	j.consumers[name] = &consumer{after: after, acked: map[earshot.Position]bool{}}
	return nil
}

// Last implements journal.Journal.
func (j *Journal) Last(context.Context) (earshot.Position, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last, nil
}

// Pending implements journal.Journal.
func (j *Journal) Pending(_ context.Context, name string) (pending int64, _ error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := j.consumer(name)
	for p := max(c.after+1, j.first); p <= j.last; p++ {
		if j.isPending(c, p) {
			pending++
		}
	}
	return pending, nil
}

// Origins implements journal.Journal.
func (j *Journal) Origins(ctx context.Context, after earshot.Position) iter.Seq2[journal.StoredOrigin, error] {
	return func(yield func(journal.StoredOrigin, error) bool) {
		s, _ := j.Span(ctx)
		for p := max(after+1, s.First); p <= s.Last; p++ {
			if ctx.Err() != nil {
				yield(journal.StoredOrigin{}, ctx.Err())
				return
			}
			e, ok := j.at(p)
			if !ok {
				continue
			}
			o, err := journal.DecodeOrigin(e.data)
			if err != nil || o == nil || o.Cursor == "" {
				continue
			}
			if !yield(journal.StoredOrigin{Origin: *o, Position: p}, nil) {
				return
			}
		}
	}
}

// DeadLetters implements journal.Journal.
func (j *Journal) DeadLetters(context.Context) (journal.DeadLetters, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	d := journal.DeadLetters{Count: int64(len(j.deadLetters))}
	for _, letter := range slices.Backward(j.deadLetters[max(0, len(j.deadLetters)-20):]) {
		d.Recent = append(d.Recent, letter.DeadLetter)
	}
	return d, nil
}

// LastBefore implements journal.Journal.
func (j *Journal) LastBefore(ctx context.Context, t time.Time) (last earshot.Position, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for p, e := range j.entries {
		if e.time.Before(t) {
			last = max(last, p)
		}
	}
	return last, ctx.Err()
}

// Trim implements journal.Journal.
func (j *Journal) Trim(ctx context.Context, upTo earshot.Position, before time.Time) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for ; j.first <= min(upTo, j.last); j.first++ {
		if e, ok := j.entries[j.first]; ok && !e.time.Before(before) {
			break
		}
		delete(j.entries, j.first)
	}
	return ctx.Err()
}

// start returns the position after which a loop of the consumer starts.
func (j *Journal) start(name string) earshot.Position {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.consumer(name).after
}

// next returns the first unacknowledged entry after a position. If there is none, it returns a
// channel that the next Append closes.
func (j *Journal) next(name string, at earshot.Position) (next earshot.Position, found bool, appended <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := j.consumer(name)
	for p := max(at+1, j.first); p <= j.last; p++ {
		if j.isPending(c, p) {
			return p, true, nil
		}
	}
	return 0, false, j.appended
}

// isPending reports whether the journal has an entry at p that the consumer has not acknowledged.
// j.mu must be held.
func (j *Journal) isPending(c *consumer, p earshot.Position) bool {
	_, there := j.entries[p]
	return there && p > c.after && !c.acked[p]
}

// batch returns the entry at p. If it cannot be decoded, batch rejects it and returns false.
func (j *Journal) batch(name string, p earshot.Position) (*journal.Batch, bool) {
	j.mu.Lock()
	stored, there := j.entries[p]
	j.mu.Unlock()
	if !there {
		return nil, false // trimmed in the meantime
	}
	ack := func() error { j.ack(name, p); return nil }
	reject := func(_ context.Context, reason string) error { j.addDeadLetter(p, stored, reason); return ack() }
	e, err := journal.Decode(stored.data)
	if err != nil {
		reject(context.Background(), err.Error())
		return nil, false
	}
	return &journal.Batch{Entry: e, Position: p, Time: stored.time, Ack: ack, Reject: reject, InProgress: func() {}}, true
}

func (j *Journal) ack(name string, p earshot.Position) {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := j.consumer(name)
	c.acked[p] = true
	for c.after < j.last && !j.isPending(c, c.after+1) {
		c.after++
		delete(c.acked, c.after)
	}
}

func (j *Journal) addDeadLetter(p earshot.Position, e entry, reason string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !slices.ContainsFunc(j.deadLetters, func(d deadEntry) bool { return d.Position == p }) {
		j.deadLetters = append(j.deadLetters, deadEntry{journal.DeadLetter{Position: p, Time: time.Now().UTC(), Reason: reason}, e})
	}
}

// consumer returns the named consumer, and creates it if needed. j.mu must be held.
func (j *Journal) consumer(name string) *consumer {
	c, ok := j.consumers[name]
	if !ok {
		c = &consumer{acked: map[earshot.Position]bool{}}
		j.consumers[name] = c
	}
	return c
}
