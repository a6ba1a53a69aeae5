// Package memory implements the journal in memory, with a map and a lock. It encodes entries like
// the durable journal. All data is lost when the process ends.
package memory

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/journal"
)

// A Journal is a [journal.Journal] in memory.
type Journal struct {
	CatalogRevision func() uint64 // of new entries; may be nil

	mu          sync.Mutex // guards the fields below
	entries     map[earshot.Position]entry
	first       earshot.Position // first stored entry; last+1 if there are none
	last        earshot.Position
	appended    chan struct{}
	deadLetters []deadEntry // oldest first
}

type entry struct {
	data    []byte
	time    time.Time
	catalog uint64
}

type deadEntry struct {
	journal.DeadLetter
	entry
}

var _ journal.Archive = (*Journal)(nil)

// New returns an empty journal.
func New() *Journal {
	return &Journal{
		entries:  map[earshot.Position]entry{},
		first:    1,
		appended: make(chan struct{}),
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
	e := entry{data: data, time: time.Now().UTC()}
	if j.CatalogRevision != nil {
		e.catalog = j.CatalogRevision()
	}
	j.entries[j.last] = e
	close(j.appended)
	j.appended = make(chan struct{})
	return j.last
}

// Batches implements journal.Journal.
func (j *Journal) Batches(ctx context.Context, after earshot.Position) iter.Seq2[*journal.Batch, error] {
	return func(yield func(*journal.Batch, error) bool) {
		for ctx.Err() == nil {
			b, appended, err := j.next(after)
			switch {
			case err != nil:
				yield(nil, err)
				return
			case b != nil:
				after = b.Position
				if !yield(b, nil) {
					return
				}
				continue
			}
			select {
			case <-ctx.Done():
			case <-appended:
			}
		}
	}
}

// Processed implements journal.Journal.
func (j *Journal) Processed(earshot.Position) {}

// Last implements journal.Journal.
func (j *Journal) Last(context.Context) (earshot.Position, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last, nil
}

// Pending implements journal.Journal.
func (j *Journal) Pending(_ context.Context, after earshot.Position) (pending int64, _ error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for p := range j.entries {
		if p > after {
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
			if err != nil || o == nil || !o.IsPosition() {
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

// Trimmed implements journal.Journal.
func (j *Journal) Trimmed(context.Context) (earshot.Position, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.first - 1, nil
}

// next returns the first entry after a position. If there is none, it returns a channel that the
// next Append closes.
func (j *Journal) next(after earshot.Position) (b *journal.Batch, appended <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if after+1 < j.first {
		return nil, nil, journal.MissingEntries(after+1, j.first-1)
	}
	for p := after + 1; p <= j.last; p++ {
		if e, ok := j.entries[p]; ok {
			return j.batch(p, e), nil, nil
		}
	}
	return nil, j.appended, nil
}

// batch returns the entry at p. If it cannot be decoded, batch rejects it. j.mu must be held.
func (j *Journal) batch(p earshot.Position, e entry) *journal.Batch {
	b := &journal.Batch{Position: p, Time: e.time, Catalog: e.catalog}
	b.Reject = func(_ context.Context, reason string) error {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.addDeadLetter(p, e, reason)
		return nil
	}
	var err error
	if b.Entry, err = journal.Decode(e.data); err != nil {
		b.Entry = journal.Entry{}
		j.addDeadLetter(p, e, err.Error())
	}
	return b
}

// addDeadLetter adds a dead letter unless there is one. j.mu must be held.
func (j *Journal) addDeadLetter(p earshot.Position, e entry, reason string) {
	if !slices.ContainsFunc(j.deadLetters, func(d deadEntry) bool { return d.Position == p }) {
		j.deadLetters = append(j.deadLetters, deadEntry{journal.DeadLetter{Position: p, Time: time.Now().UTC(), Reason: reason}, e})
	}
}
