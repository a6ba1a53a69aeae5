package segment

import (
	"cmp"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore/local/colfile"
)

// A rowCursor points to the next row of an input.
type rowCursor struct {
	input          int
	file           *Segment
	moved          []uint32
	times          rowTimes
	row            uint32
	seconds, nanos uint64
	posts          *colfile.BlobReader
	post           earshot.Post // valid if decoded
	decoded        bool
}

// orderRows determines the new position of each row with a k-way merge, because the rows of each
// input are already in order. It reads posts only to compare rows with equal times.
func (m *merger) orderRows() error {
	order := heap[*rowCursor]{less: m.precedes}
	kept := 0
	for i, in := range m.in {
		moved := make([]uint32, in.Segment.Rows())
		m.moved = append(m.moved, moved)
		kept += len(moved)
		if in.Drop != nil {
			for row := range roaring.Values(in.Drop) {
				if int(row) >= len(moved) {
					break
				}
				moved[row] = NoRow
				kept--
			}
		}
		times, err := in.Segment.rowTimes()
		if err != nil {
			return err
		}
		if h := (&rowCursor{input: i, file: in.Segment, moved: moved, times: times}); h.advance() {
			order.push(h)
		}
	}
	m.from = make([]uint16, 0, kept)
	for len(order.items) > 0 {
		if len(m.from)%chunkRows == 0 && m.stopped() {
			break
		}
		h := order.items[0]
		h.moved[h.row] = uint32(len(m.from))
		m.from = append(m.from, uint16(h.input))
		h.row++
		order.update(h.advance())
	}
	return m.err
}

// advance moves to the next row at or after h.row that is not dropped, and reports whether there is
// one.
func (h *rowCursor) advance() bool {
	for int(h.row) < len(h.moved) && h.moved[h.row] == NoRow {
		h.row++
	}
	if int(h.row) == len(h.moved) {
		return false
	}
	h.seconds, h.nanos = h.times.seconds.At(h.row), h.times.nanos.At(h.row)
	h.decoded = false
	return true
}

// precedes reports whether the row of a comes before the row of b.
func (m *merger) precedes(a, b *rowCursor) bool {
	if a.seconds != b.seconds {
		return a.seconds < b.seconds
	}
	if a.nanos != b.nanos {
		return a.nanos < b.nanos
	}
	if m.fail(a.decode()) != nil || m.fail(b.decode()) != nil {
		return false
	}
	return cmp.Or(earshot.ComparePosts(&b.post, &a.post), cmp.Compare(a.input, b.input)) < 0
}

// decode reads the post of the row.
func (h *rowCursor) decode() error {
	if h.decoded {
		return nil
	}
	if h.posts == nil {
		blobs, err := h.file.Blobs(blobPosts)
		if err != nil {
			return err
		}
		h.posts = blobs.Reader()
	}
	record, err := h.posts.Get(h.row)
	if err != nil {
		return err
	}
	h.post, err = h.file.decode(h.row, record)
	h.decoded = err == nil
	return err
}

// A heap is a binary heap with the smallest item first.
type heap[T any] struct {
	items []T
	less  func(a, b T) bool
}

func (h *heap[T]) push(item T) {
	h.items = append(h.items, item)
	for i := len(h.items) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.less(h.items[i], h.items[parent]) {
			return
		}
		h.items[i], h.items[parent] = h.items[parent], h.items[i]
		i = parent
	}
}

// update restores the order after the first item has advanced. If the item has no more elements,
// update removes it.
func (h *heap[T]) update(more bool) {
	if !more {
		last := len(h.items) - 1
		h.items[0] = h.items[last]
		h.items = h.items[:last]
	}
	h.fix()
}

// fix moves the first item to its position.
func (h *heap[T]) fix() {
	n := len(h.items)
	for i := 0; ; {
		child := 2*i + 1
		if child >= n {
			return
		}
		if right := child + 1; right < n && h.less(h.items[right], h.items[child]) {
			child = right
		}
		if !h.less(h.items[child], h.items[i]) {
			return
		}
		h.items[i], h.items[child] = h.items[child], h.items[i]
		i = child
	}
}
