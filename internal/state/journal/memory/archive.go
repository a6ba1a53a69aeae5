package memory

import (
	"context"
	"errors"
	"iter"
	"slices"

	"earshot"
	"earshot/internal/state/journal"
)

// Span implements journal.Archive.
func (j *Journal) Span(context.Context) (journal.Span, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return journal.Span{First: j.first, Last: j.last}, nil
}

// Entries implements journal.Archive.
func (j *Journal) Entries(ctx context.Context, upTo earshot.Position) iter.Seq2[journal.StoredEntry, error] {
	return func(yield func(journal.StoredEntry, error) bool) {
		s, _ := j.Span(ctx)
		for p := s.First; p <= min(upTo, s.Last); p++ {
			if ctx.Err() != nil {
				yield(journal.StoredEntry{}, ctx.Err())
				return
			}
			if e, ok := j.at(p); ok && !yield(stored(p, e), nil) {
				return
			}
		}
	}
}

// StoredDeadLetters implements journal.Archive.
func (j *Journal) StoredDeadLetters(_ context.Context, upTo earshot.Position) iter.Seq2[journal.StoredDeadLetter, error] {
	return func(yield func(journal.StoredDeadLetter, error) bool) {
		j.mu.Lock()
		dead := slices.Clone(j.deadLetters)
		j.mu.Unlock()
		for _, d := range dead {
			l := journal.StoredDeadLetter{StoredEntry: stored(d.Position, d.entry), RejectedAt: d.Time, Reason: d.Reason}
			if d.Position <= upTo && !yield(l, nil) {
				return
			}
		}
	}
}

// Load implements journal.Archive.
func (j *Journal) Load(_ context.Context, s journal.Span, entries iter.Seq2[journal.StoredEntry, error]) error {
	if err := s.Check(); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.last > 0 {
		return errors.New("load the journal: it already has entries")
	}
	next := s.First
	for e, err := range entries {
		if err == nil {
			err = s.CheckNext(next, e.Position)
		}
		if err != nil {
			return err
		}
		j.entries[e.Position] = entry{data: slices.Clone(e.Data), time: e.Time}
		next = e.Position + 1
	}
	j.first, j.last = s.First, s.Last
	return nil
}

// LoadDeadLetters implements journal.Archive.
func (j *Journal) LoadDeadLetters(_ context.Context, letters iter.Seq2[journal.StoredDeadLetter, error]) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.deadLetters) > 0 {
		return errors.New("load dead letters: the journal already has some")
	}
	for l, err := range letters {
		if err != nil {
			return err
		}
		j.deadLetters = append(j.deadLetters, deadEntry{
			journal.DeadLetter{Position: l.Position, Time: l.RejectedAt, Reason: l.Reason},
			entry{data: slices.Clone(l.Data), time: l.Time},
		})
	}
	return nil
}

// RetryDeadLetters implements journal.Archive.
func (j *Journal) RetryDeadLetters(_ context.Context, read earshot.Position) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := len(j.deadLetters)
	for _, d := range j.deadLetters {
		if _, stored := j.entries[d.Position]; d.Position <= read || !stored {
			j.add(journal.WithoutCursor(d.data))
		}
	}
	j.deadLetters = nil
	return n, nil
}

func (j *Journal) at(p earshot.Position) (entry, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e, ok := j.entries[p]
	return e, ok
}

func stored(p earshot.Position, e entry) journal.StoredEntry {
	return journal.StoredEntry{Position: p, Time: e.time, Data: slices.Clone(e.data)}
}
