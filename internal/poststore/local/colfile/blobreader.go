package colfile

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A BlobReader reads records and keeps the block that it read last. It is for one
// goroutine, and valid while the file is open.
type BlobReader struct {
	blobs    *Blobs
	firstRow uint32   // first row of the block that is kept
	raw      []byte   // the block, uncompressed
	buf      []byte   // the memory that raw is in
	starts   []uint32 // of its records, and the end; empty when no block is kept
}

// Reader returns a new reader.
func (b *Blobs) Reader() *BlobReader { return &BlobReader{blobs: b} }

// Get returns the record of a row. It is overwritten by the next call. Rows in ascending
// or descending order are cheap: a block is read once for all of its rows that follow
// one another.
func (r *BlobReader) Get(row uint32) ([]byte, error) {
	if uint64(row) >= r.blobs.rows {
		return nil, fmt.Errorf("segment %s: section %q: no row %d of %d", r.blobs.path, r.blobs.name, row, r.blobs.rows)
	}
	if !r.holds(row) {
		if err := r.load(r.blobs.findBlock(row)); err != nil {
			return nil, &CorruptError{r.blobs.path, r.blobs.name, err.Error()}
		}
	}
	i := row - r.firstRow
	return r.raw[r.starts[i]:r.starts[i+1]], nil
}

// holds reports whether the block that is kept is the one with the row.
func (r *BlobReader) holds(row uint32) bool {
	return row >= r.firstRow && row-r.firstRow < uint32(max(len(r.starts), 1)-1)
}

// Each calls visit with the record of each of the rows and its place among them. Rows may
// come in any order; they are visited in the order that reads each block once. The
// record is overwritten after visit returns. An error of visit ends it.
func (r *BlobReader) Each(rows []uint32, visit func(i int, record []byte) error) error {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	for _, i := range order {
		record, err := r.Get(rows[i])
		if err != nil {
			return err
		}
		if err := visit(i, record); err != nil {
			return err
		}
	}
	return nil
}

// load reads a block and keeps it.
func (r *BlobReader) load(i uint64) error {
	x := r.blobs.entry(i)
	r.starts = r.starts[:0]
	stored := r.blobs.stream[x.offset : x.offset+uint64(x.stored)]
	if crc32.Checksum(stored, castagnoli) != x.crc {
		return fmt.Errorf("block %d: wrong checksum", i)
	}
	raw, err := r.decompress(stored, int(x.raw))
	if err != nil {
		return fmt.Errorf("block %d: %w", i, err)
	}
	if len(raw) != int(x.raw) || !r.split(raw, int(r.blobs.endRow(i)-x.firstRow)) {
		r.starts = r.starts[:0]
		return fmt.Errorf("block %d: %w", i, errMalformed)
	}
	r.raw, r.firstRow = raw, x.firstRow
	return nil
}

// decompress returns a block of a known size.
func (r *BlobReader) decompress(stored []byte, size int) ([]byte, error) {
	// The decoder fills no more than the capacity, and is quicker with a bit to spare.
	r.buf = slices.Grow(r.buf[:0], size+16)
	if len(stored) == size { // never the size of a compressed one
		return append(r.buf, stored...), nil
	}
	return sharedDecoder().DecodeAll(stored, r.buf[:0:size+16])
}

// split finds the n records of a block: their lengths come first.
func (r *BlobReader) split(raw []byte, n int) bool {
	rest := raw
	sum := uint64(0)
	for range n {
		length, after, ok := uvarint(rest)
		if !ok || length > uint64(len(raw)) {
			return false
		}
		r.starts = append(r.starts, uint32(sum))
		sum += length
		rest = after
	}
	if sum != uint64(len(rest)) {
		return false
	}
	r.starts = append(r.starts, uint32(sum))
	for i := range r.starts {
		r.starts[i] += uint32(len(raw) - len(rest))
	}
	return true
}

// verify reads every block.
func (b *Blobs) verify() error {
	r := b.Reader()
	for i := range b.blocks {
		if err := r.load(i); err != nil {
			return err
		}
	}
	return nil
}

// sharedDecoder is shared: it has no state between two calls, and one decoder for each
// processor is enough for any number of files.
var sharedDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxRawBlock+16), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})
