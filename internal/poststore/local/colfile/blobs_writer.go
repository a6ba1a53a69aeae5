package colfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Compression is the compression level of [Blobs].
type Compression int

const (
	DefaultCompression Compression = iota
	Fast                           // for tweets, 3% more space and a fifth less time
	Uncompressed                   // for files that are soon copied into others
)

// Blobs writes a byte record per row. If records yields an error, the file fails. Blobs iterates
// over records once, and records may reuse a slice after yielding it.
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

// blobs writes a section with the records that fill adds.
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
		e.param = [4]uint64{blobsStream: s.n, blobsBlocks: uint64(len(out.index) / blockEntrySize)}
		s.resetChecksum() // the checksum covers only the index
		s.pad()
		s.Write(out.index)
		return s.err
	})
}

type blobsWriter struct {
	s           *sink
	blockSize   int
	compression Compression
	maxRows     uint64
	rows        uint64 // number of rows written so far
	pending     uint64 // number of rows in the current block
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
		return fmt.Errorf("row %d: record of %d bytes is too long", w.rows+w.pending, len(record))
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

// pendingBytes returns the size of the current block.
func (w *blobsWriter) pendingBytes() int { return len(w.lengths) + len(w.data) }

// flush writes the current block.
func (w *blobsWriter) flush() {
	if w.pending == 0 {
		return
	}
	w.raw = append(append(w.raw[:0], w.lengths...), w.data...)
	stored := w.raw
	switch w.compression {
	case DefaultCompression:
		w.stored = defaultEncoder().EncodeAll(w.raw, w.stored[:0])
		stored = w.stored
	case Fast:
		w.stored = fastEncoder().EncodeAll(w.raw, w.stored[:0])
		stored = w.stored
	}
	if len(stored) >= len(w.raw) {
		stored = w.raw // readers recognize an uncompressed block by equal sizes
	}
	w.writeBlock(w.pending, uint32(len(w.raw)), stored, crc32.Checksum(stored, castagnoli))
	w.pending, w.lengths, w.data = 0, w.lengths[:0], w.data[:0]
}

// writeBlock writes a block, compressed or not, and its index entry.
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

// The encoders are shared for the same reason as sharedDecoder.
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

// A Run is a range of rows [From, To) of another file.
type Run struct {
	Blobs    *Blobs
	From, To uint32
}

// CopyBlobs writes the records of runs, in order. It copies a block that is entirely within a run
// without decompressing it, so merging is fast for files whose rows rarely interleave. CopyBlobs
// iterates over runs once. If runs yields an error, the file fails. The error for a corrupt block
// is a *CorruptError that names the file that contains it.
func (w *Writer) CopyBlobs(name string, runs iter.Seq2[Run, error]) error {
	return w.blobs(name, func(out *blobsWriter) error {
		copier := blobsCopier{out: out, readers: map[*Blobs]*BlobReader{}}
		for run, err := range runs {
			if err != nil {
				return err
			}
			if err := copier.copy(run); err != nil {
				return err
			}
		}
		return nil
	})
}

type blobsCopier struct {
	out     *blobsWriter
	readers map[*Blobs]*BlobReader
}

func (c *blobsCopier) copy(run Run) error {
	if run.From > run.To || uint64(run.To) > run.Blobs.rows {
		return fmt.Errorf("rows %d to %d are out of range: the file has %d rows", run.From, run.To, run.Blobs.rows)
	}
	r := c.readers[run.Blobs]
	if r == nil {
		r = run.Blobs.Reader()
		c.readers[run.Blobs] = r
	}
	for row := run.From; row < run.To; {
		if !r.holds(row) {
			block := run.Blobs.findBlock(row)
			if to := run.Blobs.endRow(block); to <= run.To && c.canCopyBlock(run.Blobs.entry(block), row) {
				if err := c.copyBlock(run.Blobs, block); err != nil {
					return err
				}
				row = to
				continue
			}
		}
		record, err := r.Get(row)
		if err != nil {
			return err
		}
		if err := c.out.add(record); err != nil {
			return err
		}
		row++
	}
	return nil
}

// canCopyBlock reports whether a block can be copied as is: it starts at row, has the requested
// compression, and would not leave tiny blocks behind.
func (c *blobsCopier) canCopyBlock(x blockEntry, row uint32) bool {
	small := c.out.blockSize / 4
	return x.firstRow == row && (x.raw != x.stored || c.out.compression == Uncompressed) && int(x.raw) >= small &&
		(c.out.pending == 0 || c.out.pendingBytes() >= small)
}

func (c *blobsCopier) copyBlock(from *Blobs, block uint64) error {
	x, rows := from.entry(block), uint64(from.endRow(block)-from.entry(block).firstRow)
	stored := from.stream[x.offset : x.offset+uint64(x.stored)]
	if crc32.Checksum(stored, castagnoli) != x.crc {
		return &CorruptError{from.path, from.name, fmt.Sprintf("block %d: checksum mismatch", block)}
	}
	c.out.flush()
	if c.out.rows+rows > c.out.maxRows {
		return c.out.errTooMany()
	}
	c.out.writeBlock(rows, x.raw, stored, x.crc)
	return c.out.s.err
}
