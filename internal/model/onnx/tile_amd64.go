package onnx

import "golang.org/x/sys/cpu"

// An instructionSet is what the inner loops are written in.
type instructionSet int

const (
	plainGo instructionSet = iota // for tests; other architectures have nothing else
	sse                           // vectors of 4, which all processors have
	fma                           // AVX2 and FMA: vectors of 8
)

// instructions is the best set that the processor supports. Only tests change it.
var instructions = bestInstructions()

func bestInstructions() instructionSet {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		return fma
	}
	return sse
}

// tileFMA is tileInGo with vector instructions. It does not check lengths: dst must have at least 3
// × stride + 16 elements, a 4 × k and panel (k-1) × step + 16.
//
//go:noescape
func tileFMA(dst *float32, stride int, a, panel *float32, step, k int, end *ending)

// halfSSE is tileFMA for 8 columns.
//
//go:noescape
func halfSSE(dst *float32, stride int, a, panel *float32, step, k int, end *ending)

// multiplyTile computes a tile of a product, like tileInGo.
func multiplyTile(dst []float32, stride int, a, panel []float32, step, k int, end *ending) {
	if k == 0 || instructions == plainGo {
		tileInGo(dst, stride, a, panel, step, k, end)
		return
	}
	_, _, _ = dst[3*stride+tileCols-1], a[4*k-1], panel[(k-1)*step+tileCols-1]
	if instructions == fma {
		tileFMA(&dst[0], stride, &a[0], &panel[0], step, k, end)
		return
	}
	halfSSE(&dst[0], stride, &a[0], &panel[0], step, k, end)
	halfSSE(&dst[tileCols/2], stride, &a[0], &panel[tileCols/2], step, k, end)
}

// maxAVX is maxInGo for the first n elements with vector instructions. n must be a positive multiple
// of 8.
//
//go:noescape
func maxAVX(dst, src *float32, n int)

// maxSSE is maxAVX.
//
//go:noescape
func maxSSE(dst, src *float32, n int)

// maxInto is maxInGo.
func maxInto(dst, src []float32) {
	if n := len(dst) &^ 7; n > 0 && instructions != plainGo {
		_ = src[len(dst)-1]
		if instructions == fma {
			maxAVX(&dst[0], &src[0], n)
		} else {
			maxSSE(&dst[0], &src[0], n)
		}
		dst, src = dst[n:], src[n:]
	}
	maxInGo(dst, src)
}
