package onnx

import "slices"

// Operators that rearrange elements.

// pick returns the elements of t that are selected by a shape, strides and the index of the first
// element. Transposing, slicing, repeating and splitting all use it.
func (c *call) pick(t *tensor, shape, strides []int, first int) *tensor {
	result := c.tensor(t.kind, shape)
	if result.size() == 0 {
		return result
	}
	if t.isFloat() {
		pickInto(result.floats, t.floats, shape, strides, first)
	} else {
		pickInto(result.ints, t.ints, shape, strides, first)
	}
	return result
}

func pickInto[T number](dst, src []T, shape, strides []int, first int) {
	last := len(shape) - 1
	if last < 0 {
		dst[0] = src[first]
		return
	}
	n, step := shape[last], strides[last]
	w := iterator{at: first, shape: shape[:last], strides: strides[:last], index: make([]int, last)}
	for ; len(dst) > 0; dst = dst[n:] {
		if step == 1 {
			copy(dst[:n], src[w.at:w.at+n])
		} else {
			for i, at := 0, w.at; i < n; i, at = i+1, at+step {
				dst[i] = src[at]
			}
		}
		w.next()
	}
}

func transpose(c *call) *tensor {
	in := c.input(0)
	order := c.node.attrs["perm"].integers
	if order == nil {
		for i := len(in.shape) - 1; i >= 0; i-- {
			order = append(order, int64(i))
		}
	}
	if len(order) != len(in.shape) {
		c.fail("permutation %v does not match shape %v", order, in.shape)
	}
	axes := make([]int, len(order))
	for i, axis := range order {
		axes[i] = c.axis(int(axis), len(in.shape))
		if slices.Contains(axes[:i], axes[i]) {
			c.fail("permutation %v repeats an axis", order)
		}
	}
	return c.transposed(in, axes)
}

// transposed returns t with its axes in another order.
func (c *call) transposed(t *tensor, axes []int) *tensor {
	from := stridesOf(t.shape)
	shape, strides := make([]int, len(axes)), make([]int, len(axes))
	for i, axis := range axes {
		shape[i], strides[i] = t.shape[axis], from[axis]
	}
	return c.pick(t, shape, strides, 0)
}

func expand(c *call) *tensor {
	in := c.input(0)
	shape := c.broadcast(in.shape, c.dims(c.ints(1)))
	return c.pick(in, shape, broadcastStrides(in.shape, shape), 0)
}

// tile repeats a tensor along each axis. It splits every axis in two, of which the first has stride
// 0.
func tile(c *call) *tensor {
	in := c.input(0)
	repeats := c.dims(c.ints(1))
	if len(repeats) != len(in.shape) || 2*len(repeats) > maxDims {
		c.fail("repeats %v do not match shape %v", repeats, in.shape)
	}
	var double, strides []int
	shape := make([]int, len(repeats))
	from := stridesOf(in.shape)
	for i, n := range repeats {
		double = append(double, n, in.shape[i])
		strides = append(strides, 0, from[i])
		shape[i] = n * in.shape[i]
	}
	result := c.pick(in, double, strides, 0)
	result.shape = shape
	return result
}

// slice selects elements from a start to an end in steps, along some axes. Version 1 uses
// attributes, later versions use inputs.
func slice(c *call) *tensor {
	in := c.input(0)
	starts, _ := c.list("starts", 1)
	ends, _ := c.list("ends", 2)
	axes, given := c.list("axes", 3)
	steps, stepped := c.list("steps", 4)
	if !given {
		for i := range starts {
			axes = append(axes, int64(i))
		}
	}
	if len(ends) != len(starts) || len(axes) != len(starts) || stepped && len(steps) != len(starts) {
		c.fail("starts, ends, axes and steps have different lengths")
	}
	shape, strides, first := slices.Clone(in.shape), stridesOf(in.shape), 0
	for i := range starts {
		axis, step := c.axis(int(axes[i]), len(shape)), int64(1)
		if stepped {
			step = steps[i]
		}
		if step == 0 {
			c.fail("the step is 0")
		}
		size := int64(in.shape[axis])
		step = max(-size-1, min(step, size+1)) // larger steps also select only the first element
		start, n := span(starts[i], ends[i], step, size)
		first += int(start) * strides[axis]
		strides[axis] *= int(step)
		shape[axis] = int(n)
	}
	return c.pick(in, shape, strides, first)
}

// span returns the start of a slice of an axis with the given size, and its length. Negative
// positions count from the end; positions outside are clamped.
func span(start, end, step, size int64) (first, n int64) {
	if start < 0 {
		start += size
	}
	if end < 0 && end >= -size {
		end += size
	}
	if step > 0 {
		start, end = max(0, min(start, size)), max(0, min(end, size))
		if start >= end {
			return 0, 0
		}
		return start, (end - start + step - 1) / step
	}
	start, end = max(0, min(start, size-1)), max(-1, min(end, size-1))
	if start <= end {
		return 0, 0
	}
	return start, (start - end - step - 1) / -step
}
