package local

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// Counter changes are added up, and each sum is stored twice: by the time at which posts were
// received and by the time of the posts. A range of either time can then be read without scanning
// the rest.

// putChange adds a change to the stored sum.
func (s *Store) putChange(b *pebble.Batch, k changeKey, change poststore.CounterChange) error {
	key := recID(recChangeByTime, uint64(k.set), k.received, k.posted)
	data, err := get(s.db, key)
	if err != nil {
		return err
	}
	if data != nil {
		sum, err := decodeChange(data)
		if err != nil {
			return err
		}
		change = enginekit.AddChanges(change, sum)
	}
	return putSum(b, k, change)
}

// putSum replaces the stored sum.
func putSum(b *pebble.Batch, k changeKey, change poststore.CounterChange) error {
	var data []byte
	for _, n := range []int64{change.Likes, change.Shares, change.Comments} {
		data = binary.AppendVarint(data, n)
	}
	return errors.Join(b.Set(recID(recChangeByTime, uint64(k.set), k.received, k.posted), data, nil), b.Set(recID(recChangeByPosted, uint64(k.set), k.posted, k.received), data, nil))
}

// CounterChanges implements [poststore.Reader]. It first reads the changes received in the range,
// then the changes of posts in the range, skipping those it has already visited.
func (s *Store) CounterChanges(ctx context.Context, set poststore.SetID, from, to time.Time, visit func(poststore.CounterChange)) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := ctx.Err(); err != nil || !from.Before(to) {
		return err
	}
	state := s.db.NewSnapshot()
	defer state.Close()
	in := func(t time.Time) bool { return !t.Before(from) && t.Before(to) }
	bounds := func(letter byte) *pebble.IterOptions {
		return &pebble.IterOptions{
			LowerBound: recID(letter, uint64(set), segment.Seconds(from)),
			UpperBound: recID(letter, uint64(set), segment.Seconds(to)+1),
		}
	}
	err := eachChange(ctx, state, bounds(recChangeByTime), func(received, posted time.Time, c poststore.CounterChange) {
		if c.Time, c.Posted = received, posted; in(received) {
			visit(c)
		}
	})
	if err != nil {
		return err
	}
	return eachChange(ctx, state, bounds(recChangeByPosted), func(posted, received time.Time, c poststore.CounterChange) {
		if c.Time, c.Posted = received, posted; in(posted) && !in(received) {
			visit(c)
		}
	})
}

// eachChange calls visit with the two times in each key, in key order, and the sum.
func eachChange(ctx context.Context, db pebble.Reader, o *pebble.IterOptions, visit func(first, second time.Time, c poststore.CounterChange)) (err error) {
	it, err := db.NewIter(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok && ctx.Err() == nil; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		c, err := decodeChange(value)
		if err != nil {
			return err
		}
		at := func(n int) time.Time { return time.Unix(int64(readID(it.Key(), n)-1<<63), 0).UTC() }
		visit(at(1), at(2), c)
	}
	return errors.Join(ctx.Err(), it.Error())
}

func decodeChange(data []byte) (c poststore.CounterChange, err error) {
	for i, to := range []*int64{&c.Likes, &c.Shares, &c.Comments} {
		n, size := binary.Varint(data)
		if size <= 0 {
			return c, fmt.Errorf("decode counter change: %d bytes left at number %d", len(data), i)
		}
		*to, data = n, data[size:]
	}
	return c, nil
}
