package colfile

import (
	"fmt"
	"hash/crc32"
	"iter"
)

// A Run is rows of another file, one behind the other: From up to, not including, To.
type Run struct {
	Blobs    *Blobs
	From, To uint32
}

// CopyBlobs writes the records of runs, in their order. Blocks that lie in a run as a
// whole are copied as they are stored, without compressing them anew; so files whose rows
// are not much mixed are quick to merge. The runs are ranged over once, and an error among
// them ends the file. A damaged block is a *CorruptError of the file it is in.
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
		return fmt.Errorf("no rows %d to %d of %d", run.From, run.To, run.Blobs.rows)
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

// canCopyBlock reports whether a block can be copied from row on: as a whole, compressed as wanted,
// and without leaving a file of tiny blocks.
func (c *blobsCopier) canCopyBlock(x blockEntry, row uint32) bool {
	small := c.out.blockSize / 4
	return x.firstRow == row && (x.raw != x.stored || c.out.compression == Uncompressed) && int(x.raw) >= small &&
		(c.out.pending == 0 || c.out.pendingBytes() >= small)
}

func (c *blobsCopier) copyBlock(of *Blobs, block uint64) error {
	x, rows := of.entry(block), uint64(of.endRow(block)-of.entry(block).firstRow)
	stored := of.stream[x.offset : x.offset+uint64(x.stored)]
	if crc32.Checksum(stored, castagnoli) != x.crc {
		return &CorruptError{of.path, of.name, fmt.Sprintf("block %d: wrong checksum", block)}
	}
	c.out.flush()
	if c.out.rows+rows > c.out.maxRows {
		return c.out.errTooMany()
	}
	c.out.writeBlock(rows, x.raw, stored, x.crc)
	return c.out.s.err
}
