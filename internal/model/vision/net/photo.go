package net

import (
	"image"
	"math"
	"math/bits"
)

// The networks were trained on photographs, and name something for anything else: a pie chart is an
// umbrella, a circle a frisbee. So images that do not look like photographs get no class.
//
// Photographs have texture nearly everywhere, with steps of all sizes between neighboring pixels,
// because lenses and sensors never repeat a value exactly. Drawings, charts and screenshots are flat
// between sharp edges; gradients and blurred shapes have only small steps. docs/models/images.md has
// the measurements behind the numbers.

// A medium is what kind of image a picture seems to be.
type medium int

const (
	photo   medium = iota
	unclear        // mostly flat, such as a small object on white: only strong evidence counts
	graphic        // a drawing, a chart, a screenshot, a pattern
)

const (
	minSide       = 32   // pixels of the shorter side; less is a guess
	minStepSpread = 1.9  // bits of the sizes of steps: gradients and blurred shapes have less
	minTextured   = 0.15 // share of blocks that are textured throughout
	minUnclear    = 0.05 // of an image with a small object
	minGathered   = 0.5  // share of textured pixels in such blocks; edges of drawings are thin lines
)

// texture is the statistics of steps between neighboring pixels.
type texture struct {
	spread   float64 // entropy of the sizes of steps, in bits, without pixels that have none
	textured float64 // share of blocks of which nearly all pixels have a step
	gathered float64 // ratio of these blocks to all pixels that have a step
}

// medium returns what kind of image the texture belongs to.
func (t texture) medium() medium {
	switch {
	case t.spread < minStepSpread || t.gathered < minGathered || t.textured < minUnclear:
		return graphic
	case t.textured < minTextured:
		return unclear
	}
	return photo
}

// IsGraphic reports whether an image does not look like a photograph. [Networks.Classify] does not run
// the networks on such an image.
func IsGraphic(img image.Image) bool {
	var p picture
	p.read(img, nil)
	return p.medium() == graphic
}

// medium returns what kind of image a picture seems to be.
func (p *picture) medium() medium {
	if min(p.width, p.height) < minSide {
		return graphic
	}
	return p.texture().medium()
}

const (
	stepSizes    = 9    // none, then doubling from minStep on
	minStep      = 0.75 // of 255: less is flat
	blockSide    = 8
	minBlockFull = 56 // pixels of a textured block that have a step, of 64
)

// texture computes the statistics. The picture has at least two rows and columns.
func (p *picture) texture() texture {
	var sizes [stepSizes]int
	columns := (p.width - 1) / blockSide
	inBlock := make([]int, columns)
	blocks, full := 0, 0
	row, below := make([]float32, p.width), make([]float32, p.width)
	p.brightness(below, 0)
	for y := range p.height - 1 {
		row, below = below, row
		p.brightness(below, y+1)
		for x := range p.width - 1 {
			step := max(row[x+1]-row[x], row[x]-row[x+1], below[x]-row[x], row[x]-below[x])
			size := min(bits.Len(uint(step*(1/minStep))), stepSizes-1)
			sizes[size]++
			if at := x / blockSide; size > 0 && at < columns {
				inBlock[at]++
			}
		}
		if y%blockSide == blockSide-1 {
			for _, pixels := range inBlock {
				blocks++
				if pixels >= minBlockFull {
					full++
				}
			}
			clear(inBlock)
		}
	}
	return newTexture(sizes, blocks, full)
}

func newTexture(sizes [stepSizes]int, blocks, full int) texture {
	var t texture
	all, rough := 0, 0
	for size, count := range sizes {
		all += count
		if size > 0 {
			rough += count
		}
	}
	if rough == 0 || blocks == 0 {
		return t
	}
	for _, count := range sizes[1:] {
		if share := float64(count) / float64(rough); share > 0 {
			t.spread -= share * math.Log2(share)
		}
	}
	t.textured = float64(full) / float64(blocks)
	t.gathered = t.textured * float64(all) / float64(rough)
	return t
}

// brightness writes the brightness of a row of pixels to dst.
func (p *picture) brightness(dst []float32, y int) {
	at := y * p.width
	red, green, blue := p.planes[0][at:][:len(dst)], p.planes[1][at:][:len(dst)], p.planes[2][at:][:len(dst)]
	for x := range dst {
		dst[x] = 0.299*red[x] + 0.587*green[x] + 0.114*blue[x]
	}
}
