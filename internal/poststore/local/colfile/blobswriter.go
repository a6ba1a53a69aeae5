package colfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Compression says how much time is spent on making Blobs small.
type Compression int

const (
	DefaultCompression Compression = iota
	Fast                           // a tweet takes 3 % more space and a fifth less time
	Uncompressed                   // none at all, for files that are soon copied into others
)

// Blobs writes a byte record for each row. An error among the records ends the file. They
// are ranged over once, and a record may be reused after it was yielded.
func (w *Writer) Blobs(name string, records iter.Seq2[[]byte, error]) error {
	return w.blobs(name, func(out *blobsWriter) error {
		row := 0
		for record, err := range records {
			if err != nil {
				return fmt.Errorf("row %d: %w", row, err)
			}
			if err := out.add(record); err != nil {
				return err
			}
			row++
		}
		return nil
	})
}

// blobs writes a section of blobs that fill adds.
func (w *Writer) blobs(name string, fill func(out *blobsWriter) error) error {
	return w.section(name, KindBlobs, func(e *entry, s *sink) error {
		out := &blobsWriter{s: s, blockSize: w.blockSize, compression: w.compression, maxRows: w.footer.rows}
		if err := fill(out); err != nil {
			return err
		}
		out.flush()
		if e.count = out.rows; e.count != w.footer.rows {
			return fmt.Errorf("%d records for %d rows", e.count, w.footer.rows)
		}
		out.finish(e)
		return s.err
	})
}

type blobsWriter struct {
	s           *sink
	blockSize   int
	compression Compression
	maxRows     uint64 // of rows
	rows        uint64 // of all blocks that are written
	pending     uint64 // rows of the block that is gathered
	lengths     []byte
	data        []byte
	raw         []byte
	stored      []byte
	index       []byte
}

func (w *blobsWriter) add(record []byte) error {
	switch {
	case w.s.err != nil:
		return w.s.err
	case len(record) > maxRecord:
		return fmt.Errorf("row %d: a record of %d bytes is too long", w.rows+w.pending, len(record))
	case w.rows+w.pending == w.maxRows:
		return w.errTooMany()
	}
	w.lengths = binary.AppendUvarint(w.lengths, uint64(len(record)))
	w.data = append(w.data, record...)
	w.pending++
	if w.pendingBytes() >= w.blockSize {
		w.flush()
	}
	return nil
}

func (w *blobsWriter) errTooMany() error { return fmt.Errorf("more records than %d rows", w.maxRows) }

// pendingBytes returns how many bytes the block has that is not written yet.
func (w *blobsWriter) pendingBytes() int { return len(w.lengths) + len(w.data) }

// flush writes the block that is gathered.
func (w *blobsWriter) flush() {
	if w.pending == 0 {
		return
	}
	w.raw = append(append(w.raw[:0], w.lengths...), w.data...)
	stored := w.compress(w.raw)
	w.writeBlock(w.pending, uint32(len(w.raw)), stored, crc32.Checksum(stored, castagnoli))
	w.pending, w.lengths, w.data = 0, w.lengths[:0], w.data[:0]
}

// writeBlock writes a block as it is stored.
func (w *blobsWriter) writeBlock(rows uint64, raw uint32, stored []byte, crc uint32) {
	w.index = blockEntry{
		offset:   w.s.n,
		firstRow: uint32(w.rows),
		raw:      raw,
		stored:   uint32(len(stored)),
		crc:      crc,
	}.append(w.index)
	w.s.Write(stored)
	w.rows += rows
}

// compress returns a block as it is stored: as it is, unless it is smaller compressed.
// So a block that takes as many bytes as it has is one that is not compressed.
func (w *blobsWriter) compress(raw []byte) []byte {
	switch w.compression {
	case DefaultCompression:
		w.stored = defaultEncoder().EncodeAll(raw, w.stored[:0])
	case Fast:
		w.stored = fastEncoder().EncodeAll(raw, w.stored[:0])
	case Uncompressed:
		return raw
	}
	if len(w.stored) >= len(raw) {
		return raw
	}
	return w.stored
}

// finish writes the index, and sums up that alone.
func (w *blobsWriter) finish(e *entry) {
	e.param = [4]uint64{blobsStream: w.s.n, blobsBlocks: uint64(len(w.index) / blockEntrySize)}
	w.s.resetChecksum()
	w.s.pad()
	w.s.Write(w.index)
}

// The encoders are shared, as decompressor is.
var (
	defaultEncoder = sync.OnceValue(func() *zstd.Encoder { return newEncoder(zstd.SpeedDefault) })
	fastEncoder    = sync.OnceValue(func() *zstd.Encoder { return newEncoder(zstd.SpeedFastest) })
)

func newEncoder(level zstd.EncoderLevel) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
}
