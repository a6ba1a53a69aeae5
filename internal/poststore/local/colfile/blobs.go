package colfile

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Blobs contains a byte record per row, compressed in blocks. It is safe for concurrent use, but
// each goroutine needs its own [BlobReader].
//
// The section's checksum covers only the index, which contains a checksum of each block. The
// checksum of a block is verified whenever the block is read, so reading a few records does not
// require reading the entire section.
type Blobs struct {
	path, name string
	stream     []byte
	index      []byte
	blocks     uint64
	rows       uint64
}

const (
	defaultBlockSize = 64 << 10
	maxBlockSize     = 16 << 20
	maxRecord        = 64 << 20
	maxRawBlock      = maxBlockSize + 2*maxRecord // an almost full block plus one more record
)

// Parameters of a section of blobs.
const (
	blobsStream = iota // total size of all blocks in bytes
	blobsBlocks        // number of blocks
)

// A blockEntry describes a block. It takes 24 bytes in the index.
type blockEntry struct {
	offset   uint64 // within the section
	firstRow uint32
	raw      uint32 // uncompressed size in bytes
	stored   uint32 // compressed size in bytes
	crc      uint32 // of the compressed bytes
}

const blockEntrySize = 24

func (x blockEntry) append(b []byte) []byte {
	b = le.AppendUint64(b, x.offset)
	for _, v := range []uint32{x.firstRow, x.raw, x.stored, x.crc} {
		b = le.AppendUint32(b, v)
	}
	return b
}

// entry returns the index entry of a block.
func (b *Blobs) entry(i uint64) blockEntry {
	x := b.index[i*blockEntrySize:]
	return blockEntry{le.Uint64(x), le.Uint32(x[8:]), le.Uint32(x[12:]), le.Uint32(x[16:]), le.Uint32(x[20:])}
}

// endRow returns the first row after a block.
func (b *Blobs) endRow(i uint64) uint32 {
	if i+1 < b.blocks {
		return b.entry(i + 1).firstRow
	}
	return uint32(b.rows)
}

func (b *Blobs) findBlock(row uint32) uint64 {
	return uint64(sort.Search(int(b.blocks), func(i int) bool { return b.entry(uint64(i)).firstRow > row })) - 1
}

func checkBlobsEntry(e *entry, rows uint64) error {
	blocks := e.param[blobsBlocks]
	if e.count != rows || blocks > rows || (blocks == 0) != (rows == 0) {
		return fmt.Errorf("%d records in %d blocks for %d rows", e.count, blocks, rows)
	}
	return checkLayout(e, e.param[blobsStream], blocks*blockEntrySize/8)
}

// checksumIndex covers the padding and the index. Blocks have their own checksums.
func checksumIndex(s *rawSection) []byte { return s.data[s.param[blobsStream]:] }

func loadBlobs(s *rawSection) (reader, error) {
	b := &Blobs{
		path:   s.path,
		name:   s.name,
		stream: s.data[:s.param[blobsStream]],
		index:  s.data[align(s.param[blobsStream]):],
		blocks: s.param[blobsBlocks],
		rows:   s.rows,
	}
	return b, b.check()
}

// check verifies that blocks are contiguous, both in the stream and in their rows.
func (b *Blobs) check() error {
	offset, row := uint64(0), uint32(0)
	for i := range b.blocks {
		x := b.entry(i)
		to := b.endRow(i)
		switch {
		case x.offset != offset, uint64(x.stored) > uint64(len(b.stream))-offset:
			return fmt.Errorf("block %d has an invalid range: %d bytes at offset %d", i, x.stored, x.offset)
		case x.firstRow != row, to <= row, uint64(to) > b.rows:
			return fmt.Errorf("block %d has an invalid first row: %d", i, x.firstRow)
		case x.raw > maxRawBlock, x.raw < to-row: // a length takes at least one byte
			return fmt.Errorf("block %d has an invalid size: %d rows in %d bytes", i, to-row, x.raw)
		}
		offset += uint64(x.stored)
		row = to
	}
	if offset != uint64(len(b.stream)) {
		return fmt.Errorf("got blocks with %d bytes, want %d", offset, len(b.stream))
	}
	return nil
}

// A BlobReader reads records and caches the last block it read. It is not safe for concurrent use,
// and it is valid while the file is open.
type BlobReader struct {
	blobs    *Blobs
	firstRow uint32   // first row of the cached block
	raw      []byte   // the uncompressed block
	buf      []byte   // memory of raw
	starts   []uint32 // offsets of its records and the end; empty if no block is cached
}

// Reader returns a new reader.
func (b *Blobs) Reader() *BlobReader { return &BlobReader{blobs: b} }

// Get returns the record of a row, which is valid until the next call. Reading rows in ascending or
// descending order is efficient: consecutive calls for rows in one block read the block once.
func (r *BlobReader) Get(row uint32) ([]byte, error) {
	if uint64(row) >= r.blobs.rows {
		return nil, fmt.Errorf("segment %s: section %q: row %d is out of range: the file has %d rows", r.blobs.path, r.blobs.name, row, r.blobs.rows)
	}
	if !r.holds(row) {
		if err := r.load(r.blobs.findBlock(row)); err != nil {
			return nil, &CorruptError{r.blobs.path, r.blobs.name, err.Error()}
		}
	}
	i := row - r.firstRow
	return r.raw[r.starts[i]:r.starts[i+1]], nil
}

// holds reports whether the cached block contains the row.
func (r *BlobReader) holds(row uint32) bool {
	return row >= r.firstRow && row-r.firstRow < uint32(max(len(r.starts), 1)-1)
}

// Each calls visit with the record of each row and the row's index in rows, which may be in any
// order. It visits rows in an order that reads each block once, and stops at the first error. A
// record is valid until visit returns.
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

// load reads and caches a block.
func (r *BlobReader) load(i uint64) error {
	x := r.blobs.entry(i)
	r.starts = r.starts[:0]
	stored := r.blobs.stream[x.offset : x.offset+uint64(x.stored)]
	if crc32.Checksum(stored, castagnoli) != x.crc {
		return fmt.Errorf("block %d: checksum mismatch", i)
	}
	// The decoder does not write beyond the capacity and is faster with a few spare bytes.
	r.buf = slices.Grow(r.buf[:0], int(x.raw)+16)
	raw := r.buf[: 0 : int(x.raw)+16]
	if x.stored == x.raw { // not compressed, because a compressed block is smaller
		raw = append(raw, stored...)
	} else {
		var err error
		if raw, err = sharedDecoder().DecodeAll(stored, raw); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
	}
	if len(raw) != int(x.raw) || !r.split(raw, int(r.blobs.endRow(i)-x.firstRow)) {
		r.starts = r.starts[:0]
		return fmt.Errorf("block %d: %w", i, errMalformed)
	}
	r.raw, r.firstRow = raw, x.firstRow
	return nil
}

// split finds the n records of a block. Their lengths precede them.
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

// sharedDecoder returns a decoder for all files. It has no state between calls and can decode on
// all processors at once.
var sharedDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxRawBlock+16), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})
