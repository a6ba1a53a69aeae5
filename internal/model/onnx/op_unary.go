package onnx

import "math"

// unary returns an operator that applies f to each element.
func unary(f func(float32) float32) func(*call) *tensor {
	return func(c *call) *tensor { return c.each(f) }
}

// each applies f to the elements of the first input.
func (c *call) each(f func(float32) float32) *tensor {
	in := c.floats(0)
	result := c.tensor(float, in.shape)
	for i, v := range in.floats {
		result.floats[i] = f(v)
	}
	return result
}

func abs(v float32) float32        { return float32(math.Abs(float64(v))) }
func ceil(v float32) float32       { return float32(math.Ceil(float64(v))) }
func erf(v float32) float32        { return float32(math.Erf(float64(v))) }
func cosine(v float32) float32     { return float32(math.Cos(float64(v))) }
func exp(v float32) float32        { return float32(math.Exp(float64(v))) }
func floor(v float32) float32      { return float32(math.Floor(float64(v))) }
func hardSwish(v float32) float32  { return v * max(0, min(1, v/6+0.5)) }
func logarithm(v float32) float32  { return float32(math.Log(float64(v))) }
func reciprocal(v float32) float32 { return 1 / v }
func relu(v float32) float32       { return max(v, 0) }
func roundEven(v float32) float32  { return float32(math.RoundToEven(float64(v))) }
func sigmoid(v float32) float32    { return float32(1 / (1 + math.Exp(-float64(v)))) }
func sine(v float32) float32       { return float32(math.Sin(float64(v))) }
func sqrt(v float32) float32       { return float32(math.Sqrt(float64(v))) }
func tanh(v float32) float32       { return float32(math.Tanh(float64(v))) }

func sign(v float32) float32 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return v // zero or NaN
}

func softplus(v float32) float32 {
	if v > 30 { // equal within float32 precision, and avoids infinity
		return v
	}
	return float32(math.Log1p(math.Exp(float64(v))))
}

// clip limits elements to bounds, each of which is optional.
func clip(c *call) *tensor {
	in := c.input(0)
	if !in.isFloat() {
		return c.clipInts(in)
	}
	low := c.bound("min", 1, -math.MaxFloat32)
	high := c.bound("max", 2, math.MaxFloat32)
	return c.each(func(v float32) float32 { return max(low, min(high, v)) })
}

func (c *call) bound(name string, i int, otherwise float32) float32 {
	if c.option(i) == nil {
		return c.floatAttr(name, otherwise)
	}
	return c.single(i)
}

func (c *call) clipInts(in *tensor) *tensor {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if c.option(1) != nil {
		low = c.singleInt(1)
	}
	if c.option(2) != nil {
		high = c.singleInt(2)
	}
	result := c.tensor(in.kind, in.shape)
	for i, v := range in.ints {
		result.ints[i] = max(low, min(high, v))
	}
	return result
}

// single returns the only element of a float input.
func (c *call) single(i int) float32 {
	t := c.floats(i)
	if t.size() != 1 {
		c.fail("input %d has %d elements, want 1", i, t.size())
	}
	return t.floats[0]
}

// singleInt returns the only element of an integer input.
func (c *call) singleInt(i int) int64 {
	ints := c.ints(i)
	if len(ints) != 1 {
		c.fail("input %d has %d elements, want 1", i, len(ints))
	}
	return ints[0]
}

func elu(c *call) *tensor {
	alpha := c.floatAttr("alpha", 1)
	return c.each(func(v float32) float32 {
		if v < 0 {
			return alpha * float32(math.Expm1(float64(v)))
		}
		return v
	})
}

func gelu(c *call) *tensor {
	if c.node.attrs["approximate"].text == "tanh" {
		return c.each(func(v float32) float32 {
			return v / 2 * (1 + tanh(float32(math.Sqrt(2/math.Pi))*(v+0.044715*v*v*v)))
		})
	}
	return c.each(func(v float32) float32 { return v / 2 * (1 + erf(v/math.Sqrt2)) })
}

func hardSigmoid(c *call) *tensor {
	alpha, beta := c.floatAttr("alpha", 0.2), c.floatAttr("beta", 0.5)
	return c.each(func(v float32) float32 { return max(0, min(1, alpha*v+beta)) })
}

func leakyRelu(c *call) *tensor {
	alpha := c.floatAttr("alpha", 0.01)
	return c.each(func(v float32) float32 {
		if v < 0 {
			return alpha * v
		}
		return v
	})
}

func isNaN(c *call) *tensor {
	in := c.floats(0)
	result := c.tensor(boolean, in.shape)
	for i, v := range in.floats {
		result.ints[i] = boolToInt(v != v)
	}
	return result
}

func negate(c *call) *tensor {
	in := c.input(0)
	result := c.tensor(in.kind, in.shape)
	for i, v := range in.floats {
		result.floats[i] = -v
	}
	for i, v := range in.ints {
		result.ints[i] = -v
	}
	return result
}

func not(c *call) *tensor {
	in := c.input(0)
	result := c.tensor(boolean, in.shape)
	for i, v := range c.ints(0) {
		result.ints[i] = boolToInt(v == 0)
	}
	return result
}
