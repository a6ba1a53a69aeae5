package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"earshot/internal/state/ledger"
	"earshot/internal/state/natsnode"
)

var _ ledger.Archive = (*Ledger)(nil)

// Entries implements ledger.Archive. The records are listed before the opened ids and read
// after them: what is closed in between is read as its last write has left it, and still
// counts as opened.
func (l *Ledger) Entries(ctx context.Context) iter.Seq2[ledger.Entry, error] {
	return func(yield func(ledger.Entry, error) bool) {
		records, err := l.keys(ctx, records)
		if err != nil {
			yield(ledger.Entry{}, fmt.Errorf("list records: %w", err))
			return
		}
		opened, err := l.keys(ctx, opened)
		if err != nil {
			yield(ledger.Entry{}, fmt.Errorf("list opened ids: %w", err))
			return
		}
		for _, k := range opened {
			if !yield(ledger.Entry{Key: k.String()}, nil) {
				return
			}
		}
		for _, k := range records {
			value, _, err := l.bucket.Get(ctx, k.String())
			if errors.Is(err, natsnode.ErrNotFound) {
				continue // kept long enough
			}
			if err != nil {
				yield(ledger.Entry{}, fmt.Errorf("read %s: %w", k, err))
				return
			}
			if !yield(ledger.Entry{Key: k.String(), Value: value}, nil) {
				return
			}
		}
	}
}

// Load implements ledger.Archive.
func (l *Ledger) Load(ctx context.Context, entries iter.Seq2[ledger.Entry, error]) error {
	there, err := l.bucket.Keys(ctx, ">")
	if err != nil {
		return fmt.Errorf("load the ledger: %w", err)
	}
	if len(there) > 0 {
		return fmt.Errorf("load the ledger: it has %d entries", len(there))
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

func (l *Ledger) load(ctx context.Context, e ledger.Entry) error {
	k, err := e.Check()
	if err != nil {
		return err
	}
	if k.Open {
		return l.Open(ctx, k.ID)
	}
	r, err := ledger.Decode(e.Value)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Key, err)
	}
	if err := l.enter(ctx, r); err != nil {
		return err
	}
	if _, err := l.bucket.Put(ctx, e.Key, e.Value, 0); err != nil {
		return fmt.Errorf("%s: %w", e.Key, failure(err))
	}
	return nil
}
