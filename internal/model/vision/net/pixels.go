package net

import (
	"image"
	"image/color"
)

// A picture is an image that has been reduced to a size that is cheap to resample, as planes of red,
// green and blue from 0 to 255. Transparent pixels are white, as on a page.
type picture struct {
	width, height int
	planes        [3][]float32
}

// maxSide is the maximum length of the longer side of a picture. The networks see at most 320
// pixels, so averaging pairs of pixels beforehand loses nothing.
const maxSide = 640

// read sets p to an image, reduced by the smallest whole factor that makes its sides at most maxSide
// long. Pixels beyond the last whole block count less, not at all if the factor exceeds a side.
func (p *picture) read(img image.Image, line []uint8) []uint8 {
	b := img.Bounds()
	factor := (max(b.Dx(), b.Dy()) + maxSide - 1) / maxSide
	p.width, p.height = max(b.Dx()/factor, 1), max(b.Dy()/factor, 1)
	for c := range p.planes {
		p.planes[c] = resized(p.planes[c], p.width*p.height)
		clear(p.planes[c])
	}
	if cap(line) < 3*b.Dx() {
		line = make([]uint8, 3*b.Dx())
	}
	line = line[:3*b.Dx()]
	blockW, blockH := min(factor, b.Dx()), min(factor, b.Dy())
	share := 1 / float32(blockW*blockH)
	for y := range p.height * blockH {
		readRow(line, img, b.Min.Y+y)
		at := y / blockH * p.width
		for c := range p.planes {
			addRow(p.planes[c][at:at+p.width], line[c:], blockW, share)
		}
	}
	return line
}

// addRow adds the means of blocks of every third byte of a line to a row.
func addRow(row []float32, line []uint8, block int, share float32) {
	if block == 1 {
		for x := range row {
			row[x] += float32(line[3*x]) * share
		}
		return
	}
	at := 0
	for x := range row {
		sum := 0
		for range block {
			sum += int(line[at])
			at += 3
		}
		row[x] += float32(sum) * share
	}
}

// resized returns a slice of n elements, which are arbitrary.
func resized(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// readRow writes a row of an image to dst as red, green and blue. The common types of decoded images
// are read directly, which is ten times as fast.
func readRow(dst []uint8, img image.Image, y int) {
	b := img.Bounds()
	switch img := img.(type) {
	case *image.YCbCr:
		readYCbCr(dst, img, y)
	case *image.RGBA:
		row := img.Pix[img.PixOffset(b.Min.X, y):]
		for x := range b.Dx() {
			p := row[4*x : 4*x+4]
			white := 255 - p[3] // the colors are premultiplied
			dst[3*x], dst[3*x+1], dst[3*x+2] = p[0]+white, p[1]+white, p[2]+white
		}
	case *image.NRGBA:
		row := img.Pix[img.PixOffset(b.Min.X, y):]
		for x := range b.Dx() {
			p := row[4*x : 4*x+4]
			dst[3*x], dst[3*x+1], dst[3*x+2] = onWhite(p[0], p[3]), onWhite(p[1], p[3]), onWhite(p[2], p[3])
		}
	case *image.Gray:
		row := img.Pix[img.PixOffset(b.Min.X, y):]
		for x := range b.Dx() {
			dst[3*x], dst[3*x+1], dst[3*x+2] = row[x], row[x], row[x]
		}
	default:
		for x := range b.Dx() {
			c := color.NRGBAModel.Convert(img.At(b.Min.X+x, y)).(color.NRGBA)
			dst[3*x], dst[3*x+1], dst[3*x+2] = onWhite(c.R, c.A), onWhite(c.G, c.A), onWhite(c.B, c.A)
		}
	}
}

// readYCbCr writes a row of an image, as JPEG files have it: with fewer pixels of color than of
// brightness.
func readYCbCr(dst []uint8, img *image.YCbCr, y int) {
	shift := 0 // pixels next to each other with the same color, as a power of 2
	switch img.SubsampleRatio {
	case image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420:
		shift = 1
	case image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410:
		shift = 2
	}
	left := img.Rect.Min.X
	luma := img.Y[img.YOffset(left, y):][:img.Rect.Dx()]
	at := img.COffset(left, y)
	blue, red, first := img.Cb[at:], img.Cr[at:], left&(1<<shift-1)
	for x, v := range luma {
		c := (first + x) >> shift
		dst[3*x], dst[3*x+1], dst[3*x+2] = color.YCbCrToRGB(v, blue[c], red[c])
	}
}

// onWhite returns a color on a white background.
func onWhite(v, alpha uint8) uint8 {
	return uint8((int(v)*int(alpha) + 255*(255-int(alpha)) + 127) / 255)
}
