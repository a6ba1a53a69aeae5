package local

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"
)

// Limits of the cached groupings. A row takes at most 8 bytes, so that they take at most 64 MB.
const (
	maxGroupings   = 64
	maxGroupedRows = 8 << 20 // of all groupings together
)

// A groupingCache holds the groupings that were used last. A page of another order, and the list of
// the copies of a post, need the same grouping again. The zero cache is empty and ready to use.
type groupingCache struct {
	mu      sync.Mutex
	entries []cachedGrouping // least recently used first; guarded by mu
}

type cachedGrouping struct {
	key groupingKey
	*grouping
}

// A groupingKey identifies rows. Groups depend on nothing else, because segments are immutable.
type groupingKey [sha256.Size]byte

// key identifies the rows by the ids of their segments.
func (n *numberedRows) key() (key groupingKey) {
	h := sha256.New()
	for i, rows := range n.rows {
		if rows == nil {
			continue
		}
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, n.view.segments[i].id)) // hashes never fail
		_, _ = rows.WriteTo(h)
	}
	h.Sum(key[:0])
	return key
}

func (c *groupingCache) get(key groupingKey) (g *grouping, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.entries, func(e cachedGrouping) bool { return e.key == key })
	if i < 0 {
		return nil, false
	}
	e := c.entries[i]
	c.entries = append(slices.Delete(c.entries, i, i+1), e)
	return e.grouping, true
}

// add adds a grouping and evicts the least recently used ones.
func (c *groupingCache) add(key groupingKey, g *grouping) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = append(c.entries, cachedGrouping{key, g})
	rows := 0
	for _, e := range c.entries {
		rows += len(e.groups)
	}
	for rows > maxGroupedRows || len(c.entries) > maxGroupings {
		rows -= len(c.entries[0].groups)
		c.entries = slices.Delete(c.entries, 0, 1)
	}
}
