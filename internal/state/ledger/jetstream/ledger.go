// Package jetstream keeps the ledger in a NATS key-value bucket: one key a record, one for
// each id that needs attention, and one that tells a record's user. The server forgets them
// when they have been kept long enough.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/state/ledger"
	"earshot/internal/state/natsnode"
)

const (
	bucket  = "ledger"
	records = "result.*" // keys, as ledger.Key spells them
	opened  = "open.*"
)

// A Ledger is a ledger.Ledger in a bucket.
type Ledger struct {
	bucket *natsnode.Bucket
}

var _ ledger.Ledger = (*Ledger)(nil)

// Open finds or makes the bucket.
func Open(ctx context.Context, node *natsnode.Node) (*Ledger, error) {
	b, err := natsnode.OpenBucket(ctx, node, natsnode.BucketOptions{Name: bucket, Kept: ledger.Kept})
	if err != nil {
		return nil, err
	}
	return &Ledger{bucket: b}, nil
}

// Find implements ledger.Ledger.
func (l *Ledger) Find(ctx context.Context, id earshot.ResultID) (*ledger.Record, uint64, error) {
	value, revision, err := l.bucket.Get(ctx, ledger.Key{ID: id}.String())
	if err != nil {
		return nil, 0, failure(err)
	}
	r, err := ledger.Decode(value)
	if err != nil {
		return nil, 0, fmt.Errorf("find record %d: %w", id, err)
	}
	return r, revision, nil
}

// Put implements ledger.Ledger.
func (l *Ledger) Put(ctx context.Context, r *ledger.Record, revision uint64) (uint64, error) {
	value, err := ledger.Encode(r)
	if err != nil {
		return 0, err
	}
	if revision == 0 {
		if err := l.enter(ctx, r); err != nil {
			return 0, err
		}
	}
	revision, err = l.bucket.Put(ctx, ledger.Key{ID: r.ID}.String(), value, revision)
	return revision, failure(err)
}

// Open implements ledger.Ledger.
func (l *Ledger) Open(ctx context.Context, id earshot.ResultID) error {
	if _, err := l.bucket.Set(ctx, ledger.Key{ID: id, Open: true}.String(), nil); err != nil {
		return fmt.Errorf("open %d: %w", id, err)
	}
	return nil
}

// Close implements ledger.Ledger. Nothing of the id stays in the bucket: a deletion would stay
// as long as a record.
func (l *Ledger) Close(ctx context.Context, id earshot.ResultID) error {
	if err := l.bucket.Purge(ctx, ledger.Key{ID: id, Open: true}.String()); err != nil {
		return fmt.Errorf("close %d: %w", id, err)
	}
	return nil
}

// Opened implements ledger.Ledger.
func (l *Ledger) Opened(ctx context.Context) ([]earshot.ResultID, error) {
	keys, err := l.keys(ctx, opened)
	if err != nil {
		return nil, fmt.Errorf("list opened ids: %w", err)
	}
	ids := make([]earshot.ResultID, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
	}
	slices.Sort(ids)
	return ids, nil
}

// keys returns the keys that match a filter, in byte order. What someone else has put into the
// bucket is passed over.
func (l *Ledger) keys(ctx context.Context, filter string) ([]ledger.Key, error) {
	names, err := l.bucket.Keys(ctx, filter)
	if err != nil {
		return nil, err
	}
	keys := make([]ledger.Key, 0, len(names))
	for _, name := range names {
		if k, err := ledger.ParseKey(name); err == nil {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// failure puts an error of the bucket into the words of the ledger.
func failure(err error) error {
	switch {
	case errors.Is(err, natsnode.ErrNotFound):
		return ledger.ErrNotFound
	case errors.Is(err, natsnode.ErrConflict):
		return ledger.ErrConflict
	}
	return err
}
