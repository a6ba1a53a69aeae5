package local

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
)

// sortRows is how many rows of a part are read and sorted at a time.
const sortRows = 4096

// sortPart returns what the sortings change in a part. changes has what the rules change
// there.
func (x *rematching) sortPart(ctx context.Context, p *part, changes []marks) (sorted []marks, err error) {
	if len(x.Categorizations) == 0 {
		return nil, nil
	}
	known, err := p.file.ArrivedUpTo(x.upTo)
	if err != nil {
		return nil, err
	}
	var sorters []*sorter
	progress := &sortProgress{of: x, rows: int64(p.rows)}
	for i := range x.Categorizations {
		z := newSorter(p, &x.Categorizations[i], progress)
		if z.rows, err = x.toSort(z, known, changes); err != nil {
			return nil, err
		}
		progress.total += int64(z.rows.GetCardinality())
		sorters = append(sorters, z)
	}
	for _, z := range sorters {
		if err := z.run(ctx); err != nil {
			return nil, err
		}
		more, err := x.resorted(z, known)
		if err != nil {
			return nil, err
		}
		sorted = append(sorted, more...)
	}
	return sorted, nil
}

// toSort returns the rows of the posts that a sorting is about.
func (x *rematching) toSort(z *sorter, known *roaring.Bitmap, changes []marks) (rows *roaring.Bitmap, err error) {
	of := func(ch marks) bool { return ch.monitor == z.Posts }
	if i := slices.IndexFunc(changes, of); i >= 0 {
		rows = changes[i].rows.Clone()
	} else if rows, err = x.marked(z.part, z.Posts); err != nil {
		return nil, err
	}
	rows.And(known)
	if z.gone != nil {
		rows.AndNot(z.gone)
	}
	for _, id := range z.Retained {
		set, err := x.marked(z.part, id)
		if err != nil {
			return nil, err
		}
		z.kept.Or(set)
	}
	z.kept.And(rows)
	if z.Categorize == nil {
		return roaring.New(), nil
	}
	rows.AndNot(z.kept)
	return rows, nil
}

// resorted returns the sets that are others now. Rows that are gone make no difference, and
// those that are not among the known ones stay.
func (x *rematching) resorted(z *sorter, known *roaring.Bitmap) (changes []marks, err error) {
	for id, rows := range z.sets {
		before, err := x.marked(z.part, id)
		if err != nil {
			return nil, err
		}
		if z.gone != nil {
			before.AndNot(z.gone)
		}
		stay := roaring.AndNot(before, known)
		stay.Or(roaring.And(before, z.kept))
		rows.Or(stay)
		if !rows.Equals(before) {
			changes = append(changes, marks{part: z.id, monitor: id, rows: rows})
		}
	}
	return changes, nil
}

// A sorter sorts the posts of a part.
type sorter struct {
	*part
	*poststore.Categorization
	rows     *roaring.Bitmap // to be sorted
	kept     *roaring.Bitmap // not to be sorted again
	progress *sortProgress

	mu     sync.Mutex
	sets   map[poststore.SetID]*roaring.Bitmap
	sorted uint64 // how many of rows are in sets
}

func newSorter(p *part, sorting *poststore.Categorization, progress *sortProgress) *sorter {
	z := &sorter{part: p, Categorization: sorting, kept: roaring.New(), progress: progress, sets: map[poststore.SetID]*roaring.Bitmap{}}
	for _, id := range sorting.Sets {
		z.sets[id] = roaring.New()
	}
	return z
}

var errNotSorted = errors.New("the goroutine that sorted posts was ended")

// run sorts all rows.
func (z *sorter) run(ctx context.Context) error {
	chunks := slices.Collect(slices.Chunk(z.rows.ToArray(), sortRows))
	err := parallel(ctx, len(chunks), func(i int) error {
		if z.progress.of.closed.Load() {
			return ErrClosed // Close waits for us
		}
		return z.some(chunks[i])
	})
	if err == nil && z.sorted != z.rows.GetCardinality() {
		return errNotSorted
	}
	return err
}

// some sorts some rows, one post after the other.
func (z *sorter) some(rows []uint32) error {
	found := map[poststore.SetID][]uint32{}
	var sets []poststore.SetID
	err := reading(z.part, func() error {
		return z.file.EachPost(rows, func(row uint32, p *earshot.Post) (err error) {
			if sets, err = z.call(sets[:0], p); err != nil {
				return err
			}
			for _, id := range sets {
				found[id] = append(found[id], row)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	for id, rows := range found {
		set := z.sets[id]
		if set == nil {
			return fmt.Errorf("a post of monitor %d was sorted into %d, which is none of the sets", z.Posts, id)
		}
		set.AddMany(rows)
	}
	z.sorted += uint64(len(rows))
	return z.progress.add(len(rows))
}

// A sortPanic is a panic of Sort or Progress, which is to come up in the goroutine of the
// one who called Rematch.
type sortPanic struct{ text string }

func (p *sortPanic) Error() string { return p.text }

// caught makes an error of a panic.
func caught(err *error) {
	if r := recover(); r != nil {
		*err = &sortPanic{fmt.Sprintf("%v\n%s", r, debug.Stack())}
	}
}

// call calls Sort.
func (z *sorter) call(sets []poststore.SetID, p *earshot.Post) (_ []poststore.SetID, err error) {
	defer caught(&err)
	return z.Categorize(sets, p), nil
}

// A sortProgress tells how far the sorting of a part is, as if it took all of the time.
type sortProgress struct {
	of    *rematching
	rows  int64 // of the part
	total int64 // rows to be sorted, those of all sortings

	mu   sync.Mutex
	done int64
}

func (s *sortProgress) add(rows int) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer caught(&err)
	s.done += int64(rows)
	s.of.tell(s.rows * s.done / s.total)
	return nil
}
