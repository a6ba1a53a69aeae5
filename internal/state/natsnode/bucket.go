package natsnode

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// ErrNotFound says that a bucket has no such record.
var ErrNotFound = errors.New("natsnode: no such record")

// A Bucket keeps small records by key. Keys are made of letters, digits, '-', '_', '=' and '.'.
//
// It is a stream with one subject a key and the last message of each, in the layout
// of a NATS key-value bucket, so that the nats command shows it as one. The bucket of
// the client library has no place for a message id, and without one nobody could tell
// after a lost answer whose write went through.
type Bucket struct {
	node   *Node
	name   string
	stream jetstream.Stream
}

// BucketOptions describe a bucket.
type BucketOptions struct {
	Name string
	Kept time.Duration // after a record was last written; 0: for good
}

// OpenBucket finds or makes a bucket.
func OpenBucket(ctx context.Context, node *Node, o BucketOptions) (*Bucket, error) {
	b := &Bucket{node: node, name: o.Name}
	err := node.Repeat(ctx, func(ctx context.Context) (err error) {
		b.stream, err = node.JetStream().CreateOrUpdateStream(ctx, b.config(o))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", o.Name, err)
	}
	return b, nil
}

// config is that of an ordinary bucket but for AllowDirect, which would let any
// replica answer: a Get right after a Put must find what was written.
func (b *Bucket) config(o BucketOptions) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:              "KV_" + o.Name,
		Subjects:          []string{b.Subject(">")},
		MaxMsgsPerSubject: 1,
		MaxAge:            o.Kept,
		Storage:           jetstream.FileStorage,
		Replicas:          b.node.Replicas(),
		Discard:           jetstream.DiscardNew,
		AllowRollup:       true,
		DenyDelete:        true,
		Duplicates:        2 * time.Minute,
	}
}

// Stream returns the stream of the bucket, for those who follow it.
func (b *Bucket) Stream() jetstream.Stream { return b.stream }

// Subject returns the subject of a key, which may have wildcards.
func (b *Bucket) Subject(key string) string { return "$KV." + b.name + "." + key }

// Key returns the key of a subject.
func (b *Bucket) Key(subject string) string { return strings.TrimPrefix(subject, b.Subject("")) }

// Get returns a record and its revision, or ErrNotFound.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	if err := b.check(key); err != nil {
		return nil, 0, err
	}
	m, err := b.last(ctx, b.Subject(key))
	if err != nil {
		return nil, 0, err
	}
	if IsDeletion(m.Header) {
		return nil, 0, ErrNotFound
	}
	return m.Data, m.Sequence, nil
}

// Put writes a record if its revision is still the given one, and returns the new
// revision; 0 means that there must be no record. Otherwise ErrConflict. When it
// returns, the record survives a crash.
func (b *Bucket) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := b.check(key); err != nil {
		return 0, err
	}
	return b.write(ctx, b.message(key, value), revision)
}

// Set writes a record whatever was there, and returns its revision.
func (b *Bucket) Set(ctx context.Context, key string, value []byte) (uint64, error) {
	if err := b.check(key); err != nil {
		return 0, err
	}
	return b.publish(ctx, b.message(key, value))
}

// Delete removes a record if its revision is still the given one, otherwise
// ErrConflict. Those who follow the bucket see it: a small message that says so stays.
func (b *Bucket) Delete(ctx context.Context, key string, revision uint64) error {
	if err := b.check(key); err != nil {
		return err
	}
	if revision == 0 {
		return ErrConflict // 0 is the revision of what is not there
	}
	m := b.message(key, nil)
	m.Header.Set(operation, "DEL")
	_, err := b.write(ctx, m, revision)
	return err
}

// Purge removes what is at key, its deletion too, and leaves nothing behind. A
// repeat is harmless: what is written after Purge has begun stays.
func (b *Bucket) Purge(ctx context.Context, key string) error {
	if err := b.check(key); err != nil {
		return err
	}
	subject := b.Subject(key)
	m, err := b.last(ctx, subject)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return b.node.Repeat(ctx, func(ctx context.Context) error {
		return b.stream.Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeSequence(m.Sequence+1))
	})
}

// Keys returns the keys that match a filter, in which * stands for a part between
// dots and > for all the rest, in byte order. A deleted key counts until it is purged.
func (b *Bucket) Keys(ctx context.Context, filter string) ([]string, error) {
	var info *jetstream.StreamInfo
	err := b.node.Repeat(ctx, func(ctx context.Context) (err error) {
		info, err = b.stream.Info(ctx, jetstream.WithSubjectFilter(b.Subject(filter)))
		return err
	})
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		keys = append(keys, b.Key(subject))
	}
	slices.Sort(keys)
	return keys, nil
}

// IsDeletion reports whether a message with that header says that a record was deleted.
func IsDeletion(h nats.Header) bool { return h.Get(operation) != "" }

const operation = "KV-Operation" // header that makes a message a deletion

// message returns a message for key, with an id to know it by.
func (b *Bucket) message(key string, value []byte) *nats.Msg {
	return &nats.Msg{Subject: b.Subject(key), Header: nats.Header{jetstream.MsgIDHeader: {nuid.Next()}}, Data: value}
}

var validKey = regexp.MustCompile(`^[-_=A-Za-z0-9]+(\.[-_=A-Za-z0-9]+)*$`)

func (b *Bucket) check(key string) error {
	if !validKey.MatchString(key) {
		return fmt.Errorf("bucket %s: invalid key %q", b.name, key)
	}
	return nil
}
