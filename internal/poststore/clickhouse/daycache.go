package clickhouse

import (
	"sync"
	"time"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// The day cache of a process has the rows of tallies for single intervals, mostly days and months, of
// sets as a whole. Each entry has the state of the posts that were counted (touched.go). A query reads
// the states of its intervals first, which is one small table, and counts only intervals whose state
// differs. So entries need not be invalidated, and a result is never stale, whichever process writes.
//
//	Days     each interval of the call    rows truncated to Top
//	Tallies  days and months that add up  all rows, for dimensions with few keys
//	         the whole range of time      rows truncated to Top, where days do not add up

// Limits of the day cache in bytes, estimated.
const (
	maxDayCache = 64 << 20
	maxDayEntry = 1 << 20
)

// A dayKey identifies the rows of a tally in an interval.
type dayKey struct {
	set         poststore.SetID
	gen         uint64 // of its copies or labels
	query       enginekit.QueryID
	corrections poststore.Fingerprint
	from, to    instant
}

// An instant is a time without a time zone.
type instant struct {
	sec   int64
	nanos int
}

func instantOf(t time.Time) instant { return instant{t.Unix(), t.Nanosecond()} }

// A dayCache is a day cache. The zero cache is empty and ready to use.
type dayCache struct {
	mu      sync.Mutex
	entries map[dayKey]dayEntry
	bytes   int64
}

type dayEntry struct {
	state state
	rows  []poststore.Row // not modified
	bytes int64
}

// get returns the rows for a state. They must not be modified.
func (c *dayCache) get(key dayKey, now state) (rows []poststore.Row, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	return e.rows, ok && e.state == now
}

// put stores the rows for a state. If the cache is full, it removes arbitrary other ones.
func (c *dayCache) put(key dayKey, now state, rows []poststore.Row) {
	size := 2*enginekit.RowBytes + int64(len(rows))*enginekit.RowBytes
	for i := range rows {
		for _, k := range rows[i].Key {
			size += int64(len(k))
		}
	}
	if size > maxDayEntry {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[dayKey]dayEntry{}
	}
	c.bytes += size - c.entries[key].bytes
	c.entries[key] = dayEntry{now, rows, size}
	for other, e := range c.entries {
		if c.bytes <= maxDayCache {
			return
		}
		if other != key {
			c.bytes -= e.bytes
			delete(c.entries, other)
		}
	}
}
