package onnx

import "slices"

// broadcast returns the shape to which two shapes broadcast: each dimension is equal, or 1 in one
// of them, or missing at the front.
func (c *call) broadcast(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	shape := slices.Clone(a)
	for i, d := range b {
		at := len(a) - len(b) + i
		switch {
		case d == shape[at] || d == 1:
		case shape[at] == 1:
			shape[at] = d
		default:
			c.fail("shapes %v and %v cannot be broadcast", a, b)
		}
	}
	return shape
}

// zip computes dst, which has the given shape, from a and b, row by row.
func zip[T, R number](dst []R, a, b []T, shape, shapeA, shapeB []int, f row[T, R]) {
	if len(dst) == 0 {
		return
	}
	if slices.Equal(shapeA, shapeB) {
		f(dst, a, b, 1, 1)
		return
	}
	walkA, walkB := newIterator(shape, shapeA), newIterator(shape, shapeB)
	for at := 0; at < len(dst); at += walkA.row {
		f(dst[at:at+walkA.row], a[walkA.at:], b[walkB.at:], walkA.step, walkB.step)
		walkA.next()
		walkB.next()
	}
}

// An iterator iterates over the rows of a broadcast tensor.
type iterator struct {
	at      int // start of the current row
	row     int // length of a row in the result shape
	step    int // 1, or 0 if the row is a single repeated element
	shape   []int
	strides []int // 0 for broadcast dimensions
	index   []int
}

func newIterator(shape, of []int) *iterator {
	w := &iterator{row: 1, shape: shape, strides: broadcastStrides(of, shape)}
	if last := len(shape) - 1; last >= 0 {
		w.row, w.step = shape[last], w.strides[last]
		w.shape, w.strides = shape[:last], w.strides[:last]
	}
	w.index = make([]int, len(w.shape))
	return w
}

func (w *iterator) next() {
	for i := len(w.shape) - 1; i >= 0; i-- {
		w.index[i]++
		w.at += w.strides[i]
		if w.index[i] < w.shape[i] {
			return
		}
		w.at -= w.index[i] * w.strides[i]
		w.index[i] = 0
	}
}

// broadcastStrides returns the strides of a tensor broadcast to shape.
func broadcastStrides(of, shape []int) []int {
	strides := make([]int, len(shape))
	front := len(shape) - len(of)
	for i, s := range stridesOf(of) {
		if of[i] != 1 {
			strides[front+i] = s
		}
	}
	return strides
}
