//go:build !amd64

package onnx

// multiplyTile computes a tile of a product, like tileInGo.
func multiplyTile(dst []float32, stride int, a, panel []float32, step, k int, end *ending) {
	tileInGo(dst, stride, a, panel, step, k, end)
}

// maxInto is maxInGo.
func maxInto(dst, src []float32) { maxInGo(dst, src) }
