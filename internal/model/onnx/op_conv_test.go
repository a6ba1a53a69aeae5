package onnx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowConv is the definition of a convolution, with only the given padding.
func slowConv(in, filters *tensor, stride, dilation, pad, groups int) *tensor {
	n, channels, h, w := in.shape[0], in.shape[1], in.shape[2], in.shape[3]
	count, per, fh, fw := filters.shape[0], filters.shape[1], filters.shape[2], filters.shape[3]
	outH := (h+2*pad-(fh-1)*dilation-1)/stride + 1
	outW := (w+2*pad-(fw-1)*dilation-1)/stride + 1
	out := floats(make([]float32, n*count*outH*outW), n, count, outH, outW)
	at := 0
	for image := range n {
		for f := range count {
			for y := range outH {
				for x := range outW {
					for c := range per {
						for i := range fh {
							for j := range fw {
								fromY, fromX := y*stride+i*dilation-pad, x*stride+j*dilation-pad
								if fromY < 0 || fromY >= h || fromX < 0 || fromX >= w {
									continue
								}
								ch := f/(count/groups)*per + c
								out.floats[at] += in.floats[((image*channels+ch)*h+fromY)*w+fromX] * filters.floats[((f*per+c)*fh+i)*fw+j]
							}
						}
					}
					at++
				}
			}
		}
	}
	return out
}

func TestConv(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	whole := func(shape ...int) *tensor {
		v := make([]float32, product(shape))
		for i := range v {
			v[i] = float32(r.IntN(9) - 4)
		}
		return floats(v, shape...)
	}
	for range 300 {
		groups, per, size := 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(4)
		stride, dilation, pad := 1+r.IntN(3), 1+r.IntN(2), r.IntN(3)
		side := size*dilation + r.IntN(8)
		in, filters := whole(1+r.IntN(2), groups*per, side, side+1), whole(groups*(1+r.IntN(6)), per, size, size)
		name := fmt.Sprint(in.shape, filters.shape, "stride ", stride, " dilation ", dilation, " pad ", pad, " groups ", groups)
		want := slowConv(in, filters, stride, dilation, pad, groups)
		got, err := apply("Conv", 17, []*tensor{in, filters}, map[string]attr{
			"strides": {integers: []int64{int64(stride), int64(stride)}}, "dilations": {integers: []int64{int64(dilation), int64(dilation)}},
			"pads": {integers: []int64{int64(pad), int64(pad), int64(pad), int64(pad)}}, "group": {integer: int64(groups)},
		}, 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !same(got[0], want) {
			t.Fatalf("%s: got %v, want %v", name, got[0].floats, want.floats)
		}
	}
}

func TestConvAutoPad(t *testing.T) {
	f := func(pad string, want ...float32) {
		t.Helper()
		got, err := apply("Conv", 17, []*tensor{floats([]float32{1, 2, 4}, 1, 1, 1, 3), floats([]float32{1, 1}, 1, 1, 1, 2)},
			map[string]attr{"auto_pad": {text: pad}, "strides": {integers: []int64{1, 2}}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[0].floats, want) {
			t.Errorf("%s: got %v, want %v", pad, got[0].floats, want)
		}
	}
	f("SAME_UPPER", 3, 4)
	f("SAME_LOWER", 1, 6)
	f("VALID", 3)
}

// mobile returns the graph of a small MobileNet-like net.
func mobile(channels, blocks, labels int) *graph {
	r := rand.New(rand.NewPCG(5, 6))
	g := &graph{}
	random := func(shape ...int) string {
		v := make([]float32, product(shape))
		for i := range v {
			v[i] = float32(r.NormFloat64() / math.Sqrt(float64(max(1, product(shape[1:])))))
		}
		return g.weights(v, shape...)
	}
	step := func(x string, filters []int, attrs ...attribute) string {
		x = g.op("Conv", []string{x, random(filters...), random(filters[0])}, attrs...)
		return g.op("Clip", []string{x, g.weights([]float32{0}), g.weights([]float32{6})})
	}
	pads := attribute{"pads", []int{1, 1, 1, 1}}
	x := g.input("pixel_values", typeFloat32, -1, 3, -1, -1)
	x = step(x, []int{channels, 3, 3, 3}, pads, attribute{"strides", []int{2, 2}})
	for range blocks {
		x = step(x, []int{channels, 1, 3, 3}, pads, attribute{"group", channels}, attribute{"strides", []int{2, 2}})
		x = step(x, []int{2 * channels, channels, 1, 1})
		channels *= 2
	}
	x = g.op("Flatten", []string{g.op("GlobalAveragePool", []string{x})})
	g.output(g.op("Gemm", []string{x, random(labels, channels), random(labels)}, attribute{"transB", 1}), "logits")
	return g
}
