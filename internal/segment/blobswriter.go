package segment

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

const blobLevel = zstd.SpeedDefault

// Blobs writes a byte record for each row. An error among the records ends the file. They
// are ranged over once, and a record may be reused after it was yielded.
func (w *Writer) Blobs(name string, records iter.Seq2[[]byte, error]) error {
	return w.section(name, KindBlobs, func(e *entry, s *sink) error {
		out, err := newBlobsWriter(s, w.block)
		if err != nil {
			return err
		}
		for record, err := range records {
			if err != nil {
				return fmt.Errorf("row %d: %w", e.count, err)
			}
			if len(record) > maxRecord {
				return fmt.Errorf("row %d: a record of %d bytes is too long", e.count, len(record))
			}
			if e.count++; e.count > w.footer.rows || s.err != nil {
				break
			}
			out.add(record)
		}
		if s.err == nil && e.count != w.footer.rows {
			return fmt.Errorf("%d records or more for %d rows", e.count, w.footer.rows)
		}
		out.finish(e)
		return s.err
	})
}

type blobsWriter struct {
	s       *sink
	size    int
	encoder *zstd.Encoder
	rows    uint32 // of all blocks that are written
	waiting uint32 // rows of the block that is gathered
	lengths []byte
	data    []byte
	raw     []byte
	stored  []byte
	index   []byte
}

func newBlobsWriter(s *sink, size int) (*blobsWriter, error) {
	window := max(zstd.MinWindowSize, 1<<bits.Len(uint(size-1)))
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(blobLevel), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(window))
	return &blobsWriter{s: s, size: size, encoder: encoder}, err
}

func (w *blobsWriter) add(record []byte) {
	w.lengths = binary.AppendUvarint(w.lengths, uint64(len(record)))
	w.data = append(w.data, record...)
	w.waiting++
	if len(w.lengths)+len(w.data) >= w.size {
		w.flush()
	}
}

// flush writes the block that is gathered.
func (w *blobsWriter) flush() {
	if w.waiting == 0 {
		return
	}
	w.raw = append(append(w.raw[:0], w.lengths...), w.data...)
	w.stored = w.encoder.EncodeAll(w.raw, w.stored[:0])
	w.index = indexed{
		offset:   w.s.n,
		firstRow: w.rows,
		raw:      uint32(len(w.raw)),
		stored:   uint32(len(w.stored)),
		crc:      crc32.Checksum(w.stored, castagnoli),
	}.append(w.index)
	w.s.Write(w.stored)
	w.rows += w.waiting
	w.waiting, w.lengths, w.data = 0, w.lengths[:0], w.data[:0]
}

// finish writes the index, and sums up that alone.
func (w *blobsWriter) finish(e *entry) {
	w.flush()
	e.param = [4]uint64{blobsStream: w.s.n, blobsBlocks: uint64(len(w.index) / indexedSize)}
	w.s.flush()
	w.s.crc = 0
	w.s.pad()
	w.s.Write(w.index)
}
