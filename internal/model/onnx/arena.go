package onnx

import "math/bits"

// An arena hands out the numbers of tensors, takes back those no longer needed, and
// keeps count of what a run holds. Numbers it hands out have any values.
type arena struct {
	live   int // numbers handed out and not taken back
	limit  int
	floats map[int][][]float32 // taken back, by capacity
	ints   map[int][][]int64
}

func newArena(limit int) *arena {
	return &arena{limit: limit, floats: make(map[int][][]float32), ints: make(map[int][][]int64)}
}

// tensor returns a tensor of a kind and shape, false when the run would hold too
// many numbers.
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

// free takes back the numbers of a tensor that came from the arena.
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

// roundUp returns a number that is at least n and hardly larger, one of few, so that
// texts of other lengths find fitting numbers.
func roundUp(n int) int {
	step := 1 << max(bits.Len(uint(n))-3, 4)
	return (n + step - 1) / step * step
}
