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
func (j *Journal) Entries(ctx context.Context, upTo earshot.Position) iter.Seq2[journal.Stored, error] {
	return func(yield func(journal.Stored, error) bool) {
		s, _ := j.Span(ctx)
		for p := s.First; p <= min(upTo, s.Last); p++ {
			if ctx.Err() != nil {
				yield(journal.Stored{}, ctx.Err())
				return
			}
			if e, ok := j.at(p); ok && !yield(stored(p, e), nil) {
				return
			}
		}
	}
}

// Letters implements journal.Archive.
func (j *Journal) Letters(_ context.Context, upTo earshot.Position) iter.Seq2[journal.StoredLetter, error] {
	return func(yield func(journal.StoredLetter, error) bool) {
		j.mu.Lock()
		dead := slices.Clone(j.dead)
		j.mu.Unlock()
		for _, d := range dead {
			l := journal.StoredLetter{Stored: stored(d.Position, d.entry), SetAside: d.Time, Reason: d.Reason}
			if d.Position <= upTo && !yield(l, nil) {
				return
			}
		}
	}
}

// Load implements journal.Archive.
func (j *Journal) Load(_ context.Context, s journal.Span, entries iter.Seq2[journal.Stored, error]) error {
	if err := s.Check(); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.last > 0 {
		return errors.New("load the journal: it has entries")
	}
	next := s.First
	for e, err := range entries {
		if err == nil {
			err = s.Follow(next, e.Position)
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

// LoadLetters implements journal.Archive.
func (j *Journal) LoadLetters(_ context.Context, letters iter.Seq2[journal.StoredLetter, error]) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.dead) > 0 {
		return errors.New("load dead letters: there are some")
	}
	for l, err := range letters {
		if err != nil {
			return err
		}
		j.dead = append(j.dead, deadEntry{
			journal.DeadLetter{Position: l.Position, Time: l.SetAside, Reason: l.Reason},
			entry{data: slices.Clone(l.Data), time: l.Time},
		})
	}
	return nil
}

func (j *Journal) at(p earshot.Position) (entry, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e, ok := j.entries[p]
	return e, ok
}

func stored(p earshot.Position, e entry) journal.Stored {
	return journal.Stored{Position: p, Time: e.time, Data: slices.Clone(e.data)}
}
