package catalog

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// Dump returns every record of a store, in the order they were written. Of a
// store that is written to meanwhile it may miss some.
func Dump(ctx context.Context, s Store) ([]Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	records, done := map[string]Record{}, false
	change := func(r Record) {
		switch {
		case done:
		case r.Value == nil:
			delete(records, r.Key)
		default:
			records[r.Key] = r
		}
	}
	err := s.Watch(ctx, change, func() { done = true; cancel() })
	if !done {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(records), func(a, b Record) int { return cmp.Compare(a.Revision, b.Revision) }), nil
}

// Load fills an empty store; one with records it leaves alone and fails. Revisions
// begin anew.
func Load(ctx context.Context, s Store, records iter.Seq2[Record, error]) error {
	there, err := Dump(ctx, s)
	if err != nil {
		return fmt.Errorf("load the catalog: %w", err)
	}
	if len(there) > 0 {
		return fmt.Errorf("load the catalog: it has %d records", len(there))
	}
	for r, err := range records {
		if err != nil {
			return err
		}
		if _, err := s.Put(ctx, r.Key, r.Value, 0); err != nil {
			return fmt.Errorf("load the catalog: record %s: %w", r.Key, err)
		}
	}
	return nil
}
