package onnx

import (
	"math"
	"slices"
)

// Operators that change the shape of a tensor but not the order of its elements.

func identity(c *call) *tensor { return c.input(0) }

// reshape changes the shape of an input to the one in the second input, in which 0 keeps the
// dimension and -1 is inferred.
func reshape(c *call) *tensor {
	in := c.input(0)
	want, ok := c.list("shape", 1)
	if !ok {
		c.fail("the shape is missing")
	}
	shape := make([]int, len(want))
	open, known := -1, 1
	for i, d := range want {
		switch {
		case d == 0 && c.intAttr("allowzero", 0) == 0:
			if i >= len(in.shape) {
				c.fail("shape %v has no dimension %d", in.shape, i)
			}
			shape[i] = in.shape[i]
		case d == -1 && open < 0:
			open = i
			continue
		case d < 0 || d > maxElements:
			c.fail("invalid shape %v", want)
		default:
			shape[i] = int(d)
		}
		known *= shape[i]
		if known > maxElements {
			c.fail("shape %v is too large", want)
		}
	}
	if open >= 0 && known > 0 {
		shape[open] = in.size() / known
	}
	return c.reshaped(in, shape)
}

// reshaped returns the elements of t in another shape.
func (c *call) reshaped(t *tensor, shape []int) *tensor {
	if n, ok := elements(shape, maxWeights); !ok || n != t.size() {
		c.fail("cannot reshape %d elements to %v", t.size(), shape)
	}
	return t.view(shape)
}

func flatten(c *call) *tensor {
	in := c.input(0)
	axis := c.intAttr("axis", 1)
	if axis < 0 {
		axis += len(in.shape)
	}
	if axis < 0 || axis > len(in.shape) {
		c.fail("axis %d is out of range", axis)
	}
	return in.view([]int{product(in.shape[:axis]), product(in.shape[axis:])})
}

func squeeze(c *call) *tensor {
	in := c.input(0)
	axes, given := c.list("axes", 1)
	var shape []int
	for i, d := range in.shape {
		if given && (slices.Contains(axes, int64(i)) || slices.Contains(axes, int64(i-len(in.shape)))) || !given && d == 1 {
			if d != 1 {
				c.fail("axis %d of shape %v is not 1", i, in.shape)
			}
			continue
		}
		shape = append(shape, d)
	}
	return c.reshaped(in, shape)
}

func unsqueeze(c *call) *tensor {
	in := c.input(0)
	axes, _ := c.list("axes", 1)
	dims := len(in.shape) + len(axes)
	if dims > maxDims {
		c.fail("%d dimensions are too many", dims)
	}
	shape := make([]int, dims)
	for _, axis := range axes {
		shape[c.axis(int(axis), dims)] = 1
	}
	rest := in.shape
	for i := range shape {
		if shape[i] == 1 {
			continue
		}
		if len(rest) == 0 {
			c.fail("axes %v contain duplicates", axes)
		}
		shape[i], rest = rest[0], rest[1:]
	}
	return c.reshaped(in, shape)
}

func shapeOf(c *call) *tensor {
	in := c.input(0)
	start, end := c.intAttr("start", 0), c.intAttr("end", len(in.shape))
	if start < 0 {
		start += len(in.shape)
	}
	if end < 0 {
		end += len(in.shape)
	}
	start, end = max(start, 0), min(end, len(in.shape))
	result := c.tensor(integer, []int{max(end-start, 0)})
	for i := range result.ints {
		result.ints[i] = int64(in.shape[start+i])
	}
	return result
}

func sizeOf(c *call) *tensor {
	result := c.tensor(integer, []int{})
	result.ints[0] = int64(c.input(0).size())
	return result
}

// constant returns the value of a constant node.
func constant(c *call) *tensor {
	a := c.node.attrs
	switch {
	case a["value"].tensor != nil:
		return a["value"].tensor
	case a["value_ints"].integers != nil:
		return vector(a["value_ints"].integers)
	case a["value_floats"].floats != nil:
		floats := a["value_floats"].floats
		return &tensor{kind: float, shape: []int{len(floats)}, floats: floats}
	}
	if v, ok := a["value_float"]; ok {
		return scalar(v.float)
	}
	if v, ok := a["value_int"]; ok {
		return vector([]int64{v.integer}).view([]int{})
	}
	c.fail("not supported: type of the constant")
	return nil
}

// constantOfShape repeats a number, which defaults to 0.
func constantOfShape(c *call) *tensor {
	value := scalar(0)
	if a, ok := c.node.attrs["value"]; ok && a.tensor != nil {
		value = a.tensor
	}
	if value.size() != 1 {
		c.fail("the value is not a single element")
	}
	result := c.tensor(value.kind, c.dims(c.ints(0)))
	for i := range result.floats {
		result.floats[i] = value.floats[0]
	}
	for i := range result.ints {
		result.ints[i] = value.ints[0]
	}
	return result
}

// dims converts numbers of a model to a shape.
func (c *call) dims(numbers []int64) []int {
	shape := make([]int, len(numbers))
	for i, d := range numbers {
		if d < 0 || d > maxElements {
			c.fail("invalid shape %v", numbers)
		}
		shape[i] = int(d)
	}
	return shape
}

// rangeOf returns the numbers from a start up to a limit in steps.
func rangeOf(c *call) *tensor {
	if c.input(0).isFloat() {
		start, limit, delta := c.single(0), c.single(1), c.single(2)
		result := c.tensor(float, []int{c.count(math.Ceil(float64((limit - start) / delta)))})
		for i := range result.floats {
			result.floats[i] = start + float32(i)*delta
		}
		return result
	}
	start, limit, delta := c.singleInt(0), c.singleInt(1), c.singleInt(2)
	result := c.tensor(integer, []int{c.count(math.Ceil((float64(limit) - float64(start)) / float64(delta)))})
	for i := range result.ints {
		result.ints[i] = start + int64(i)*delta
	}
	return result
}

func (c *call) count(n float64) int {
	if n != n || n > maxElements {
		c.fail("the range is too long")
	}
	return int(max(n, 0))
}

// cast converts elements to another type.
func cast(c *call) *tensor {
	in := c.input(0)
	to, err := kindOf(uint64(c.intAttr("to", 0)))
	if err != nil {
		c.fail("%v", err)
	}
	if to == in.kind {
		return in
	}
	result := c.tensor(to, in.shape)
	switch {
	case in.isFloat() && result.isFloat():
		for i, v := range in.floats {
			result.floats[i] = v
			if to != float {
				result.floats[i] = float32(math.Trunc(float64(v)))
			}
		}
	case in.isFloat():
		for i, v := range in.floats {
			result.ints[i] = toInt(v, to)
		}
	case result.isFloat():
		for i, v := range in.ints {
			result.floats[i] = float32(v)
		}
	default:
		for i, v := range in.ints {
			if to == boolean {
				v = boolToInt(v != 0)
			}
			result.ints[i] = v
		}
	}
	return result
}

func toInt(v float32, to dtype) int64 {
	switch {
	case to == boolean:
		return boolToInt(v != 0)
	case v != v:
		return 0
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	}
	return int64(v)
}
