package onnx

// arithmetic returns an operator with two inputs of the same type, which is also the type of the
// result.
func arithmetic(floats row[float32, float32], ints row[int64, int64]) func(*call) *tensor {
	return func(c *call) *tensor { return c.combine(c.input(0), c.input(1), floats, ints) }
}

// variadic returns an operator with any number of inputs of the same type.
func variadic(floats row[float32, float32], ints row[int64, int64]) func(*call) *tensor {
	return func(c *call) *tensor {
		t := c.input(0)
		for i := 1; i < len(c.in); i++ {
			next := c.combine(t, c.input(i), floats, ints)
			if i > 1 {
				c.run.drop(t)
			}
			t = next
		}
		return t
	}
}

// comparison returns an operator with two inputs of the same type and a boolean result.
func comparison(floats row[float32, int64], ints row[int64, int64]) func(*call) *tensor {
	return func(c *call) *tensor {
		a, b := c.sameKind(c.input(0), c.input(1))
		result := c.tensor(boolean, c.broadcast(a.shape, b.shape))
		if a.isFloat() {
			zip(result.ints, a.floats, b.floats, result.shape, a.shape, b.shape, floats)
		} else {
			zip(result.ints, a.ints, b.ints, result.shape, a.shape, b.shape, ints)
		}
		return result
	}
}

// logic returns an operator with two boolean inputs.
func logic(ints row[int64, int64]) func(*call) *tensor {
	compare := comparison(nil, ints)
	return func(c *call) *tensor {
		c.ints(0)
		c.ints(1)
		return compare(c)
	}
}

// combine computes a result of the same type as its two tensors.
func (c *call) combine(a, b *tensor, floats row[float32, float32], ints row[int64, int64]) *tensor {
	a, b = c.sameKind(a, b)
	result := c.tensor(a.kind, c.broadcast(a.shape, b.shape))
	if a.isFloat() {
		zip(result.floats, a.floats, b.floats, result.shape, a.shape, b.shape, floats)
	} else {
		zip(result.ints, a.ints, b.ints, result.shape, a.shape, b.shape, ints)
	}
	return result
}

// sameKind checks that two tensors can be combined.
func (c *call) sameKind(a, b *tensor) (*tensor, *tensor) {
	if a.isFloat() != b.isFloat() {
		c.fail("the inputs have different types")
	}
	return a, b
}

// where selects elements from one of two inputs.
func where(c *call) *tensor {
	condition, a, b := c.input(0), c.input(1), c.input(2)
	c.sameKind(a, b)
	choice := c.ints(0)
	shape := c.broadcast(c.broadcast(condition.shape, a.shape), b.shape)
	result := c.tensor(a.kind, shape)
	if result.isFloat() {
		choose(result.floats, choice, a.floats, b.floats, shape, condition.shape, a.shape, b.shape)
	} else {
		choose(result.ints, choice, a.ints, b.ints, shape, condition.shape, a.shape, b.shape)
	}
	return result
}

func choose[T number](dst []T, choice []int64, a, b []T, shape, shapeC, shapeA, shapeB []int) {
	walkC, walkA, walkB := newIterator(shape, shapeC), newIterator(shape, shapeA), newIterator(shape, shapeB)
	for at := 0; at < len(dst); at += walkC.row {
		row := dst[at : at+walkC.row]
		for i := range row {
			if choice[walkC.at+i*walkC.step] != 0 {
				row[i] = a[walkA.at+i*walkA.step]
			} else {
				row[i] = b[walkB.at+i*walkB.step]
			}
		}
		walkC.next()
		walkA.next()
		walkB.next()
	}
}
