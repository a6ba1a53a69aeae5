package clickhouse

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/sleep"
)

// A keyFilter rules out posts that are not stored yet. Nearly all posts are new, and looking up
// a key reads hundreds of rows of table keys, because keys are hashes.
//
// It is a Bloom filter: each key sets a few bits of one word. It contains the keys of all rows of the
// table, also of those that do not count. Only the writer has one. Others may not write at the same
// time, so it remains complete.
type keyFilter struct {
	words []atomic.Uint64
	keys  atomic.Int64 // that were added
}

// Sizes of filters. With bitsPerKey, 1 in 200 new keys is looked up, with a quarter of that 1 in 5.
const (
	bitsPerKey    = 16
	minFilterSize = 1 << 20 // bytes
	maxFilterSize = 128 << 20
)

// newKeyFilter returns an empty filter with room for a number of keys, or as many as fit into
// maxFilterSize.
func newKeyFilter(keys int64) *keyFilter {
	size := min(max(keys*bitsPerKey/8, minFilterSize), maxFilterSize)
	return &keyFilter{words: make([]atomic.Uint64, size/8)}
}

// room returns how many keys fit before a larger filter is better.
func (f *keyFilter) room() int64 {
	if size := int64(len(f.words)) * 8; size < maxFilterSize {
		return size * 8 / bitsPerKey
	}
	return 1 << 62
}

// place returns the word of a key and its bits in that word. hash is the end of the key.
func (f *keyFilter) place(hash uint64) (word *atomic.Uint64, mask uint64) {
	mask = 1<<(hash&63) | 1<<(hash>>6&63) | 1<<(hash>>12&63) | 1<<(hash>>18&63)
	n, _ := bits.Mul64(hash, uint64(len(f.words))) // the first bits of hash choose the word
	return &f.words[n], mask
}

func (f *keyFilter) add(hash uint64) {
	word, mask := f.place(hash)
	word.Or(mask)
}

// mayContain reports whether a key may have been added. If it reports false, it was not.
func (f *keyFilter) mayContain(hash uint64) bool {
	word, mask := f.place(hash)
	return word.Load()&mask == mask
}

// keyHash returns the part of a key that a filter uses. In SQL it is toUInt64(key).
func keyHash(k poststore.KeySum) uint64 { return binary.BigEndian.Uint64(k[4:]) }

// minFiltered is how many keys make a filter worth reading.
const minFiltered = 100_000

// knownKeys are the filters of a store. The zero value has none: all keys are looked up.
type knownKeys struct {
	mu     sync.Mutex
	from   int64      // the number of keys that make a filter worth reading
	keys   int64      // the number of keys, if there is no filter
	filter *keyFilter // nil until the first one is complete
	next   *keyFilter // is being filled; nil: none
}

// add adds the keys of posts that are about to be stored.
func (k *knownKeys) add(posts []*version) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys += int64(len(posts))
	for _, f := range []*keyFilter{k.filter, k.next} {
		if f == nil {
			continue
		}
		for _, v := range posts {
			f.add(keyHash(v.Sum))
		}
		f.keys.Add(int64(len(posts)))
	}
}

// unsure returns the keys that may be stored already.
func (k *knownKeys) unsure(sums []poststore.KeySum) []poststore.KeySum {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.filter == nil {
		return sums
	}
	var some []poststore.KeySum
	for _, sum := range sums {
		if k.filter.mayContain(keyHash(sum)) {
			some = append(some, sum)
		}
	}
	return some
}

// forget removes the filters, because another process may have written.
func (k *knownKeys) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys, k.filter, k.next = k.from, nil, nil // there may be more keys than before
}

// begin returns a new filter to be filled, to which all keys of new posts are added from now on.
func (k *knownKeys) begin(keys int64) *keyFilter {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.next = newKeyFilter(keys)
	return k.next
}

// finish makes a filled filter the current one, unless forget was called after begin.
func (k *knownKeys) finish(f *keyFilter) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next == f {
		k.filter, k.next = f, nil
	}
}

// needsFilter reports whether there should be a filter, or a larger one.
func (k *knownKeys) needsFilter() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.filter == nil {
		return k.keys >= k.from
	}
	return k.filter.keys.Load() > k.filter.room()
}

// filterPart is the number of keys that a statement reads into a filter.
const filterPart = 4_000_000

// filterWait is how long to wait after an error before the keys are read again.
const filterWait = 10 * time.Second

// readKnownKeys reads a filter when one is needed, until ctx is done. Each value of s.wantFilter is a
// reason to look whether it is.
func (s *Store) readKnownKeys(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wantFilter:
		}
		for s.known.needsFilter() {
			err := s.readFilter(ctx)
			if ctx.Err() != nil {
				return
			}
			if err == nil {
				break
			}
			s.log.Warn("the keys of stored posts were not read; new posts take longer to store until they are", "error", err)
			if !sleep.For(ctx, filterWait) {
				return
			}
		}
	}
}

// askForFilter makes readKnownKeys look whether a filter is needed.
func (s *Store) askForFilter() {
	if !s.known.needsFilter() {
		return
	}
	select {
	case s.wantFilter <- struct{}{}:
	default: // it will look anyway
	}
}

// readFilter fills a filter with all keys of the table. Keys that are written at the same time are added
// by the writer.
func (s *Store) readFilter(ctx context.Context) error {
	rows, err := s.number(ctx, "SELECT count() AS n FROM keys", nil)
	if err != nil {
		return fmt.Errorf("count the keys of posts: %w", err)
	}
	// A change that has added its keys to the filters must have inserted them before they are read.
	s.writing.Lock()
	f := s.known.begin(2 * int64(rows)) // room for as many more
	s.writing.Unlock()
	parts := rows/filterPart + 1
	for i := range parts {
		if err := s.readFilterPart(ctx, f, i, parts); err != nil {
			return fmt.Errorf("read the keys of posts: %w", err)
		}
	}
	s.known.finish(f)
	return nil
}

// readFilterPart adds the keys of one of several parts of the table, which are about equally large.
func (s *Store) readFilterPart(ctx context.Context, f *keyFilter, part, parts uint64) error {
	bound := func(i uint64) proto.UInt128 { // keys have 96 bits, and the first 32 of them are in High
		return proto.UInt128{High: i * (1 << 32) / parts}
	}
	args := new(chhttp.Args)
	where := "key >= " + args.Key(sumOfKey(bound(part)))
	if part+1 < parts {
		where += " AND key < " + args.Key(sumOfKey(bound(part+1)))
	}
	var hash proto.ColUInt64
	return s.db.Query(ctx, chhttp.Statement{SQL: "SELECT toUInt64(key) AS hash FROM keys WHERE " + where, Args: args},
		proto.Results{{Name: "hash", Data: &hash}}, func(int) error {
			for _, h := range hash {
				f.add(h)
			}
			f.keys.Add(int64(len(hash)))
			return nil
		})
}
