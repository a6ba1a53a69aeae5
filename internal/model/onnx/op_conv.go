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
	slope := float32(1)
	if c.fused {
		slope = c.slope
	}
	if bias == nil && c.fused {
		bias = make([]float32, count)
	}
	src, padded := in.floats, &w
	if reach := w.reach(); w.before != [2]int{} || reach[0] > w.height || reach[1] > w.width {
		surrounded := c.surround(in, &w)
		defer c.run.drop(surrounded)
		padded = w.within(surrounded)
		src, plane = surrounded.floats, padded.height*padded.width
	}
	for image := range in.shape[0] {
		for g := range groups {
			src := src[(image*channels+g*perGroup)*plane:][:perGroup*plane]
			rows := count / groups
			dst := result.floats[(image*count+g*rows)*area:][:rows*area]
			group := filters.floats[g*rows*depth:][:rows*depth]
			left := matrix{m: rows, k: depth, data: group, slope: slope}
			if bias != nil {
				left.bias = bias[g*rows : (g+1)*rows]
			}
			if perGroup == 1 {
				padded.slide(dst, src, &left)
			} else {
				c.multiplyWindows(dst, src, &left, padded)
			}
		}
	}
	return result
}

// reach returns the height and the width of the part of a padded image that windows cover.
func (w *window) reach() [2]int {
	var r [2]int
	for i := range r {
		r[i] = (w.out[i]-1)*w.stride[i] + (w.size[i]-1)*w.dilation[i] + 1
	}
	return r
}

// surround returns images with zeros around them, as far as windows reach, so that no window is
// partly outside.
func (c *call) surround(in *tensor, w *window) *tensor {
	reach := w.reach()
	result := c.tensor(float, []int{in.shape[0], in.shape[1], reach[0], reach[1]})
	height, width := min(w.height, reach[0]-w.before[0]), min(w.width, reach[1]-w.before[1])
	lines := result.floats
	for channel := range in.shape[0] * in.shape[1] {
		first := channel * w.height * w.width
		for y := range reach[0] {
			line := lines[:reach[1]]
			lines = lines[reach[1]:]
			from := y - w.before[0]
			if from < 0 || from >= height || width <= 0 {
				clear(line)
				continue
			}
			clear(line[:w.before[1]])
			copy(line[w.before[1]:], in.floats[first+from*w.width:][:width])
			clear(line[w.before[1]+width:])
		}
	}
	return result
}

// within returns the same windows over surrounded images.
func (w *window) within(surrounded *tensor) *window {
	inner := *w
	inner.height, inner.width, inner.before = surrounded.shape[2], surrounded.shape[3], [2]int{}
	return &inner
}

// multiplyWindows computes all filters at once as a matrix product in which each window is a
// column. All windows are inside the image.
func (c *call) multiplyWindows(dst, src []float32, left *matrix, w *window) {
	scratch := c.tensor(float, []int{left.k*tileCols + left.k*tileRows})
	defer c.run.drop(scratch)
	panel, tail := scratch.floats[:left.k*tileCols], scratch.floats[left.k*tileCols:]
	if left.m%tileRows != 0 {
		left.fillTail(tail)
	}
	area := w.out[0] * w.out[1]
	direct := w.size == [2]int{1, 1} && w.stride == [2]int{1, 1}
	for first := 0; first < area; first += tileCols {
		cols := min(tileCols, area-first)
		if direct && cols == tileCols {
			left.timesPanel(dst[first:], area, cols, src[first:], area) // the image is a panel
			continue
		}
		w.fillPanel(panel, src, first, cols)
		left.timesPanel(dst[first:], area, cols, panel, tileCols)
	}
}

// fillPanel writes windows to the columns of a panel, from the window with the given number on. Rows
// of a panel are the elements of a window, in all channels.
func (w *window) fillPanel(panel, src []float32, first, cols int) {
	plane, offset := w.height*w.width, 0
	for at := first; at < first+cols; {
		y, x := at/w.out[1], at%w.out[1]
		n := min(w.out[1]-x, first+cols-at) // windows next to each other
		corner := y*w.stride[0]*w.width + x*w.stride[1]
		to := panel[offset:]
		for from := corner; from < len(src); from += plane {
			for i := range w.size[0] {
				line := src[from+i*w.dilation[0]*w.width:]
				for j := range w.size[1] {
					w.copyRow(to[:n], line[j*w.dilation[1]:])
					to = to[min(tileCols, len(to)):]
				}
			}
		}
		offset += n
		at += n
	}
	for at := cols; at < tileCols && cols < tileCols; at++ {
		for row := at; row < len(panel); row += tileCols {
			panel[row] = 0
		}
	}
}

// copyRow copies elements that are a stride apart.
func (w *window) copyRow(dst, src []float32) {
	step := w.stride[1]
	switch {
	case step == 1 && len(dst) == tileCols:
		*(*[tileCols]float32)(dst) = *(*[tileCols]float32)(src)
	case step == 1:
		copy(dst, src)
	default:
		src = src[:(len(dst)-1)*step+1]
		for i := range dst {
			dst[i] = src[i*step]
		}
	}
}

// slide computes filters of one channel, as in depthwise layers.
func (w *window) slide(dst, src []float32, filters *matrix) {
	area := w.out[0] * w.out[1]
	for f := range filters.m {
		filter, out := filters.data[f*filters.k:(f+1)*filters.k], dst[f*area:(f+1)*area]
		for y := range w.out[0] {
			row := out[y*w.out[1]:][:w.out[1]]
			if lines := src[y*w.stride[0]*w.width:]; w.size == [2]int{3, 3} && w.dilation == [2]int{1, 1} {
				slide3(row, lines, w.width, w.stride[1], [9]float32(filter))
			} else {
				w.slideRow(row, lines, filter)
			}
		}
		if filters.bias != nil {
			finishRow(out, filters.bias[f], filters.slope)
		}
	}
}

// slideRow computes a row of a filter of any size.
func (w *window) slideRow(row, lines, filter []float32) {
	for x := range row {
		var total float32
		for i := range w.size[0] {
			line := lines[i*w.dilation[0]*w.width+x*w.stride[1]:]
			for j := range w.size[1] {
				total += filter[i*w.size[1]+j] * line[j*w.dilation[1]]
			}
		}
		row[x] = total
	}
}

// slide3 computes a row of a filter of 3 × 3 elements.
func slide3(row, lines []float32, width, stride int, f [9]float32) {
	end := (len(row)-1)*stride + 3
	a, b, c := lines[:end], lines[width:width+end], lines[2*width:2*width+end]
	at := 0
	for x := range row {
		p, q, r := a[at:at+3], b[at:at+3], c[at:at+3]
		row[x] = (f[0]*p[0] + f[1]*p[1] + f[2]*p[2]) + (f[3]*q[0] + f[4]*q[1] + f[5]*q[2]) + (f[6]*r[0] + f[7]*r[1] + f[8]*r[2])
		at += stride
	}
}
