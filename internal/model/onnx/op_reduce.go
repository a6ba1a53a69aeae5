package onnx

import (
	"math"
	"slices"
)

// Reductions of several elements to one.

func sum(v []float32) float32 {
	var total float32
	for _, x := range v {
		total += x
	}
	return total
}

func mean(v []float32) float32 { return sum(v) / float32(len(v)) }

func l2(v []float32) float32 {
	var total float32
	for _, x := range v {
		total += x * x
	}
	return sqrt(total)
}

func multiplyAll(v []float32) float32 {
	total := float32(1)
	for _, x := range v {
		total *= x
	}
	return total
}

func maximum(v []float32) float32 {
	top := float32(math.Inf(-1))
	for _, x := range v {
		top = max(top, x)
	}
	return top
}

func minimum(v []float32) float32 {
	low := float32(math.Inf(1))
	for _, x := range v {
		low = min(low, x)
	}
	return low
}

// reduce returns an operator that folds the elements along some axes, or along all if none are
// given. Integers are folded as floats, because in practice they are sizes.
func reduce(fold func([]float32) float32) func(*call) *tensor {
	return func(c *call) *tensor {
		in := c.input(0)
		list, _ := c.list("axes", 1)
		if len(list) == 0 && c.intAttr("noop_with_empty_axes", 0) == 1 {
			return in
		}
		axes, keep := c.axesOf(list, len(in.shape)), c.intAttr("keepdims", 1) == 1
		if in.isFloat() {
			return c.reduced(in, axes, keep, fold)
		}
		in = c.asFloats(in)
		defer c.run.drop(in)
		result := c.reduced(in, axes, keep, fold)
		defer c.run.drop(result)
		return c.asInts(result)
	}
}

// axesOf returns which axes a list names. An empty list means all.
func (c *call) axesOf(list []int64, dims int) []bool {
	named := make([]bool, dims)
	for i := range named {
		named[i] = len(list) == 0
	}
	for _, axis := range list {
		named[c.axis(int(axis), dims)] = true
	}
	return named
}

// reduced folds the elements along axes. It first moves those axes to the end, so that the elements
// of a fold are contiguous, which they usually already are.
func (c *call) reduced(in *tensor, axes []bool, keep bool, fold func([]float32) float32) *tensor {
	var order, last, shape []int
	for i, folded := range axes {
		if folded {
			last = append(last, i)
		} else {
			order = append(order, i)
		}
		if !folded {
			shape = append(shape, in.shape[i])
		} else if keep {
			shape = append(shape, 1)
		}
	}
	side := in
	if order = append(order, last...); !slices.IsSorted(order) {
		side = c.transposed(in, order)
		defer c.run.drop(side)
	}
	result := c.tensor(float, shape)
	n := 1
	for _, axis := range last {
		n *= in.shape[axis]
	}
	for i := range result.floats {
		result.floats[i] = fold(side.floats[i*n : (i+1)*n])
	}
	return result
}

func (c *call) asFloats(t *tensor) *tensor {
	result := c.tensor(float, t.shape)
	for i, v := range t.ints {
		result.floats[i] = float32(v)
	}
	return result
}

func (c *call) asInts(t *tensor) *tensor {
	result := c.tensor(integer, t.shape)
	for i, v := range t.floats {
		result.ints[i] = toInt(v, integer)
	}
	return result
}

// argMax returns the index of the largest element along an axis. If several are equal, it returns
// the first.
func argMax(c *call) *tensor {
	in := c.floats(0)
	axis := c.axis(c.intAttr("axis", 0), len(in.shape))
	axes := make([]bool, len(in.shape))
	axes[axis] = true
	places := c.reduced(in, axes, c.intAttr("keepdims", 1) == 1, func(v []float32) float32 {
		top := 0
		for i := range v {
			if v[i] > v[top] {
				top = i
			}
		}
		return float32(top)
	})
	defer c.run.drop(places)
	return c.asInts(places)
}

// cumSum computes cumulative sums along an axis. RoBERTa uses it for positions.
func cumSum(c *call) *tensor {
	in := c.input(0)
	axis := c.axis(int(c.singleInt(1)), len(in.shape))
	if c.intAttr("exclusive", 0) != 0 || c.intAttr("reverse", 0) != 0 {
		c.fail("exclusive and reverse sums are not supported")
	}
	result := c.tensor(in.kind, in.shape)
	n, stride := in.shape[axis], stridesOf(in.shape)[axis]
	if in.isFloat() {
		cumulate(result.floats, in.floats, n, stride)
	} else {
		cumulate(result.ints, in.ints, n, stride)
	}
	return result
}

func cumulate[T number](dst, src []T, n, stride int) {
	for i, v := range src {
		dst[i] = v
		if i/stride%n > 0 {
			dst[i] += dst[i-stride]
		}
	}
}
