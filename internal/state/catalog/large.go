package catalog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Large records are values of any size, kept in parts and read when they are needed: training
// posts, and models learnt from them. They are written once, under a new number, and then
// named by another record; so a change of them is that record's change, whole or not at all.
const (
	largePrefix   = "large"
	largeSequence = "largesequence" // of their numbers, which nobody else sees
)

// largePart is how much of a value one record holds: servers take messages of a megabyte.
const largePart = 512 << 10

// maxLargeParts bounds a value, to 512 MB.
const maxLargeParts = 1 << 10

// largeRecords are the parts that there are of large records, by their numbers.
type largeRecords struct {
	mu    sync.Mutex
	parts map[int64]map[int]bool
}

// note notes that a part was written or removed.
func (l *largeRecords) note(r Record) {
	id, part, ok := readLargeKey(r.Key)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case r.Value == nil:
		if delete(l.parts[id], part); len(l.parts[id]) == 0 {
			delete(l.parts, id)
		}
	case l.parts[id] == nil:
		l.parts[id] = map[int]bool{part: true}
	default:
		l.parts[id][part] = true
	}
}

// AddLarge keeps a value under a new number.
func (c *Catalog) AddLarge(ctx context.Context, value []byte) (id int64, err error) {
	parts := slices.Collect(slices.Chunk(value, largePart))
	if len(parts) == 0 {
		parts = [][]byte{nil}
	}
	if len(parts) > maxLargeParts {
		return 0, fmt.Errorf("a record of %d bytes", len(value))
	}
	if id, err = c.next(ctx, largeSequence, 1, 1); err != nil {
		return 0, err
	}
	for i, part := range parts {
		if i == 0 { // tells how many there are
			part = append(binary.AppendUvarint(nil, uint64(len(parts))), part...)
		}
		if _, err := c.store.Put(ctx, largeKey(id, i), part, 0); err != nil {
			_ = c.RemoveLarge(context.WithoutCancel(ctx), id) // else it is swept away at the next start
			return 0, fmt.Errorf("write part %d of record %d: %w", i, id, err)
		}
	}
	return id, nil
}

// Large returns the value with that number, ErrNotFound when there is none or not all of it.
func (c *Catalog) Large(ctx context.Context, id int64) ([]byte, error) {
	first, err := c.store.Get(ctx, largeKey(id, 0))
	if err != nil {
		return nil, err
	}
	parts, n := binary.Uvarint(first.Value)
	if n <= 0 || parts > maxLargeParts {
		return nil, fmt.Errorf("record %d: %d parts", id, parts)
	}
	value := slices.Clone(first.Value[n:])
	for i := 1; i < int(parts); i++ {
		part, err := c.store.Get(ctx, largeKey(id, i))
		if err != nil {
			return nil, err
		}
		value = append(value, part.Value...)
	}
	return value, nil
}

// RemoveLarge removes a value. It is no error when there is none. The first part, which tells
// how many there are, goes last.
func (c *Catalog) RemoveLarge(ctx context.Context, id int64) error {
	first, err := c.store.Get(ctx, largeKey(id, 0))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	parts, _ := binary.Uvarint(first.Value)
	for i := int(min(parts, maxLargeParts)) - 1; i >= 0; i-- {
		r, err := c.store.Get(ctx, largeKey(id, i))
		if err == nil {
			err = c.store.Delete(ctx, r.Key, r.Revision)
		}
		if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return nil
}

// LargeRecords returns the numbers of all values, ascending, also of those that are being
// written or removed, or were when the process ended.
func (c *Catalog) LargeRecords() []int64 {
	c.large.mu.Lock()
	defer c.large.mu.Unlock()
	return slices.Sorted(maps.Keys(c.large.parts))
}

func largeKey(id int64, part int) string {
	return fmt.Sprintf("%s.%d.%d", largePrefix, id, part)
}

func readLargeKey(key string) (id int64, part int, ok bool) {
	fields := strings.Split(key, ".")
	if len(fields) != 3 || fields[0] != largePrefix {
		return 0, 0, false
	}
	id, err := strconv.ParseInt(fields[1], 10, 64)
	part, err2 := strconv.Atoi(fields[2])
	return id, part, err == nil && err2 == nil
}
