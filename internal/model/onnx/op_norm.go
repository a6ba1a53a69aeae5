package onnx

import "math"

// softmax converts logits to probabilities. Before version 13 it operates on all axes from the
// given one on, later only on the given one.
func softmax(c *call) *tensor { return c.alongAxis(softmaxRow) }

func logSoftmax(c *call) *tensor {
	return c.alongAxis(func(dst, src []float32) {
		softmaxRow(dst, src)
		for i, v := range dst {
			dst[i] = logarithm(v)
		}
	})
}

func softmaxRow(dst, src []float32) {
	top := maximum(src)
	var total float32
	for i, v := range src {
		e := exp(v - top)
		dst[i] = e
		total += e
	}
	for i := range dst {
		dst[i] /= total
	}
}

// alongAxis applies f to the rows along an axis.
func (c *call) alongAxis(f func(dst, src []float32)) *tensor {
	in := c.floats(0)
	n, stride := 0, 1
	if c.opset < 13 {
		n = product(in.shape[c.axis(c.intAttr("axis", 1), len(in.shape)):])
	} else {
		axis := c.axis(c.intAttr("axis", -1), len(in.shape))
		n, stride = in.shape[axis], stridesOf(in.shape)[axis]
	}
	result := c.tensor(float, in.shape)
	if stride == 1 {
		for at := 0; at < in.size(); at += n {
			f(result.floats[at:at+n], in.floats[at:at+n])
		}
		return result
	}
	row := make([]float32, n)
	for at := range in.floats {
		if at/stride%n > 0 {
			continue // not the start of a row
		}
		for i := range row {
			row[i] = in.floats[at+i*stride]
		}
		f(row, row)
		for i, v := range row {
			result.floats[at+i*stride] = v
		}
	}
	return result
}

// layerNormalization normalizes the elements from an axis on to mean 0 and variance 1, then scales
// and shifts them.
func layerNormalization(c *call) *tensor {
	in, scale := c.floats(0), c.floats(1)
	axis := c.axis(c.intAttr("axis", -1), len(in.shape))
	epsilon := float64(c.floatAttr("epsilon", 1e-5))
	n := product(in.shape[axis:])
	var shift []float32
	if c.option(2) != nil {
		shift = c.floats(2).floats
	}
	if scale.size() != n || shift != nil && len(shift) != n {
		c.fail("the scale or bias does not match shape %v", in.shape)
	}
	result := c.tensor(float, in.shape)
	for at := 0; at < in.size(); at += n {
		src, dst := in.floats[at:at+n], result.floats[at:at+n]
		middle, spread := moments(src)
		factor := 1 / math.Sqrt(spread+epsilon)
		for i, v := range src {
			dst[i] = float32((float64(v)-middle)*factor) * scale.floats[i]
		}
		for i, v := range shift {
			dst[i] += v
		}
	}
	return result
}

// moments returns the mean and the variance of v.
func moments(v []float32) (mean, variance float64) {
	for _, x := range v {
		mean += float64(x)
	}
	mean /= float64(len(v))
	for _, x := range v {
		d := float64(x) - mean
		variance += d * d
	}
	return mean, variance / float64(len(v))
}

// batchNormalization scales each channel by its learned statistics.
func batchNormalization(c *call) *tensor {
	in := c.floats(0)
	if len(in.shape) < 2 {
		c.fail("shape %v has no channels", in.shape)
	}
	channels, inner := in.shape[1], product(in.shape[2:])
	var params [4][]float32 // scale, shift, mean, variance
	for i := range params {
		params[i] = c.floats(i + 1).floats
		if len(params[i]) != channels {
			c.fail("input %d has %d elements, want one for each of %d channels", i+1, len(params[i]), channels)
		}
	}
	epsilon := c.floatAttr("epsilon", 1e-5)
	result := c.tensor(float, in.shape)
	for at := 0; at < in.size(); at += inner {
		ch := at / inner % channels
		factor := params[0][ch] / sqrt(params[3][ch]+epsilon)
		offset := params[1][ch] - params[2][ch]*factor
		for i, v := range in.floats[at : at+inner] {
			result.floats[at+i] = v*factor + offset
		}
	}
	return result
}
