package onnx

// Operators of quantized models. 8-bit numbers are stored as floats, which represent them and their
// products exactly, so products use the float code.

// dynamicQuantizeLinear quantizes elements to 0...255. It returns them, the quantization step and
// the zero point.
func dynamicQuantizeLinear(c *call) []*tensor {
	in := c.floats(0)
	var low, high float32
	for _, v := range in.floats {
		low, high = min(low, v), max(high, v)
	}
	step := (high - low) / 255
	if step == 0 {
		step = 1
	}
	zero := clamp(roundEven(-low/step), 0, 255)
	result := c.tensor(octet, in.shape)
	for i, v := range in.floats {
		result.floats[i] = clamp(roundEven(v/step)+zero, 0, 255)
	}
	stepOut, zeroOut := c.tensor(float, []int{}), c.tensor(octet, []int{})
	stepOut.floats[0], zeroOut.floats[0] = step, zero
	return []*tensor{result, stepOut, zeroOut}
}

func clamp(v, low, high float32) float32 { return max(low, min(high, v)) }

// quantizeLinear quantizes elements to 8-bit integers with the given steps.
func quantizeLinear(c *call) *tensor {
	in, step := c.floats(0), c.floats(1)
	shape := c.quantShape(in, step)
	to, low, high := octet, float32(0), float32(255)
	if zero := c.option(2); zero != nil && zero.kind == signedOctet {
		to, low, high = signedOctet, -128, 127
	}
	result := c.combine(in, c.reshaped(step, shape), divFloatRow, nil)
	for i, v := range result.floats {
		result.floats[i] = roundEven(v)
	}
	if c.option(2) != nil {
		defer c.run.drop(result)
		result = c.combine(result, c.reshaped(c.floats(2), shape), addRow[float32], nil)
	}
	for i, v := range result.floats {
		result.floats[i] = clamp(v, low, high)
	}
	result.kind = to
	return result
}

// dequantizeLinear is the inverse of quantizeLinear.
func dequantizeLinear(c *call) *tensor {
	in, step := c.input(0), c.floats(1)
	if !in.isFloat() {
		in = c.asFloats(in)
		defer c.run.drop(in)
	}
	shape := c.quantShape(in, step)
	if zero := c.option(2); zero != nil && zero.isFloat() {
		in = c.combine(in, c.reshaped(zero, shape), subRow[float32], nil)
		defer c.run.drop(in)
	}
	result := c.combine(in, c.reshaped(step, shape), mulRow[float32], nil)
	result.kind = float
	return result
}

// quantShape returns the shape in which quantization steps broadcast to a tensor: one step for all
// elements, or one per index along an axis.
func (c *call) quantShape(in, step *tensor) []int {
	if step.size() == 1 {
		return []int{}
	}
	shape := make([]int, len(in.shape))
	for i := range shape {
		shape[i] = 1
	}
	shape[c.axis(c.intAttr("axis", 1), len(shape))] = step.size()
	return shape
}

// matMulInteger multiplies matrices after subtracting their zero points. A packed matrix already
// has its zero point subtracted.
func matMulInteger(c *call) *tensor {
	a, b := c.withoutZero(0, 2), c.floats(1)
	if c.packed == nil {
		b = c.withoutZero(1, 3)
	}
	inner := call{step: c.step, run: c.run, in: []*tensor{a, b}}
	result := matMul(&inner)
	c.dropTemporary(a, b)
	return result
}

// convInteger is a convolution of images and filters after subtracting their zero points.
func convInteger(c *call) *tensor {
	in, filters := c.withoutZero(0, 2), c.withoutZero(1, 3)
	result := c.convolve(in, filters, nil)
	c.dropTemporary(in, filters)
	return result
}

// withoutZero returns an input minus the zero point in another input.
func (c *call) withoutZero(i, zeroInput int) *tensor {
	in, zero := c.floats(i), c.option(zeroInput)
	if zero == nil || allZero(zero.floats) {
		return in
	}
	result := c.combine(in, zero, subRow[float32], nil)
	result.kind = float
	return result
}

func allZero(v []float32) bool { return maximum(v) <= 0 && minimum(v) >= 0 }

// dropTemporary frees tensors that are not themselves the corresponding inputs.
func (c *call) dropTemporary(tensors ...*tensor) {
	for i, t := range tensors {
		if t != c.in[i] {
			c.run.drop(t)
		}
	}
}
