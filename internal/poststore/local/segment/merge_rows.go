package segment

import (
	"cmp"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore/local/colfile"
)

// A rowCursor is the next row of an input.
type rowCursor struct {
	input          int
	file           *Segment
	moved          []uint32
	times          rowTimes
	row            uint32
	seconds, nanos uint64
	posts          *colfile.BlobReader
	post           earshot.Post // once it was needed
	decoded        bool
}

// orderRows decides where each row goes. The rows of a file are in order, so it takes the
// least of all next ones, again and again. Only rows of the same moment are compared by
// their posts.
func (m *merger) orderRows() error {
	order := heap[*rowCursor]{less: m.precedes}
	kept := 0
	for i, in := range m.in {
		moved, rows := newMoved(in)
		m.moved = append(m.moved, moved)
		kept += rows
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
		if len(m.from)%4096 == 0 && !m.goesOn() {
			break
		}
		h := order.items[0]
		h.moved[h.row] = uint32(len(m.from))
		m.from = append(m.from, uint16(h.input))
		h.row++
		if h.advance() {
			order.fix()
		} else {
			order.pop()
		}
	}
	return m.err
}

// newMoved returns where the rows of an input go, as far as they go nowhere, and how many
// do go somewhere.
func newMoved(in Input) (moved []uint32, kept int) {
	moved = make([]uint32, in.Segment.Rows())
	kept = len(moved)
	if in.Drop == nil {
		return moved, kept
	}
	for row := range roaring.Values(in.Drop) {
		if int(row) >= len(moved) {
			break
		}
		moved[row] = NoRow
		kept--
	}
	return moved, kept
}

// advance goes to the next row that is kept, from row on, and reports whether there is one.
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

// precedes reports whether the row of a goes before that of b.
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

// A heap has the least of its items at the front.
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

// fix puts the first item where it belongs after it was changed.
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

// pop removes the first item.
func (h *heap[T]) pop() {
	last := len(h.items) - 1
	h.items[0] = h.items[last]
	h.items = h.items[:last]
	h.fix()
}
