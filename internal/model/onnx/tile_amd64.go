package onnx

import "golang.org/x/sys/cpu"

// hasFMA reports whether the processor supports the instructions that tileFMA needs.
var hasFMA = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// tileFMA is tileInGo with vector instructions. It does not check lengths: dst must have at least 3
// × stride + 16 elements, a 4 × k and panel (k-1) × step + 16.
//
//go:noescape
func tileFMA(dst *float32, stride int, a, panel *float32, step, k int, end *ending)

// multiplyTile computes a tile of a product, like tileInGo.
func multiplyTile(dst []float32, stride int, a, panel []float32, step, k int, end *ending) {
	if !hasFMA || k == 0 {
		tileInGo(dst, stride, a, panel, step, k, end)
		return
	}
	_, _, _ = dst[3*stride+tileCols-1], a[4*k-1], panel[(k-1)*step+tileCols-1]
	tileFMA(&dst[0], stride, &a[0], &panel[0], step, k, end)
}

// maxAVX is maxInGo for the first n elements with vector instructions. n must be a multiple of 8.
//
//go:noescape
func maxAVX(dst, src *float32, n int)

// maxInto is maxInGo.
func maxInto(dst, src []float32) {
	if n := len(dst) &^ 7; n > 0 && hasFMA {
		_ = src[len(dst)-1]
		maxAVX(&dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	maxInGo(dst, src)
}
