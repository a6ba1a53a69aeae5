package catalog

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"earshot/internal/state/kv"
)

// Dump returns every entry of a store, ordered by revision. It may miss concurrent writes.
func Dump(ctx context.Context, s kv.Store) ([]kv.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, done := map[string]kv.Entry{}, false
	change := func(e kv.Entry) {
		switch {
		case done:
		case e.Value == nil:
			delete(entries, e.Key)
		default:
			entries[e.Key] = e
		}
	}
	err := s.Watch(ctx, change, func(uint64) { done = true; cancel() })
	if !done {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(entries), func(a, b kv.Entry) int { return cmp.Compare(a.Revision, b.Revision) }), nil
}

// Load fills an empty store. It fails without a change if the store is not empty. Revisions start
// over.
func Load(ctx context.Context, s kv.Store, entries iter.Seq2[kv.Entry, error]) error {
	existing, err := Dump(ctx, s)
	if err != nil {
		return fmt.Errorf("load the catalog: %w", err)
	}
	if len(existing) > 0 {
		return fmt.Errorf("load the catalog: it has %d records", len(existing))
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		if _, err := s.Put(ctx, e.Key, e.Value, 0); err != nil {
			return fmt.Errorf("load the catalog: record %s: %w", e.Key, err)
		}
	}
	return nil
}
