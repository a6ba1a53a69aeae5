package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"earshot/internal/state/kv"
)

// Entries yields the ledger in its stored form, without revisions: the pending ids and then the
// analyses, each in the order of their keys. During concurrent writes it yields the ids that were
// pending when it began, every analysis as it is when it is read, and no analysis first written
// after it began. It lists the analyses before the pending ids and reads them afterwards. So if ids
// are added before the first write of their analysis and removed after the last, every unfinished
// analysis of a copy is pending, and so is every analysis that was finished meanwhile. An error ends
// the sequence.
func (l *Ledger) Entries(ctx context.Context) iter.Seq2[kv.Entry, error] {
	return func(yield func(kv.Entry, error) bool) {
		analyses, err := l.keys(ctx, analysisKind)
		if err != nil {
			yield(kv.Entry{}, fmt.Errorf("list analyses: %w", err))
			return
		}
		pending, err := l.keys(ctx, pendingKind)
		if err != nil {
			yield(kv.Entry{}, fmt.Errorf("list pending ids: %w", err))
			return
		}
		for _, k := range pending {
			if !yield(kv.Entry{Key: k.String()}, nil) {
				return
			}
		}
		for _, k := range analyses {
			e, err := l.store.Get(ctx, k.String())
			if errors.Is(err, ErrNotFound) {
				continue // it has expired
			}
			if err != nil {
				yield(kv.Entry{}, fmt.Errorf("read %s: %w", k, err))
				return
			}
			if !yield(kv.Entry{Key: e.Key, Value: e.Value}, nil) {
				return
			}
		}
	}
}

// Load fills an empty ledger; it fails on any other and leaves it alone. Revisions and ages start
// over. After an error, what was loaded so far stays.
func (l *Ledger) Load(ctx context.Context, entries iter.Seq2[kv.Entry, error]) error {
	existing, err := l.store.Keys(ctx, ">")
	if err != nil {
		return fmt.Errorf("load the ledger: %w", err)
	}
	if len(existing) > 0 {
		return fmt.Errorf("load the ledger: it has %d entries", len(existing))
	}
	for e, err := range entries {
		if err == nil {
			err = l.load(ctx, e)
		}
		if err != nil {
			return fmt.Errorf("load the ledger: %w", err)
		}
	}
	return nil
}

func (l *Ledger) load(ctx context.Context, e kv.Entry) error {
	k, err := parseKey(e.Key)
	if err != nil {
		return err
	}
	if k.pending {
		return l.AddPending(ctx, k.id)
	}
	a, err := decode(e.Value)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Key, err)
	}
	if a.ID != k.id {
		return fmt.Errorf("ledger: %s is the record of %d", e.Key, a.ID)
	}
	if err := l.addToUser(ctx, a); err != nil {
		return err
	}
	if _, err := l.store.Put(ctx, e.Key, e.Value, 0); err != nil {
		return fmt.Errorf("%s: %w", e.Key, err)
	}
	return nil
}
