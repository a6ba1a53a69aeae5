package onnx

import "slices"

func concat(c *call) *tensor {
	first := c.input(0)
	axis := c.axis(c.intAttr("axis", 0), len(first.shape))
	shape := slices.Clone(first.shape)
	shape[axis] = 0
	for i := range c.in {
		t := c.input(i)
		c.sameKind(first, t)
		if len(t.shape) != len(shape) || !slices.Equal(t.shape[:axis], shape[:axis]) || !slices.Equal(t.shape[axis+1:], shape[axis+1:]) {
			c.fail("shapes %v and %v are incompatible", first.shape, t.shape)
		}
		shape[axis] += t.shape[axis]
	}
	result := c.tensor(first.kind, shape)
	at, all := 0, product(shape[axis:])
	for _, t := range c.in {
		part := product(t.shape[axis:])
		for i := range product(shape[:axis]) {
			if t.isFloat() {
				copy(result.floats[i*all+at:], t.floats[i*part:(i+1)*part])
			} else {
				copy(result.ints[i*all+at:], t.ints[i*part:(i+1)*part])
			}
		}
		at += part
	}
	return result
}

// split splits a tensor along an axis into parts of given or equal sizes.
func split(c *call) []*tensor {
	in := c.input(0)
	axis := c.axis(c.intAttr("axis", 0), len(in.shape))
	sizes, given := c.list("split", 1)
	if !given {
		n := c.intAttr("num_outputs", len(c.node.outputs))
		if n <= 0 || n > maxElements {
			c.fail("invalid number of parts: %d", n)
		}
		size := (in.shape[axis] + n - 1) / n
		for at := 0; at < in.shape[axis]; at += size {
			sizes = append(sizes, int64(min(size, in.shape[axis]-at)))
		}
	}
	strides, at := stridesOf(in.shape), 0
	var parts []*tensor
	for _, size := range c.dims(sizes) {
		if at+size > in.shape[axis] {
			c.fail("parts %v exceed the size of the axis", sizes)
		}
		shape := slices.Clone(in.shape)
		shape[axis] = size
		parts = append(parts, c.pick(in, shape, strides, at*strides[axis]))
		at += size
	}
	return parts
}

// gather selects the slices of an axis that the second input lists.
func gather(c *call) *tensor {
	in, indexes := c.input(0), c.ints(1)
	axis := c.axis(c.intAttr("axis", 0), len(in.shape))
	size, inner := in.shape[axis], product(in.shape[axis+1:])
	shape := slices.Concat(in.shape[:axis], c.in[1].shape, in.shape[axis+1:])
	result := c.tensor(in.kind, shape)
	at := 0
	for outer := range product(in.shape[:axis]) {
		for _, index := range indexes {
			from := (outer*size + c.index(index, size)) * inner
			if in.isFloat() {
				copy(result.floats[at:at+inner], in.floats[from:from+inner])
			} else {
				copy(result.ints[at:at+inner], in.ints[from:from+inner])
			}
			at += inner
		}
	}
	return result
}

// index returns an index along an axis. Negative indexes count from the end.
func (c *call) index(i int64, size int) int {
	if i < 0 {
		i += int64(size)
	}
	if i < 0 || i >= int64(size) {
		c.fail("index %d is out of range for size %d", i, size)
	}
	return int(i)
}

// gatherElements selects one element per index, which is the position along the axis.
func gatherElements(c *call) *tensor {
	in, indexes := c.input(0), c.ints(1)
	axis := c.axis(c.intAttr("axis", 0), len(in.shape))
	shape := c.in[1].shape
	if len(shape) != len(in.shape) {
		c.fail("shapes %v and %v are incompatible", in.shape, shape)
	}
	strides := stridesOf(in.shape)
	along := strides[axis]
	strides[axis] = 0
	w := iterator{shape: shape, strides: strides, index: make([]int, len(shape))}
	result := c.tensor(in.kind, shape)
	for i, index := range indexes {
		from := w.at + c.index(index, in.shape[axis])*along
		if in.isFloat() {
			result.floats[i] = in.floats[from]
		} else {
			result.ints[i] = in.ints[from]
		}
		w.next()
	}
	return result
}

// pad surrounds a tensor with a constant.
func pad(c *call) *tensor {
	in := c.floats(0)
	if mode := c.node.attrs["mode"].text; mode != "" && mode != "constant" {
		c.fail("mode %q is not supported", mode)
	}
	pads, _ := c.list("pads", 1)
	if len(pads) != 2*len(in.shape) || c.option(3) != nil {
		c.fail("pads %v do not match shape %v", pads, in.shape)
	}
	around := c.dims(pads)
	shape := slices.Clone(in.shape)
	for i := range shape {
		shape[i] += around[i] + around[len(shape)+i]
	}
	result := c.tensor(in.kind, shape)
	value := c.bound("value", 2, 0)
	for i := range result.floats {
		result.floats[i] = value
	}
	if in.size() == 0 {
		return result
	}
	strides, first := stridesOf(shape), 0
	for i, stride := range strides {
		first += around[i] * stride
	}
	last := len(shape) - 1
	if last < 0 {
		return in
	}
	w := iterator{at: first, shape: in.shape[:last], strides: strides[:last], index: make([]int, last)}
	for from := 0; from < in.size(); from += in.shape[last] {
		copy(result.floats[w.at:], in.floats[from:from+in.shape[last]])
		w.next()
	}
	return result
}
