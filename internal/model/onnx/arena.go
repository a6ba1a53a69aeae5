package onnx

import (
	"cmp"
	"math/bits"
	"slices"
)

// An arena allocates the elements of tensors, reuses those that were freed, and tracks how many a
// run holds. Allocated elements are not cleared.
type arena struct {
	live   int // elements allocated and not freed
	limit  int
	floats [][]float32 // free ones, by capacity
	ints   [][]int64
}

func newArena(limit int) *arena { return &arena{limit: limit} }

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
	t := &tensor{kind: k, shape: shape}
	if t.isFloat() {
		t.floats = take(&a.floats, size)[:n]
		a.live += cap(t.floats)
	} else {
		t.ints = take(&a.ints, size)[:n]
		a.live += cap(t.ints)
	}
	return t, true
}

// free returns the elements of a tensor that came from the arena.
func (a *arena) free(t *tensor) {
	if t.isFloat() {
		a.live -= cap(t.floats)
		give(&a.floats, t.floats)
	} else {
		a.live -= cap(t.ints)
		give(&a.ints, t.ints)
	}
}

// take removes the smallest of the free slices that has at least size elements. If there is none, it
// allocates one.
func take[T any](free *[][]T, size int) []T {
	at, _ := slices.BinarySearchFunc(*free, size, func(s []T, size int) int { return cmp.Compare(cap(s), size) })
	if at == len(*free) {
		return make([]T, size)
	}
	s := (*free)[at]
	*free = slices.Delete(*free, at, at+1)
	return s[:size]
}

// give adds a free slice.
func give[T any](free *[][]T, s []T) {
	at, _ := slices.BinarySearchFunc(*free, cap(s), func(s []T, size int) int { return cmp.Compare(cap(s), size) })
	*free = slices.Insert(*free, at, s)
}

// roundUp rounds n up to one of a few sizes, slightly larger than n, so that texts of different
// lengths can share buffers.
func roundUp(n int) int {
	step := 1 << max(bits.Len(uint(n))-3, 4)
	return (n + step - 1) / step * step
}
