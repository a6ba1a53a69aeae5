package natsnode

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/kv"
)

// A Bucket is a durable [kv.Store].
//
// It is a stream with one subject per key that retains the last message of each subject, in the
// layout of a NATS key-value bucket, so the nats command can display it. The client library's own
// bucket cannot set message IDs. Without them, it is impossible to know after a lost response
// whether a write succeeded.
type Bucket struct {
	node   *Node
	name   string
	stream jetstream.Stream
}

var _ kv.Store = (*Bucket)(nil)

// BucketOptions describe a bucket.
type BucketOptions struct {
	Name   string
	MaxAge time.Duration // of an entry since it was last written; 0: unlimited
	After  uint64        // the first revision of a new bucket is higher

	// DirectReads lets a stream without replicas serve reads directly, which is faster. It is not
	// used with replicas, because a lagging replica might serve a read, and a Get right after a Put
	// must see the write.
	DirectReads bool
}

// OpenBucket finds or creates a bucket.
func OpenBucket(ctx context.Context, node *Node, o BucketOptions) (*Bucket, error) {
	b := &Bucket{node: node, name: o.Name}
	config := jetstream.StreamConfig{
		Name:              b.streamName(),
		Subjects:          []string{b.subject(">")},
		MaxMsgsPerSubject: 1,
		MaxAge:            o.MaxAge,
		AllowRollup:       true,
		AllowDirect:       o.DirectReads && node.Replicas() == 1,
		DenyDelete:        true,
	}
	var err error
	if b.stream, err = node.OpenStream(ctx, config); err != nil {
		return nil, err
	}
	if o.After == 0 || b.stream.CachedInfo().State.LastSeq > 0 {
		return b, nil
	}
	return b, node.PurgeBefore(ctx, b.stream, o.After+1)
}

func (b *Bucket) streamName() string { return BucketStream(b.name) }

// BucketStream returns the name of the stream that a bucket is stored in.
func BucketStream(bucket string) string { return "KV_" + bucket }

// subject returns the subject of a key, which may contain wildcards.
func (b *Bucket) subject(key string) string { return "$KV." + b.name + "." + key }

// key returns the key of a subject.
func (b *Bucket) key(subject string) string { return strings.TrimPrefix(subject, b.subject("")) }

// Get implements kv.Store.
func (b *Bucket) Get(ctx context.Context, key string) (kv.Entry, error) {
	if err := b.check(key); err != nil {
		return kv.Entry{}, err
	}
	m, err := b.last(ctx, b.subject(key))
	if errors.Is(err, kv.ErrNotFound) && b.node.Replicas() > 1 {
		if err := b.confirmLeader(ctx); err != nil {
			return kv.Entry{}, err
		}
		m, err = b.last(ctx, b.subject(key))
	}
	if err != nil {
		return kv.Entry{}, err
	}
	if isDeletion(m.Header) {
		return kv.Entry{}, kv.ErrNotFound
	}
	return kv.Entry{Key: key, Value: m.Data, Revision: m.Sequence}, nil
}

// maxSilence is shorter than the time after which replicas elect another leader, which is 4 seconds or
// more. The leader hears from them every second.
const maxSilence = 3 * time.Second

// errNoQuorum means that a server answers for a stream although it may no longer be the leader.
var errNoQuorum = errors.New("the leader of the stream does not hear from enough replicas")

// confirmLeader returns an error if there may be another leader than the server that answers. A server
// that is cut off continues to answer for some seconds while others elect a leader, and does not know
// what was written since.
func (b *Bucket) confirmLeader(ctx context.Context) error {
	return b.node.Retry(ctx, func(ctx context.Context) error {
		info, err := b.stream.Info(ctx)
		if err != nil || info.Cluster == nil {
			return err
		}
		alive := 1
		for _, r := range info.Cluster.Replicas {
			if !r.Offline && r.Active < maxSilence {
				alive++
			}
		}
		if alive <= info.Config.Replicas/2 {
			return errNoQuorum
		}
		return nil
	})
}

// Put implements kv.Store.
func (b *Bucket) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := b.check(key); err != nil {
		return 0, err
	}
	return b.write(ctx, b.message(key, value), revision)
}

// Set implements kv.Store.
func (b *Bucket) Set(ctx context.Context, key string, value []byte) (uint64, error) {
	if err := b.check(key); err != nil {
		return 0, err
	}
	return b.publish(ctx, b.message(key, value))
}

// Delete implements kv.Store.
func (b *Bucket) Delete(ctx context.Context, key string, revision uint64) error {
	if err := b.check(key); err != nil {
		return err
	}
	if revision == 0 {
		return kv.ErrConflict // 0 means that the entry must not exist
	}
	m := b.message(key, nil)
	m.Header.Set(operationHeader, "DEL")
	_, err := b.write(ctx, m, revision)
	return err
}

// Purge implements kv.Store.
func (b *Bucket) Purge(ctx context.Context, key string) error {
	if err := b.check(key); err != nil {
		return err
	}
	subject := b.subject(key)
	m, err := b.last(ctx, subject)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return b.node.PurgeSubject(ctx, b.stream, subject, m.Sequence)
}

// Keys implements kv.Store. It also lists deleted keys until they are purged.
func (b *Bucket) Keys(ctx context.Context, filter string) ([]string, error) {
	var info *jetstream.StreamInfo
	err := b.node.Retry(ctx, func(ctx context.Context) (err error) {
		info, err = b.stream.Info(ctx, jetstream.WithSubjectFilter(b.subject(filter)))
		return err
	})
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		if key := b.key(subject); !isFenceKey(key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// operationHeader marks a message as a deletion.
const operationHeader = "KV-Operation"

func isDeletion(h nats.Header) bool { return h.Get(operationHeader) != "" }

// message returns a message for key with a unique ID.
func (b *Bucket) message(key string, value []byte) *nats.Msg {
	return &nats.Msg{Subject: b.subject(key), Header: nats.Header{jetstream.MsgIDHeader: {rand.Text()}}, Data: value}
}

func (b *Bucket) check(key string) error {
	if err := kv.CheckKey(key); err != nil {
		return fmt.Errorf("bucket %s: %w", b.name, err)
	}
	return nil
}
