package hackernews

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"earshot/internal/state/kv"
)

const (
	chunkItems = 500 // a chunk is written whenever an item is added: 8 KB
	maxChunks  = 200 // 100,000 items: a week of the whole network, in 4 MB
)

// known remembers which versions of which items are stored. It keeps them in chunks, in the
// order in which they were stored, and forgets the oldest chunk when there are too many.
//
// A crash must not leave a stored item unknown, nor a version known that is not stored. Items are
// therefore added before they are stored, without a version, and get their version afterwards.
type known struct {
	store  kv.Store
	chunks []*chunk
}

// A chunk is a record of Env.Store.
type chunk struct {
	number int64
	added  time.Time // when the last item was added
	items  map[int64]version
	dirty  bool // differs from the record
}

func chunkKey(number int64) string { return fmt.Sprintf("known.%012d", number) }

// openKnown reads the records.
func openKnown(ctx context.Context, store kv.Store) (*known, error) {
	keys, err := store.Keys(ctx, "known.*")
	if err != nil {
		return nil, fmt.Errorf("list known items: %w", err)
	}
	k := &known{store: store}
	for _, key := range keys {
		e, err := store.Get(ctx, key)
		if errors.Is(err, kv.ErrNotFound) {
			continue // a tombstone
		}
		if err != nil {
			return nil, fmt.Errorf("read known items: %w", err)
		}
		c := &chunk{}
		if _, err := fmt.Sscanf(key, "known.%d", &c.number); err != nil || !c.decode(e.Value) {
			continue // these items will be read again only if they change
		}
		k.chunks = append(k.chunks, c)
	}
	return k, nil
}

// find returns the stored version of an item.
func (k *known) find(id int64) (version, bool) {
	for _, c := range slices.Backward(k.chunks) {
		if v, ok := c.items[id]; ok {
			return v, true
		}
	}
	return version{}, false
}

// add remembers items that are about to be stored, and writes them to the store. Known items keep
// their version.
func (k *known) add(ctx context.Context, ids []int64, now time.Time) error {
	for _, id := range ids {
		if _, ok := k.find(id); ok {
			continue
		}
		last := len(k.chunks) - 1
		if last < 0 || len(k.chunks[last].items) >= chunkItems {
			c := &chunk{number: 1, items: map[int64]version{}}
			if last >= 0 {
				if err := k.write(ctx, k.chunks[last]); err != nil {
					return err
				}
				c.number = k.chunks[last].number + 1
			}
			k.chunks = append(k.chunks, c)
			last++
		}
		c := k.chunks[last]
		c.items[id], c.added, c.dirty = version{}, now, true
	}
	if len(ids) == 0 {
		return nil
	}
	if err := k.write(ctx, k.chunks[len(k.chunks)-1]); err != nil {
		return err
	}
	for len(k.chunks) > maxChunks {
		if err := k.store.Purge(ctx, chunkKey(k.chunks[0].number)); err != nil {
			return fmt.Errorf("forget known items: %w", err)
		}
		k.chunks = k.chunks[1:]
	}
	return nil
}

// stored sets the version of a known item after it was stored. It is written later, because losing
// it only costs storing the item once more.
func (k *known) stored(id int64, v version) {
	for _, c := range slices.Backward(k.chunks) {
		if old, ok := c.items[id]; ok {
			c.items[id] = v
			c.dirty = c.dirty || old != v
			return
		}
	}
}

// remove forgets a deleted item.
func (k *known) remove(id int64) {
	for _, c := range k.chunks {
		if _, ok := c.items[id]; ok {
			delete(c.items, id)
			c.dirty = true
		}
	}
}

// flush writes chunks that changed.
func (k *known) flush(ctx context.Context) error {
	for _, c := range k.chunks {
		if err := k.write(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// since returns the items of chunks to which items were added after t, in ascending order.
func (k *known) since(t time.Time) (ids []int64) {
	for _, c := range k.chunks {
		if c.added.After(t) {
			for id := range c.items {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

func (k *known) write(ctx context.Context, c *chunk) error {
	if !c.dirty {
		return nil
	}
	if _, err := k.store.Set(ctx, chunkKey(c.number), c.encode()); err != nil {
		return fmt.Errorf("remember items: %w", err)
	}
	c.dirty = false
	return nil
}

// A record is the time in Unix seconds, then 16 bytes for each item: number, text and counts.

func (c *chunk) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(c.added.Unix()))
	for id, v := range c.items {
		b = binary.BigEndian.AppendUint64(b, uint64(id))
		b = binary.BigEndian.AppendUint32(b, v.text)
		b = binary.BigEndian.AppendUint32(b, v.counts)
	}
	return b
}

func (c *chunk) decode(b []byte) bool {
	if len(b)%16 != 8 {
		return false
	}
	c.added = time.Unix(int64(binary.BigEndian.Uint64(b)), 0)
	c.items = make(map[int64]version, len(b)/16)
	for b = b[8:]; len(b) > 0; b = b[16:] {
		c.items[int64(binary.BigEndian.Uint64(b))] = version{binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:])}
	}
	return true
}
