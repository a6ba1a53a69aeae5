package onnx

import (
	"math"
	"slices"
)

// resize changes the height and the width of images, by bilinear interpolation or by repeating the
// nearest pixel. The inputs are the images, a region that is not supported, and factors or sizes of
// all dimensions.
func resize(c *call) *tensor {
	in := c.floats(0)
	if len(in.shape) != 4 {
		c.fail("shape %v is not that of images", in.shape)
	}
	shape, scales := c.resizedShape(in)
	rows := c.samples(in.shape[2], shape[2], scales[2])
	cols := c.samples(in.shape[3], shape[3], scales[3])
	result := c.tensor(float, shape)
	plane, at := in.shape[2]*in.shape[3], 0
	for first := 0; first < in.size(); first += plane {
		image := in.floats[first : first+plane]
		for _, row := range rows {
			above, below := image[row.from*in.shape[3]:][:in.shape[3]], image[row.to*in.shape[3]:][:in.shape[3]]
			for _, col := range cols {
				top := above[col.from] + col.share*(above[col.to]-above[col.from])
				bottom := below[col.from] + col.share*(below[col.to]-below[col.from])
				result.floats[at] = top + row.share*(bottom-top)
				at++
			}
		}
	}
	return result
}

// resizedShape returns the shape of the result and the factor of each dimension.
func (c *call) resizedShape(in *tensor) (shape []int, scales []float64) {
	shape, scales = slices.Clone(in.shape), []float64{1, 1, 1, 1}
	switch {
	case c.option(3) != nil && c.option(3).size() == 4:
		shape = c.dims(c.ints(3))
		for i := range shape {
			scales[i] = float64(shape[i]) / float64(max(in.shape[i], 1))
		}
	case c.option(2) != nil && c.option(2).size() == 4:
		for i, scale := range c.floats(2).floats {
			if !(scale > 0) || float64(scale)*float64(in.shape[i]) > maxElements {
				c.fail("invalid factor %g", scale)
			}
			scales[i] = float64(scale)
			shape[i] = int(float64(in.shape[i]) * scales[i])
		}
	default:
		c.fail("neither factors nor sizes of 4 dimensions")
	}
	if shape[0] != in.shape[0] || shape[1] != in.shape[1] || product(in.shape) == 0 {
		c.fail("shape %v cannot become %v", in.shape, shape)
	}
	return shape, scales
}

// A sample is the position of a result along one side: between two pixels, and the share of the
// second.
type sample struct {
	from, to int
	share    float32
}

// samples returns the samples along a side.
func (c *call) samples(from, to int, scale float64) []sample {
	mode, coordinates := c.node.attrs["mode"].text, c.node.attrs["coordinate_transformation_mode"].text
	if mode != "" && mode != "nearest" && mode != "linear" || c.intAttr("antialias", 0) != 0 {
		c.fail("mode %q is not supported", mode)
	}
	list := make([]sample, to)
	for i := range list {
		var x float64
		switch coordinates {
		case "", "half_pixel":
			x = (float64(i)+0.5)/scale - 0.5
		case "pytorch_half_pixel":
			if to > 1 {
				x = (float64(i)+0.5)/scale - 0.5
			}
		case "asymmetric":
			x = float64(i) / scale
		case "align_corners":
			if to > 1 {
				x = float64(i) * float64(from-1) / float64(to-1)
			}
		default:
			c.fail("coordinate_transformation_mode %q is not supported", coordinates)
		}
		if mode != "linear" {
			nearest := c.nearest(x, from)
			list[i] = sample{nearest, nearest, 0}
			continue
		}
		x = max(0, min(float64(from-1), x))
		low := int(x)
		list[i] = sample{low, min(low+1, from-1), float32(x - float64(low))}
	}
	return list
}

// nearest returns the pixel that is nearest to a position.
func (c *call) nearest(x float64, size int) int {
	switch mode := c.node.attrs["nearest_mode"].text; mode {
	case "", "round_prefer_floor":
		x = math.Ceil(x - 0.5)
	case "round_prefer_ceil":
		x = math.Floor(x + 0.5)
	case "floor":
		x = math.Floor(x)
	case "ceil":
		x = math.Ceil(x)
	default:
		c.fail("nearest_mode %q is not supported", mode)
	}
	return int(max(0, min(float64(size-1), x)))
}
