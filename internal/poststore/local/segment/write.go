package segment

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/state/journal"
)

// A Row is a post with the data that the store records about it.
type Row struct {
	Post     *earshot.Post
	Sets     []poststore.SetID // sets that contain the post; may have duplicates
	Arrived  earshot.Position  // position of its journal entry
	Ingested time.Time         // only the day is stored
	Key      Key               // KeyOf the post; computed if zero
}

// Options control how a segment is written.
type Options struct {
	Uncompressed bool // do not compress posts, for a segment that is merged soon
}

// colfile returns the options of a column file with the given number of rows.
func (o Options) colfile(rows int) colfile.Options {
	c := colfile.Options{Rows: rows, BlockSize: blockSize, Compression: colfile.Fast}
	if o.Uncompressed {
		c.Compression = colfile.Uncompressed
	}
	return c
}

// blockSize is the number of bytes of posts that are compressed together. The posts on a page are
// spread over the whole segment, so small blocks are faster to read, although they take more space.
const blockSize = 16 << 10

// Write writes a segment to path. The rows may be in any order, but no two may have the same key.
// Write is meant for batches because it processes all rows in memory.
func Write(path string, rows []Row, o Options) error {
	w, err := colfile.Create(path, o.colfile(len(rows)))
	if err != nil {
		return err
	}
	defer w.Abort()
	b := batchPool.Get().(*batch)
	b.load(rows)
	b.write(w)
	b.release() // not deferred because after a panic the batch may be inconsistent
	return w.Close()
}

// Build builds a segment in memory. Error messages show name in place of a path.
func Build(name string, rows []Row) (*Segment, error) {
	f, err := colfile.Build(name, Options{Uncompressed: true}.colfile(len(rows)), func(w *colfile.Writer) error {
		b := batchPool.Get().(*batch)
		b.load(rows)
		b.write(w)
		b.release()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &Segment{File: f}, nil
}

// batchPool recycles the memory of batches.
var batchPool = sync.Pool{New: func() any { return new(batch) }}

// A batch contains the rows of a segment that is being written and scratch space.
type batch struct {
	rows     []batchRow
	dict     interner
	numbers  []uint32 // indexed by row: number of its text in dict
	lists    listBuilder
	surnames surnameBuilder
	terms    termBuilder
	text     []byte
}

// A batchRow is a row with values computed from it.
type batchRow struct {
	*Row
	key Key
	url uint64 // urlHash of custom content, otherwise 0
}

// load adds rows and sorts them in the order of the segment.
func (b *batch) load(rows []Row) {
	for i := range rows {
		r := batchRow{Row: &rows[i], key: rows[i].Key}
		if r.key == (Key{}) {
			r.key = KeyOf(r.Post.Key())
		}
		if r.Post.ContentSource != 0 && r.Post.URL != "" {
			r.url = urlHash(r.Post.URL)
		}
		b.rows = append(b.rows, r)
	}
	slices.SortFunc(b.rows, func(x, y batchRow) int { return earshot.ComparePosts(y.Post, x.Post) })
}

// release drops the posts and recycles the memory of the batch, unless the batch is unusually
// large.
func (b *batch) release() {
	const maxRecycledRows = 1 << 15
	if len(b.rows) > maxRecycledRows {
		return
	}
	clear(b.rows)
	b.rows = b.rows[:0]
	b.terms.document.Post = nil
	batchPool.Put(b)
}

// write writes all sections. w records the first error and returns it from Close.
func (b *batch) write(w *colfile.Writer) {
	// Finding the terms is half of the work, so run it concurrently. Neither half returns an error.
	parallel.For(context.Background(), 2, 2, func(_ context.Context, half int) error {
		if half == 0 {
			b.findTerms()
		} else {
			b.writeColumns(w)
		}
		return nil
	})
	b.writeTerms(w)
}

func (b *batch) writeColumns(w *colfile.Writer) {
	for _, c := range numberColumns {
		w.Uints(c.name, b.column(c.value))
	}
	for _, c := range dictColumns {
		b.writeNames(w, c)
	}
	b.writeSurnames(w)
	for _, c := range listColumns {
		b.writeLists(w, c)
	}
	w.Sets(setFlags, b.flagSets())
	w.Sets(setMonitors, b.sets())
	w.Blobs(blobPosts, b.posts())
}

func (b *batch) column(value func(*batchRow) uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range b.rows {
			if !yield(value(&b.rows[i])) {
				return
			}
		}
	}
}

func (b *batch) writeNames(w *colfile.Writer, c dictColumn) {
	b.dict.reset()
	b.numbers = b.numbers[:0]
	for _, r := range b.rows {
		b.text = c.append(b.text[:0], r.Post)
		b.numbers = append(b.numbers, b.dict.add(b.text))
	}
	b.dict.sort()
	for i, n := range b.numbers {
		b.numbers[i] = b.dict.rank[n]
	}
	w.Strings(c.dict, b.dict.sorted)
	w.Uints(c.name, colfile.Values(b.numbers))
}

func (b *batch) writeLists(w *colfile.Writer, c listColumn) {
	b.dict.reset()
	b.lists.reset()
	for _, r := range b.rows {
		for _, text := range c.values(r.Post) {
			b.text = append(b.text[:0], text...)
			b.lists.numbers = append(b.lists.numbers, b.dict.add(b.text))
		}
		b.lists.end()
	}
	b.dict.sort()
	for i, n := range b.lists.numbers {
		b.lists.numbers[i] = b.dict.rank[n]
	}
	w.Strings(c.dict, b.dict.sorted)
	w.Lists(c.name, b.dict.len(), b.lists.all)
}

// flagSets yields the rows of each flag.
func (b *batch) flagSets() iter.Seq2[uint64, []uint32] {
	return func(yield func(uint64, []uint32) bool) {
		for flag, has := range flags {
			b.numbers = b.numbers[:0]
			for i := range b.rows {
				if has(b.rows[i].Row) {
					b.numbers = append(b.numbers, uint32(i))
				}
			}
			if !yield(uint64(flag), b.numbers) {
				return
			}
		}
	}
}

// sets yields the rows of each set.
func (b *batch) sets() iter.Seq2[uint64, []uint32] {
	sets := map[uint64][]uint32{}
	for i := range b.rows {
		row := uint32(i)
		for _, id := range b.rows[i].Sets {
			set := sets[uint64(id)]
			if len(set) == 0 || set[len(set)-1] != row { // skip duplicates
				sets[uint64(id)] = append(set, row)
			}
		}
	}
	return func(yield func(uint64, []uint32) bool) {
		for _, id := range slices.Sorted(maps.Keys(sets)) {
			if !yield(id, sets[id]) {
				return
			}
		}
	}
}

// posts yields the encoded posts.
func (b *batch) posts() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i := range b.rows {
			b.text = journal.AppendPost(b.text[:0], b.rows[i].Post)
			if !yield(b.text, nil) {
				return
			}
		}
	}
}
