package memory

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"earshot/internal/state/ledger"
)

var _ ledger.Archive = (*Ledger)(nil)

// Entries implements ledger.Archive.
func (l *Ledger) Entries(ctx context.Context) iter.Seq2[ledger.Entry, error] {
	return func(yield func(ledger.Entry, error) bool) {
		for _, e := range l.entries() {
			if err := ctx.Err(); err != nil {
				yield(ledger.Entry{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// entries returns everything there is at a moment.
func (l *Ledger) entries() []ledger.Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	var all []ledger.Entry
	for id := range l.opened {
		all = append(all, ledger.Entry{Key: ledger.Key{ID: id, Open: true}.String()})
	}
	for id, r := range l.records {
		all = append(all, ledger.Entry{Key: ledger.Key{ID: id}.String(), Value: slices.Clone(r.value)})
	}
	slices.SortFunc(all, func(a, b ledger.Entry) int { return cmp.Compare(a.Key, b.Key) }) // open before result
	return all
}

// Load implements ledger.Archive.
func (l *Ledger) Load(ctx context.Context, entries iter.Seq2[ledger.Entry, error]) error {
	if n := len(l.entries()); n > 0 {
		return fmt.Errorf("load the ledger: it has %d entries", n)
	}
	for e, err := range entries {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = l.load(e)
		}
		if err != nil {
			return fmt.Errorf("load the ledger: %w", err)
		}
	}
	return nil
}

func (l *Ledger) load(e ledger.Entry) error {
	k, err := e.Check()
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.Open {
		l.opened[k.ID] = l.Now()
		return nil
	}
	if _, ok := l.records[k.ID]; ok {
		return fmt.Errorf("%s: %w", e.Key, ledger.ErrConflict)
	}
	l.write(k.ID, slices.Clone(e.Value))
	return nil
}
