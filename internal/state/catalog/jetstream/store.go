// Package jetstream keeps the catalog in a NATS key-value bucket, that is, in a
// stream with one subject a key and the last message of each.
package jetstream

import (
	"context"
	"errors"

	"earshot/internal/state/catalog"
	"earshot/internal/state/natsnode"
)

const bucket = "catalog"

// A Store is a catalog.Store in a bucket. A watcher that falls behind sees the
// newest write of a key and may miss the ones before it.
type Store struct {
	node   *natsnode.Node
	bucket *natsnode.Bucket
}

var _ catalog.Store = (*Store)(nil)

// Open finds or makes the bucket.
func Open(ctx context.Context, node *natsnode.Node) (*Store, error) {
	b, err := natsnode.OpenBucket(ctx, node, natsnode.BucketOptions{Name: bucket})
	if err != nil {
		return nil, err
	}
	return &Store{node: node, bucket: b}, nil
}

// Get implements catalog.Store.
func (s *Store) Get(ctx context.Context, key string) (catalog.Record, error) {
	value, revision, err := s.bucket.Get(ctx, key)
	if err != nil {
		return catalog.Record{}, failure(err)
	}
	return catalog.Record{Key: key, Value: value, Revision: revision}, nil
}

// Put implements catalog.Store.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	revision, err := s.bucket.Put(ctx, key, value, revision)
	return revision, failure(err)
}

// Delete implements catalog.Store.
func (s *Store) Delete(ctx context.Context, key string, revision uint64) error {
	return failure(s.bucket.Delete(ctx, key, revision))
}

// failure puts an error of the bucket into the words of the catalog.
func failure(err error) error {
	switch {
	case errors.Is(err, natsnode.ErrNotFound):
		return catalog.ErrNotFound
	case errors.Is(err, natsnode.ErrConflict):
		return catalog.ErrConflict
	}
	return err
}
