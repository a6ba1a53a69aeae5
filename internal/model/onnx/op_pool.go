package onnx

import "math"

// A window slides over the last two dimensions of a tensor of images.
type window struct {
	height, width int    // of the image
	size          [2]int // vertical and horizontal, like all pairs here
	stride        [2]int
	dilation      [2]int
	before        [2]int // padding above and to the left of the image
	out           [2]int // number of windows
}

// window reads the attributes of a node that slides a window of the given size over in.
func (c *call) window(in *tensor, size [2]int) window {
	if len(in.shape) != 4 {
		c.fail("shape %v is not that of images", in.shape)
	}
	w := window{height: in.shape[2], width: in.shape[3], size: size}
	w.stride = c.pair("strides")
	w.dilation = c.pair("dilations")
	after := [2]int{}
	if pads := c.node.attrs["pads"].integers; pads != nil {
		around := c.dims(pads)
		if len(around) != 4 {
			c.fail("invalid pads %v", pads)
		}
		w.before, after = [2]int(around[:2]), [2]int(around[2:])
	}
	for i, length := range [2]int{w.height, w.width} {
		reach := (size[i]-1)*w.dilation[i] + 1
		if same := c.node.attrs["auto_pad"].text; same == "SAME_UPPER" || same == "SAME_LOWER" {
			count := (length + w.stride[i] - 1) / w.stride[i]
			total := max((count-1)*w.stride[i]+reach-length, 0)
			w.before[i] = total / 2
			if same == "SAME_LOWER" {
				w.before[i] = total - total/2
			}
			after[i] = total - w.before[i]
		}
		room := length + w.before[i] + after[i] - reach
		if room < 0 {
			c.fail("a window of %v does not fit into %d × %d", size, w.height, w.width)
		}
		w.out[i] = room/w.stride[i] + 1
		if c.intAttr("ceil_mode", 0) != 0 && room%w.stride[i] != 0 && w.out[i]*w.stride[i] < length+w.before[i] {
			w.out[i]++ // starts inside and ends outside
		}
	}
	return w
}

// pair returns an attribute of two positive numbers, which default to 1.
func (c *call) pair(name string) [2]int {
	a, ok := c.node.attrs[name]
	if !ok {
		return [2]int{1, 1}
	}
	return c.positivePair(name, a.integers)
}

func (c *call) positivePair(name string, numbers []int64) [2]int {
	dims := c.dims(numbers)
	if len(dims) != 2 || dims[0] < 1 || dims[1] < 1 || dims[0] > 1<<15 || dims[1] > 1<<15 {
		c.fail("invalid %s %v", name, numbers)
	}
	return [2]int(dims)
}

// inside returns the range of positions of a window along one side that are within the image. first
// is the start of the window, which may be negative.
func inside(first, size, dilation, length int) (from, to int) {
	if first < 0 {
		from = (-first + dilation - 1) / dilation
	}
	to = size
	if first+(size-1)*dilation >= length {
		to = (length - first + dilation - 1) / dilation
	}
	return min(from, max(to, 0)), max(to, 0)
}

// maxPool computes the maximum of each window. It first takes the maxima of the rows that a row of
// windows covers, then those of the columns, for windows at all positions, because both are maxima
// of whole lines.
func maxPool(c *call) *tensor {
	in := c.floats(0)
	w := c.window(in, c.positivePair("kernel_shape", c.node.attrs["kernel_shape"].integers))
	result := c.tensor(float, []int{in.shape[0], in.shape[1], w.out[0], w.out[1]})
	c.spend(result.size(), w.size[0], w.size[1])
	reach, positions := w.reach()[1], (w.out[1]-1)*w.stride[1]+1
	scratch := c.tensor(float, []int{reach + positions})
	defer c.run.drop(scratch)
	rows, columns := scratch.floats[:reach], scratch.floats[reach:]
	plane, out := w.height*w.width, result.floats
	for first := 0; first < in.size(); first += plane {
		image := in.floats[first : first+plane]
		for y := range w.out[0] {
			w.maxOfRows(rows, image, y*w.stride[0]-w.before[0])
			copy(columns, rows)
			for j := 1; j < w.size[1]; j++ {
				maxInto(columns, rows[j*w.dilation[1]:][:positions])
			}
			for x := range w.out[1] {
				out[x] = columns[x*w.stride[1]]
			}
			out = out[w.out[1]:]
		}
	}
	return result
}

// maxOfRows sets tops to the maximum of each column in the rows of a window, with padding. top is the
// first row, which may be negative.
func (w *window) maxOfRows(tops, image []float32, top int) {
	for x := range tops {
		tops[x] = float32(math.Inf(-1))
	}
	width := min(w.width, len(tops)-w.before[1])
	from, to := inside(top, w.size[0], w.dilation[0], w.height)
	for i := from; i < to && width > 0; i++ {
		maxInto(tops[w.before[1]:][:width], image[(top+i*w.dilation[0])*w.width:][:width])
	}
}

// maxInGo sets each element of dst to the maximum of it and that of src, which has the same length.
func maxInGo(dst, src []float32) {
	for i, v := range src {
		dst[i] = larger(dst[i], v)
	}
}

// larger is max without its rules for NaN, which take most of its time.
func larger(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}

func averagePool(c *call) *tensor {
	padded := c.intAttr("count_include_pad", 0) != 0
	return c.pool(func(values []float32, size int) float32 {
		if padded {
			return sum(values) / float32(size)
		}
		return mean(values)
	})
}

// pool folds the elements of each window. size is the number of elements including padding.
func (c *call) pool(fold func(values []float32, size int) float32) *tensor {
	in := c.floats(0)
	w := c.window(in, c.positivePair("kernel_shape", c.node.attrs["kernel_shape"].integers))
	result := c.tensor(float, []int{in.shape[0], in.shape[1], w.out[0], w.out[1]})
	c.spend(result.size(), w.size[0], w.size[1])
	values := make([]float32, 0, min(w.size[0]*w.size[1], w.height*w.width))
	at, plane := 0, w.height*w.width
	for first := 0; first < in.size(); first += plane {
		image := in.floats[first : first+plane]
		for y := range w.out[0] {
			for x := range w.out[1] {
				values = w.values(values[:0], image, y, x)
				result.floats[at] = fold(values, w.size[0]*w.size[1])
				at++
			}
		}
	}
	return result
}

// values appends the elements of a window.
func (w *window) values(to, image []float32, y, x int) []float32 {
	top, left := y*w.stride[0]-w.before[0], x*w.stride[1]-w.before[1]
	fromY, toY := inside(top, w.size[0], w.dilation[0], w.height)
	fromX, toX := inside(left, w.size[1], w.dilation[1], w.width)
	for i := fromY; i < toY; i++ {
		line := image[(top+i*w.dilation[0])*w.width:]
		for j := fromX; j < toX; j++ {
			to = append(to, line[left+j*w.dilation[1]])
		}
	}
	return to
}

// globalPool folds all elements of each channel into one.
func globalPool(fold func([]float32) float32) func(*call) *tensor {
	return func(c *call) *tensor {
		in := c.floats(0)
		if len(in.shape) < 3 {
			c.fail("shape %v is not that of images", in.shape)
		}
		axes := make([]bool, len(in.shape))
		for i := 2; i < len(axes); i++ {
			axes[i] = true
		}
		return c.reduced(in, axes, true, fold)
	}
}
