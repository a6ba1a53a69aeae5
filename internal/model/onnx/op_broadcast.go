package onnx

import "slices"

// broadcast returns the shape in which two shapes go together: each dimension is the
// same, or 1 in one of them, or missing at the front.
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
			c.fail("shapes %v and %v do not go together", a, b)
		}
	}
	return shape
}

// zip computes dst, of a shape, out of a and b, row by row.
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

// An iterator walks over the elements of a broadcast tensor.
type iterator struct {
	at      int // where the current row begins
	row     int // the length of a row in the larger shape
	step    int // 1, or 0 when the row is one number
	shape   []int
	strides []int // 0 where one number goes with all
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
