// Package jetstream keeps the catalog in a NATS key-value bucket, that is, in a
// stream with one subject a key and the last message of each.
//
// It reads and writes the stream itself, in the bucket's layout, so that the nats
// command shows it as a bucket. The bucket's own interface has no place for a
// message id, and without one nobody could tell after a lost answer whose write
// went through.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/catalog"
	"earshot/internal/natsnode"
)

const (
	bucket  = "catalog"
	stream  = "KV_" + bucket
	subject = "$KV." + bucket + "."

	operation = "KV-Operation" // header that makes a message a deletion
)

// A Store is a catalog.Store in a bucket. A watcher that falls behind sees the
// newest write of a key and may miss the ones before it.
type Store struct {
	node   *natsnode.Node
	stream jetstream.Stream
}

var _ catalog.Store = (*Store)(nil)

// Open finds or makes the bucket.
func Open(ctx context.Context, node *natsnode.Node) (*Store, error) {
	s := &Store{node: node}
	err := node.Repeat(ctx, func(ctx context.Context) (err error) {
		s.stream, err = node.JetStream().CreateOrUpdateStream(ctx, config(node.Replicas()))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", bucket, err)
	}
	return s, nil
}

// config is that of an ordinary bucket but for AllowDirect, which would let any
// replica answer: a Get right after a Put must find what was written.
func config(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:              stream,
		Subjects:          []string{subject + ">"},
		MaxMsgsPerSubject: 1,
		Storage:           jetstream.FileStorage,
		Replicas:          replicas,
		Discard:           jetstream.DiscardNew,
		AllowRollup:       true,
		DenyDelete:        true,
		Duplicates:        2 * time.Minute,
	}
}

// Get implements catalog.Store.
func (s *Store) Get(ctx context.Context, key string) (catalog.Record, error) {
	if err := check(key); err != nil {
		return catalog.Record{}, err
	}
	m, err := s.last(ctx, subject+key)
	if err != nil {
		return catalog.Record{}, err
	}
	if isDeletion(m.Header) {
		return catalog.Record{}, catalog.ErrNotFound
	}
	return catalog.Record{Key: key, Value: m.Data, Revision: m.Sequence}, nil
}

// Put implements catalog.Store.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := check(key); err != nil {
		return 0, err
	}
	m := message(key)
	m.Data = value
	return s.write(ctx, m, revision)
}

// Delete implements catalog.Store.
func (s *Store) Delete(ctx context.Context, key string, revision uint64) error {
	if err := check(key); err != nil {
		return err
	}
	if revision == 0 {
		return catalog.ErrConflict // 0 is the revision of what is not there
	}
	m := message(key)
	m.Header.Set(operation, "DEL")
	_, err := s.write(ctx, m, revision)
	return err
}

// last returns the newest message of a key's subject, which may be its deletion.
func (s *Store) last(ctx context.Context, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = s.node.Repeat(ctx, func(ctx context.Context) (err error) {
		m, err = s.stream.GetLastMsgForSubject(ctx, subject)
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, catalog.ErrNotFound
	}
	return m, err
}

func isDeletion(h nats.Header) bool { return h.Get(operation) != "" }

var validKey = regexp.MustCompile(`^[-_=A-Za-z0-9]+(\.[-_=A-Za-z0-9]+)*$`)

func check(key string) error {
	if !validKey.MatchString(key) {
		return fmt.Errorf("catalog: invalid key %q", key)
	}
	return nil
}
