package onnx

// conv is a convolution. The inputs are images, filters and, optionally, a bias per filter.
func conv(c *call) *tensor {
	var bias []float32
	if c.option(2) != nil {
		bias = c.floats(2).floats
	}
	return c.convolve(c.floats(0), c.floats(1), bias)
}

func (c *call) convolve(in, filters *tensor, bias []float32) *tensor {
	if len(in.shape) != 4 || len(filters.shape) != 4 {
		c.fail("shapes %v and %v are not those of images and filters", in.shape, filters.shape)
	}
	w := c.window(in, c.positivePair("kernel_shape", []int64{int64(filters.shape[2]), int64(filters.shape[3])}))
	groups := c.intAttr("group", 1)
	channels, count := in.shape[1], filters.shape[0]
	if groups < 1 || channels%groups != 0 || count%groups != 0 || filters.shape[1] != channels/groups || bias != nil && len(bias) != count {
		c.fail("%d filters with %d channels do not match %d channels in %d groups", count, filters.shape[1], channels, groups)
	}
	result := c.tensor(float, []int{in.shape[0], count, w.out[0], w.out[1]})
	area, plane := w.out[0]*w.out[1], w.height*w.width
	perGroup := filters.shape[1]
	depth := perGroup * w.size[0] * w.size[1]
	c.spend(in.shape[0]*count, depth, area)
	for image := range in.shape[0] {
		for g := range groups {
			src := in.floats[(image*channels+g*perGroup)*plane:][:perGroup*plane]
			rows := count / groups
			dst := result.floats[(image*count+g*rows)*area:][:rows*area]
			group := filters.floats[g*rows*depth:][:rows*depth]
			if perGroup == 1 {
				w.slide(dst, src, group)
			} else {
				c.multiplyWindows(dst, src, group, rows, depth, &w)
			}
		}
	}
	addBias(result.floats, bias, area)
	return result
}

// multiplyWindows computes all filters at once as a matrix product in which each window is a
// column.
func (c *call) multiplyWindows(dst, src, filters []float32, rows, depth int, w *window) {
	scratch := c.tensor(float, []int{depth*tileCols + depth*tileRows})
	defer c.run.drop(scratch)
	panel, tail := scratch.floats[:depth*tileCols], scratch.floats[depth*tileCols:]
	left := matrix{m: rows, k: depth, data: filters}
	if rows%tileRows != 0 {
		left.fillTail(tail)
	}
	area := w.out[0] * w.out[1]
	for first := 0; first < area; first += tileCols {
		cols := min(tileCols, area-first)
		clear(panel)
		for j := range cols {
			w.column(panel[j:], src, (first+j)/w.out[1], (first+j)%w.out[1])
		}
		left.timesPanel(dst[first:], area, cols, panel)
	}
}

// column writes the elements of a window in all channels to a column of a panel. It does not write
// elements outside the image.
func (w *window) column(panel, src []float32, y, x int) {
	top, left := y*w.stride[0]-w.before[0], x*w.stride[1]-w.before[1]
	fromY, toY := inside(top, w.size[0], w.dilation[0], w.height)
	fromX, toX := inside(left, w.size[1], w.dilation[1], w.width)
	plane, places := w.height*w.width, w.size[0]*w.size[1]
	for ch := 0; ch*plane < len(src); ch++ {
		for i := fromY; i < toY; i++ {
			line := src[ch*plane+(top+i*w.dilation[0])*w.width:]
			at := (ch*places + i*w.size[1]) * tileCols
			for j := fromX; j < toX; j++ {
				panel[at+j*tileCols] = line[left+j*w.dilation[1]]
			}
		}
	}
}

// slide computes filters of one channel, as in depthwise layers.
func (w *window) slide(dst, src, filters []float32) {
	places, area := w.size[0]*w.size[1], w.out[0]*w.out[1]
	for f := 0; f*places < len(filters); f++ {
		filter, out := filters[f*places:(f+1)*places], dst[f*area:(f+1)*area]
		for at := range out {
			y, x := at/w.out[1], at%w.out[1]
			out[at] = w.dot(filter, src, y*w.stride[0]-w.before[0], x*w.stride[1]-w.before[1])
		}
	}
}

// dot returns the dot product of a filter and a window.
func (w *window) dot(filter, image []float32, top, left int) float32 {
	fromY, toY := inside(top, w.size[0], w.dilation[0], w.height)
	fromX, toX := inside(left, w.size[1], w.dilation[1], w.width)
	var total float32
	for i := fromY; i < toY; i++ {
		line, weights := image[(top+i*w.dilation[0])*w.width:], filter[i*w.size[1]:]
		for j := fromX; j < toX; j++ {
			total += weights[j] * line[left+j*w.dilation[1]]
		}
	}
	return total
}

func addBias(v, bias []float32, area int) {
	if len(bias) == 0 || area == 0 {
		return
	}
	for at := 0; at < len(v); at += area {
		b := bias[at/area%len(bias)]
		for i := range v[at : at+area] {
			v[at+i] += b
		}
	}
}
