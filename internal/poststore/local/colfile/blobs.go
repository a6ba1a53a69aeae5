package colfile

import (
	"fmt"
	"sort"
)

// Blobs is a byte record for each row, compressed in blocks. It is safe for parallel
// use; each goroutine has a Reader of its own.
//
// The checksum of the section is about the index alone. Each block has its own there,
// which is compared whenever the block is read, so reading a few records does not read
// the whole section first.
type Blobs struct {
	path, name string
	stream     []byte
	index      []byte
	blocks     uint64
	rows       uint64
}

const (
	defaultBlockSize = 64 << 10
	maxBlockSize     = 16 << 20 // the largest block size that can be set
	maxRecord        = 64 << 20
	maxRawBlock      = maxBlockSize + 2*maxRecord // of a block: what was gathered, and one record
)

// Parameters of a section of blobs.
const (
	blobsStream = iota // bytes of all blocks
	blobsBlocks        // how many there are
)

// An blockEntry block, as it stands in the index: 24 bytes.
type blockEntry struct {
	offset   uint64 // in the section
	firstRow uint32
	raw      uint32 // bytes uncompressed
	stored   uint32 // bytes compressed
	crc      uint32 // of these
}

const blockEntrySize = 24

func (x blockEntry) append(b []byte) []byte {
	b = le.AppendUint64(b, x.offset)
	for _, v := range []uint32{x.firstRow, x.raw, x.stored, x.crc} {
		b = le.AppendUint32(b, v)
	}
	return b
}

// entry returns what the index says of a block.
func (b *Blobs) entry(i uint64) blockEntry {
	x := b.index[i*blockEntrySize:]
	return blockEntry{le.Uint64(x), le.Uint32(x[8:]), le.Uint32(x[12:]), le.Uint32(x[16:]), le.Uint32(x[20:])}
}

// endRow returns the row after the last one of a block.
func (b *Blobs) endRow(i uint64) uint32 {
	if i+1 < b.blocks {
		return b.entry(i + 1).firstRow
	}
	return uint32(b.rows)
}

// findBlock returns the block that has a row.
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

// checksumIndex returns what a section's checksum is about: padding and index.
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

// check makes sure that the blocks follow one another, in the stream and in their rows.
func (b *Blobs) check() error {
	offset, row := uint64(0), uint32(0)
	for i := range b.blocks {
		x := b.entry(i)
		to := b.endRow(i)
		switch {
		case x.offset != offset, uint64(x.stored) > uint64(len(b.stream))-offset:
			return fmt.Errorf("block %d cannot be %d bytes at %d", i, x.stored, x.offset)
		case x.firstRow != row, to <= row, uint64(to) > b.rows:
			return fmt.Errorf("block %d cannot begin with row %d", i, x.firstRow)
		case x.raw > maxRawBlock, x.raw < to-row: // a length is a byte at least
			return fmt.Errorf("block %d cannot be %d rows in %d bytes", i, to-row, x.raw)
		}
		offset += uint64(x.stored)
		row = to
	}
	if offset != uint64(len(b.stream)) {
		return fmt.Errorf("blocks of %d bytes, not %d", offset, len(b.stream))
	}
	return nil
}
