package onnx

import "golang.org/x/sys/cpu"

// hasFMA reports whether the processor supports the instructions that tileFMA needs.
var hasFMA = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// tileFMA is tileInGo with vector instructions. It does not check lengths: dst must have at least 3
// × stride + 16 elements, a 4 × k and panel 16 × k.
//
//go:noescape
func tileFMA(dst *float32, stride int, a, panel *float32, k int)

// multiplyTile computes a tile of a product, like tileInGo.
func multiplyTile(dst []float32, stride int, a, panel []float32, k int) {
	if !hasFMA || k == 0 {
		tileInGo(dst, stride, a, panel, k)
		return
	}
	_, _, _ = dst[3*stride+tileCols-1], a[4*k-1], panel[tileCols*k-1]
	tileFMA(&dst[0], stride, &a[0], &panel[0], k)
}
