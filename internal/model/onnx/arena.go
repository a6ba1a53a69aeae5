package onnx

import "math/bits"

// An arena allocates the elements of tensors, reuses those that were freed, and tracks how many a
// run holds. Allocated elements are not cleared.
type arena struct {
	live   int // elements allocated and not freed
	limit  int
	floats map[int][][]float32 // free lists by capacity
	ints   map[int][][]int64
}

func newArena(limit int) *arena {
	return &arena{limit: limit, floats: make(map[int][][]float32), ints: make(map[int][][]int64)}
}

// tensor returns a tensor of the given type and shape. It returns false if the run would exceed its
// limit.
func (a *arena) tensor(k dtype, shape []int) (*tensor, bool) {
	n, ok := elements(shape, maxElements)
	if !ok {
		return nil, false
	}
	size := roundUp(n)
	if a.live+size > a.limit {
		return nil, false
	}
	a.live += size
	t := &tensor{kind: k, shape: shape}
	if t.isFloat() {
		t.floats = take(a.floats, size)[:n]
	} else {
		t.ints = take(a.ints, size)[:n]
	}
	return t, true
}

// free returns the elements of a tensor that came from the arena.
func (a *arena) free(t *tensor) {
	if t.isFloat() {
		a.live -= cap(t.floats)
		a.floats[cap(t.floats)] = append(a.floats[cap(t.floats)], t.floats)
	} else {
		a.live -= cap(t.ints)
		a.ints[cap(t.ints)] = append(a.ints[cap(t.ints)], t.ints)
	}
}

func take[T any](from map[int][][]T, size int) []T {
	if list := from[size]; len(list) > 0 {
		from[size] = list[:len(list)-1]
		return list[len(list)-1]
	}
	return make([]T, size)
}

// roundUp rounds n up to one of a few sizes, slightly larger than n, so that texts of different
// lengths can share buffers.
func roundUp(n int) int {
	step := 1 << max(bits.Len(uint(n))-3, 4)
	return (n + step - 1) / step * step
}
