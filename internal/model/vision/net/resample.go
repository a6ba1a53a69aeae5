package net

import (
	"image"
	"math"
)

// A normalization turns a color from 0 to 255 into an input of a network: (color - mean) × scale,
// for blue, green and red, in this order.
type normalization struct{ mean, scale [3]float32 }

// A resampler scales parts of pictures. Its buffers are reused.
type resampler struct {
	rows, cols taps
	narrow     []float32 // a plane after the width has changed
}

// draw scales the part from of a picture to the part to of an input of the given side, which is
// planar, in the order of blue, green and red. It does not write outside to.
func (r *resampler) draw(input []float32, side int, to image.Rectangle, p *picture, from image.Rectangle, n normalization) {
	r.cols.fill(from.Min.X, from.Dx(), to.Dx())
	r.rows.fill(from.Min.Y, from.Dy(), to.Dy())
	r.narrow = resized(r.narrow, to.Dx()*from.Dy())
	for c := range 3 {
		plane := p.planes[2-c]
		for y := range from.Dy() {
			row := plane[(from.Min.Y+y)*p.width:][:p.width]
			r.cols.apply(r.narrow[y*to.Dx():(y+1)*to.Dx()], row)
		}
		for y := range to.Dy() {
			dst := input[(c*side+to.Min.Y+y)*side+to.Min.X:][:to.Dx()]
			first, weights := r.rows.at(y)
			clear(dst)
			for i, w := range weights {
				src := r.narrow[(first-from.Min.Y+i)*to.Dx():][:to.Dx()]
				for x, v := range src {
					dst[x] += w * v
				}
			}
			for x, v := range dst {
				dst[x] = (v - n.mean[c]) * n.scale[c]
			}
		}
	}
}

// taps are the weights with which pixels along one side contribute to the result: bilinear
// interpolation, with a filter that is as wide as the step when the side becomes shorter.
type taps struct {
	first   []int // first pixel of each result
	start   []int // of its weights; one more than first
	weights []float32
}

func (t *taps) at(i int) (first int, weights []float32) {
	return t.first[i], t.weights[t.start[i]:t.start[i+1]]
}

// fill computes the weights for scaling size pixels, from pixel min on, to count results.
func (t *taps) fill(min, size, count int) {
	t.first, t.start, t.weights = t.first[:0], append(t.start[:0], 0), t.weights[:0]
	step := float64(size) / float64(count)
	reach := math.Max(step, 1)
	for i := range count {
		center := (float64(i) + 0.5) * step
		from := int(math.Max(math.Floor(center-reach), 0))
		to := int(math.Min(math.Ceil(center+reach), float64(size)))
		total, begin := float32(0), len(t.weights)
		for j := from; j < to; j++ {
			w := float32(math.Max(1-math.Abs(float64(j)+0.5-center)/reach, 0))
			t.weights = append(t.weights, w)
			total += w
		}
		for j := begin; j < len(t.weights); j++ {
			t.weights[j] /= total
		}
		t.first, t.start = append(t.first, min+from), append(t.start, len(t.weights))
	}
}

// apply writes the results for a row of pixels.
func (t *taps) apply(dst, row []float32) {
	for i := range dst {
		first, weights := t.at(i)
		var sum float32
		for j, v := range row[first:][:len(weights)] {
			sum += v * weights[j]
		}
		dst[i] = sum
	}
}

// fit returns the largest rectangle with the proportions of width × height, centered in a square.
func fit(width, height, side int) image.Rectangle {
	w, h := side, side
	if width > height {
		h = max(height*side/width, 1)
	} else {
		w = max(width*side/height, 1)
	}
	corner := image.Pt((side-w)/2, (side-h)/2)
	return image.Rectangle{Min: corner, Max: corner.Add(image.Pt(w, h))}
}
