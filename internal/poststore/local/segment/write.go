package segment

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/state/journal"
)

// A Row is a post and what the store knows of it.
type Row struct {
	Post     *earshot.Post
	Sets     []poststore.SetID // that it belongs to; may name one twice
	Arrived  earshot.Position  // of the journal entry that it came with
	Ingested time.Time         // when the store took it; the day is kept
	Key      Key               // KeyOf the post; zero: it is computed
}

// Options say how a file is written.
type Options struct {
	Uncompressed bool // posts are not compressed: it is merged soon
}

// segment returns the options of a file of so many rows.
func (o Options) colfile(rows int) colfile.Options {
	so := colfile.Options{Rows: rows, BlockSize: blockSize, Compression: colfile.Fast}
	if o.Uncompressed {
		so.Compression = colfile.Uncompressed
	}
	return so
}

// blockSize is how many bytes of posts are compressed together. A page of answers is
// read from blocks all over the file, so they are small.
const blockSize = 16 << 10

// Write makes a file of posts. The rows may be in any order, but no two may have the same
// key. It is meant for batches: all of them are worked on in memory.
func Write(path string, rows []Row, o Options) error {
	w, err := colfile.Create(path, o.colfile(len(rows)))
	if err != nil {
		return err
	}
	defer w.Abort()
	b := batchPool.Get().(*batch)
	b.load(rows)
	b.write(w)
	b.release() // not after a panic: a goroutine may still be at it
	return w.Close()
}

// Build makes a file of posts that is only in memory. The name stands in errors in place of
// a path.
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

// batchPool keeps the memory of batches for the next ones.
var batchPool = sync.Pool{New: func() any { return new(batch) }}

// A batch is the rows that are about to be a file, and memory to work on them.
type batch struct {
	rows     []batchRow
	dict     interner
	numbers  []uint32 // of the rows in a column of names
	lists    listBuilder
	surnames surnameBuilder
	terms    termBuilder
	text     []byte
}

// A batchRow is a row and what is computed of it.
type batchRow struct {
	*Row
	key Key
	url uint64 // urlHash, of custom content alone
}

// load takes rows in, in the order of the file.
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

// release lets go of the posts, and keeps the memory unless it is uncommonly much.
func (b *batch) release() {
	const common = 1 << 15 // rows
	if len(b.rows) > common {
		return
	}
	clear(b.rows)
	b.rows = b.rows[:0]
	b.terms.document.Post = nil
	batchPool.Put(b)
}

// write writes all sections. The writer keeps its first error for the one who closes it.
func (b *batch) write(w *colfile.Writer) {
	found := aside(b.findTerms) // which is half of the work
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
	found()
	b.writeTerms(w)
}

// aside calls f, beside what the caller does until it calls the function returned, which
// waits for f. A panic in f comes up there.
func aside(f func()) (wait func()) {
	done := make(chan any, 1)
	go func() {
		var failed any = errors.New("the goroutine was ended")
		defer func() {
			if r := recover(); r != nil {
				failed = r
			}
			done <- failed
		}()
		f()
		failed = nil
	}()
	return func() {
		if failed := <-done; failed != nil {
			panic(failed)
		}
	}
}

func (b *batch) column(of func(*batchRow) uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range b.rows {
			if !yield(of(&b.rows[i])) {
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
		for flag, of := range flags {
			b.numbers = b.numbers[:0]
			for i := range b.rows {
				if of(b.rows[i].Row) {
					b.numbers = append(b.numbers, uint32(i))
				}
			}
			if !yield(uint64(flag), b.numbers) {
				return
			}
		}
	}
}

// sets yields the rows of each monitor.
func (b *batch) sets() iter.Seq2[uint64, []uint32] {
	sets := map[uint64][]uint32{}
	for i := range b.rows {
		row := uint32(i)
		for _, id := range b.rows[i].Sets {
			set := sets[uint64(id)]
			if len(set) == 0 || set[len(set)-1] != row { // it may be named twice
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

// posts yields the posts as they are kept.
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
