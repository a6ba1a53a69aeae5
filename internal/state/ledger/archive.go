package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"earshot/internal/state/kv"
)

// Entries yields the ledger in its stored form, without revisions: first the pending IDs, then the
// analyses, then the report runs, each in key order. The sequence ends after the first error.
//
// During concurrent writes it yields the IDs that were pending when it started and each analysis as
// it is when it is read, but no analysis first written after the start. It lists the analyses
// before the pending IDs and reads them afterwards. So if writers add an ID before the first write
// of its analysis and remove it after the last, then every unfinished analysis in the copy is
// pending, and so is every analysis that finished during the copy.
func (l *Ledger) Entries(ctx context.Context) iter.Seq2[kv.Entry, error] {
	return func(yield func(kv.Entry, error) bool) {
		analyses, err := l.keys(ctx, analysisKind)
		if err != nil {
			yield(kv.Entry{}, fmt.Errorf("list analyses: %w", err))
			return
		}
		pending, err := l.keys(ctx, pendingKind)
		if err != nil {
			yield(kv.Entry{}, fmt.Errorf("list pending IDs: %w", err))
			return
		}
		runs, err := l.runKeys(ctx, "*")
		if err != nil {
			yield(kv.Entry{}, err)
			return
		}
		for _, k := range pending {
			if !yield(kv.Entry{Key: k.String()}, nil) {
				return
			}
		}
		records := make([]string, 0, len(analyses)+len(runs))
		for _, k := range analyses {
			records = append(records, k.String())
		}
		for _, k := range runs {
			records = append(records, k.String())
		}
		for _, k := range records {
			e, err := l.store.Get(ctx, k)
			if errors.Is(err, ErrNotFound) {
				continue // expired in the meantime
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

// Load fills an empty ledger. It fails without a change if the ledger is not empty. Revisions and
// ages start over. An error leaves the ledger partly filled.
func (l *Ledger) Load(ctx context.Context, entries iter.Seq2[kv.Entry, error]) error {
	existing, err := l.store.Keys(ctx, ">")
	if err != nil {
		return fmt.Errorf("load the ledger: %w", err)
	}
	if len(existing) > 0 {
		return fmt.Errorf("load the ledger: it already has %d entries", len(existing))
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
	if strings.HasPrefix(e.Key, runKind+".") {
		return l.loadRun(ctx, e)
	}
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
		return fmt.Errorf("ledger: %s contains analysis %d", e.Key, a.ID)
	}
	if err := l.addToUser(ctx, a); err != nil {
		return err
	}
	if _, err := l.store.Put(ctx, e.Key, e.Value, 0); err != nil {
		return fmt.Errorf("%s: %w", e.Key, err)
	}
	return nil
}

func (l *Ledger) loadRun(ctx context.Context, e kv.Entry) error {
	k, err := parseRunKey(e.Key)
	if err != nil {
		return err
	}
	if _, err := decodeRun(k, e.Value); err != nil {
		return err
	}
	if _, err := l.store.Put(ctx, e.Key, e.Value, 0); err != nil {
		return fmt.Errorf("%s: %w", e.Key, err)
	}
	return nil
}
