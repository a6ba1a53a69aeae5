package segment

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// An Input is a file that goes into another one.
type Input struct {
	Segment     *Segment
	Drop        *roaring.Bitmap                     // rows to leave out; nil: none
	Overrides   map[poststore.SetID]*roaring.Bitmap // sets that replace those of the file
	EverMatched *roaring.Bitmap                     // rows that monitors have matched since it was written; nil: none
}

// NoRow is what stands for the row of a post that is in no row.
const NoRow = math.MaxUint32

// maxInputs is how many files can be merged at once.
const maxInputs = math.MaxUint16

// Merge makes one file of several. No two rows that are kept may have the same key. It
// returns where the rows went: moved[i][row] is the new row of a row of in[i], or Gone. When
// it fails, there is no file; a *colfile.CorruptError says which input is damaged.
//
// It keeps a few bytes of each row and of each distinct word in memory, and no text.
func Merge(ctx context.Context, path string, in []Input, o Options) (moved [][]uint32, err error) {
	if len(in) > maxInputs {
		return nil, fmt.Errorf("merge %d files: at most %d at once", len(in), maxInputs)
	}
	m := &merger{ctx: ctx, in: in}
	if err := m.orderRows(); err != nil {
		return nil, err
	}
	m.w, err = colfile.Create(path, o.colfile(len(m.from)))
	if err != nil {
		return nil, err
	}
	defer m.w.Abort()
	if err := m.write(); err != nil {
		return nil, err
	}
	if err := m.w.Close(); err != nil {
		return nil, err
	}
	return m.moved, nil
}

// A merger is a merge that is under way.
type merger struct {
	ctx    context.Context
	in     []Input
	w      *colfile.Writer
	from   []uint16   // input of each row of the new file
	moved  [][]uint32 // for each input the new row of each row
	column []uint64
	sorter rowSorter
	err    error // of a sequence that the writer ranged over
}

func (m *merger) write() error {
	m.column = make([]uint64, len(m.from))
	m.sorter = newRowSorter(len(m.from))
	for _, c := range numberColumns {
		if err := m.mergeNumbers(c.name); err != nil {
			return err
		}
	}
	for _, c := range slices.Concat(dictColumns, []dictColumn{surnameColumn}) {
		if err := m.mergeNames(c); err != nil {
			return err
		}
	}
	for _, c := range listColumns {
		if err := m.mergeLists(c); err != nil {
			return err
		}
	}
	for _, merge := range []func() error{m.mergeFlags, m.mergeSets, m.mergePosts, m.mergeTerms, m.mergeURLRuns} {
		if err := merge(); err != nil {
			return err
		}
	}
	return nil
}

// rows yields, for each row of the new file, the input and the row that it comes from. It
// ends early when the merge is given up.
func (m *merger) rows() iter.Seq2[int, uint32] {
	return func(yield func(int, uint32) bool) {
		next := make([]uint32, len(m.in))
		for i, from := range m.from {
			if i%4096 == 0 && !m.goesOn() {
				return
			}
			row := next[from]
			for m.moved[from][row] == NoRow {
				row++
			}
			next[from] = row + 1
			if !yield(int(from), row) {
				return
			}
		}
	}
}

// goesOn reports whether the caller still wants the merge.
func (m *merger) goesOn() bool { return m.fail(m.ctx.Err()) == nil }

// fail keeps the first error for finished, and returns it.
func (m *merger) fail(err error) error {
	if m.err == nil {
		m.err = err
	}
	return m.err
}

// firstError returns why a section could not be written: if a sequence ended it early, the
// writer knows only that something is missing.
func (m *merger) firstError(err error) error {
	if m.err != nil {
		return m.err
	}
	return err
}

// dropsAny reports whether rows of an input are left out.
func (m *merger) dropsAny(i int) bool { return m.in[i].Drop != nil && !m.in[i].Drop.IsEmpty() }

// mergePosts copies the posts, by runs of rows that come from one input one behind the
// other.
func (m *merger) mergePosts() error {
	blobs := make([]*colfile.Blobs, len(m.in))
	for i, in := range m.in {
		b, err := in.Segment.Blobs(blobPosts)
		if err != nil {
			return err
		}
		blobs[i] = b
	}
	return m.firstError(m.w.CopyBlobs(blobPosts, func(yield func(colfile.Run, error) bool) {
		var run colfile.Run
		for i, row := range m.rows() {
			if run.Blobs == blobs[i] && run.To == row {
				run.To++
				continue
			}
			if run.Blobs != nil && !yield(run, nil) {
				return
			}
			run = colfile.Run{Blobs: blobs[i], From: row, To: row + 1}
		}
		if run.Blobs != nil && m.err == nil {
			yield(run, nil)
		}
	}))
}
