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

// An Input is a segment to merge.
type Input struct {
	Segment     *Segment
	Drop        *roaring.Bitmap                     // rows to leave out; nil if there are none
	Overrides   map[poststore.SetID]*roaring.Bitmap // sets that replace those in the segment
	EverMatched *roaring.Bitmap                     // rows matched since the segment was written; nil if there are none
}

// NoRow is returned in place of a row number for a post that is not in the segment.
const NoRow = math.MaxUint32

// maxInputs is the maximum number of segments in a merge.
const maxInputs = math.MaxUint16

// Merge merges segments into one at path. No two of the rows may have the same key. It returns the
// new row of each row: moved[i][row] for a row of in[i], or [NoRow] if the row is dropped. If Merge
// fails, it leaves no file behind; a *colfile.CorruptError identifies the damaged input.
//
// It uses a few bytes of memory per row and per distinct term, but does not hold text in memory.
func Merge(ctx context.Context, path string, in []Input, o Options) (moved [][]uint32, err error) {
	if len(in) > maxInputs {
		return nil, fmt.Errorf("merge %d segments: the maximum is %d", len(in), maxInputs)
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

// A merger is a merge in progress.
type merger struct {
	ctx    context.Context
	in     []Input
	w      *colfile.Writer
	from   []uint16   // indexed by new row: input
	moved  [][]uint32 // indexed by input and row: new row, or NoRow
	column []uint64
	sorter rowSorter
	err    error // first error in a sequence that w consumed
}

func (m *merger) write() error {
	m.column = make([]uint64, len(m.from))
	m.sorter = newRowSorter(len(m.from))
	for _, c := range numberColumns {
		if err := m.mergeColumn(c.name, nil); err != nil {
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

// rows yields the input and the row that each row of the new segment comes from, in the order of
// the new rows. It ends early if the merge is canceled.
func (m *merger) rows() iter.Seq2[int, uint32] {
	return func(yield func(int, uint32) bool) {
		next := make([]uint32, len(m.in))
		for i, from := range m.from {
			if i%chunkRows == 0 && m.stopped() {
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

// stopped reports whether the merge has failed or was canceled.
func (m *merger) stopped() bool { return m.fail(m.ctx.Err()) != nil }

// fail records err as the first error unless there is one already, and returns the first error.
func (m *merger) fail(err error) error {
	if m.err == nil {
		m.err = err
	}
	return m.err
}

// firstError returns the reason that a section could not be written. If a sequence ended early, the
// writer's own error only states that data is missing.
func (m *merger) firstError(err error) error {
	if m.err != nil {
		return m.err
	}
	return err
}

// mergePosts copies posts in runs of consecutive rows of one input.
func (m *merger) mergePosts() error {
	blobs, err := openAll(m, (*Segment).Blobs, blobPosts)
	if err != nil {
		return err
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

// openAll opens a section of each input.
func openAll[S any](m *merger, open func(*Segment, string) (S, error), name string) ([]S, error) {
	sections := make([]S, len(m.in))
	for i, in := range m.in {
		var err error
		if sections[i], err = open(in.Segment, name); err != nil {
			return nil, err
		}
	}
	return sections, nil
}
