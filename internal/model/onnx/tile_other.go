//go:build !amd64

package onnx

// multiplyTile computes a tile of a product, like tileInGo.
func multiplyTile(dst []float32, stride int, a, panel []float32, k int) {
	tileInGo(dst, stride, a, panel, k)
}
