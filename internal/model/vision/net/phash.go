package net

import (
	"image"
	"math"
	"slices"
)

// hashSide is the side of the square that a perceptual hash looks at.
const hashSide = 32

// PerceptualHash returns a fingerprint of what an image looks like. Copies of an image that differ in
// size, compression or slightly in brightness have hashes that differ in few bits: see [MaxDistance].
//
// The hash has a bit for each of the 8 × 8 lowest frequencies of the image in gray, except for its
// mean: whether the frequency is stronger than the median. An image without pixels has the hash 0.
func PerceptualHash(img image.Image) uint64 {
	if img == nil || img.Bounds().Empty() {
		return 0
	}
	var p picture
	p.read(img, nil)
	gray := p.planes[0]
	for i := range gray {
		gray[i] = 0.299*gray[i] + 0.587*p.planes[1][i] + 0.114*p.planes[2][i]
	}
	p.planes = [3][]float32{gray, gray, gray}
	var r resampler
	small := make([]float32, 3*hashSide*hashSide)
	r.draw(small, hashSide, image.Rect(0, 0, hashSide, hashSide), &p, image.Rect(0, 0, p.width, p.height), normalization{scale: [3]float32{1, 1, 1}})
	low := frequencies(small[:hashSide*hashSide])
	sorted := slices.Clone(low[:])
	slices.Sort(sorted)
	median := (sorted[31] + sorted[32]) / 2
	var hash uint64
	for i, v := range low {
		if v > median {
			hash |= 1 << i
		}
	}
	return hash
}

// MaxDistance is the maximum number of bits in which the perceptual hashes of copies of an image differ. The
// hashes of unrelated images differ in about 32.
const MaxDistance = 10

// frequencies returns the coefficients of the discrete cosine transform for frequencies 1 to 8 in
// both directions. They are rounded, so that a plain image has the same hash in any color.
func frequencies(gray []float32) (low [64]float64) {
	var wave [8][hashSide]float64
	for f := range wave {
		for x := range wave[f] {
			wave[f][x] = math.Cos(math.Pi * float64(f+1) * (float64(x) + 0.5) / hashSide)
		}
	}
	var rows [hashSide][8]float64
	for y := range rows {
		for f := range wave {
			for x, w := range wave[f] {
				rows[y][f] += w * float64(gray[y*hashSide+x])
			}
		}
	}
	for g := range wave {
		for f := range wave {
			var sum float64
			for y, w := range wave[g] {
				sum += w * rows[y][f]
			}
			low[8*g+f] = math.Round(sum)
		}
	}
	return low
}
