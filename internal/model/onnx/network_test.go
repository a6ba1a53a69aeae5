package onnx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestMaxPoolMatchesDefinition compares random windows with the definition.
func TestMaxPoolMatchesDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		h, w, size := 1+r.IntN(20), 1+r.IntN(20), 1+r.IntN(4)
		stride, dilation, pad, ceil := 1+r.IntN(3), 1+r.IntN(2), r.IntN(size), r.IntN(2)
		in := floats(make([]float32, 2*h*w), 1, 2, h, w)
		for i := range in.floats {
			in.floats[i] = float32(r.IntN(100) - 50)
		}
		name := fmt.Sprint(h, " × ", w, " size ", size, " stride ", stride, " dilation ", dilation, " pad ", pad, " ceil ", ceil)
		pair := func(v int) attr { return attr{integers: []int64{int64(v), int64(v)}} }
		got, err := apply("MaxPool", 17, []*tensor{in}, map[string]attr{
			"kernel_shape": pair(size), "strides": pair(stride), "dilations": pair(dilation), "ceil_mode": {integer: int64(ceil)},
			"pads": {integers: []int64{int64(pad), int64(pad), int64(pad), int64(pad)}},
		}, 1)
		if err != nil {
			if min(h, w)+2*pad < (size-1)*dilation+1 {
				continue // the window does not fit
			}
			t.Fatalf("%s: %v", name, err)
		}
		outH, outW, at := got[0].shape[2], got[0].shape[3], 0
		for c := range 2 {
			for y := range outH {
				for x := range outW {
					want := float32(math.Inf(-1))
					for i := range size {
						for j := range size {
							if fromY, fromX := y*stride+i*dilation-pad, x*stride+j*dilation-pad; fromY >= 0 && fromX >= 0 && fromY < h && fromX < w {
								want = max(want, in.floats[(c*h+fromY)*w+fromX])
							}
						}
					}
					if got[0].floats[at] != want {
						t.Fatalf("%s: channel %d, row %d, column %d: got %g, want %g", name, c, y, x, got[0].floats[at], want)
					}
					at++
				}
			}
		}
	}
}

func TestResize(t *testing.T) {
	f := func(name string, in *tensor, factor float32, attrs map[string]attr, want ...float32) {
		t.Helper()
		got, err := apply("Resize", 17, []*tensor{in, nil, floats([]float32{1, 1, 1, factor}, 4)}, attrs, 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if !slices.Equal(got[0].floats, want) {
			t.Errorf("%s: got %v, want %v", name, got[0].floats, want)
		}
	}
	linear := map[string]attr{"mode": {text: "linear"}}
	with := func(key, value string) map[string]attr {
		return map[string]attr{"mode": {text: "linear"}, key: {text: value}}
	}
	line := floats([]float32{0, 4, 8, 12}, 1, 1, 1, 4)
	f("twice as wide", line, 2, linear, 0, 1, 3, 5, 7, 9, 11, 12)
	f("half as wide", line, 0.5, linear, 2, 10)
	f("from the left edge", line, 2, with("coordinate_transformation_mode", "asymmetric"), 0, 2, 4, 6, 8, 10, 12, 12)
	f("edges meet", floats([]float32{0, 6}, 1, 1, 1, 2), 2, with("coordinate_transformation_mode", "align_corners"), 0, 2, 4, 6)
	f("nearest pixels", line, 2, nil, 0, 0, 4, 4, 8, 8, 12, 12)

	got, err := apply("Resize", 17, []*tensor{floats([]float32{0, 4, 8, 12}, 1, 1, 2, 2), nil, nil, ints([]int64{1, 1, 1, 1}, 4)}, linear, 1)
	if err != nil || !slices.Equal(got[0].floats, []float32{6}) {
		t.Errorf("to one pixel: got %v, %v, want the mean of the four", got, err)
	}
	for want, attrs := range map[string]map[string]attr{
		`mode "cubic" is not supported`:                             {"mode": {text: "cubic"}},
		`coordinate_transformation_mode "tf_crop" is not supported`: with("coordinate_transformation_mode", "tf_crop"),
		`nearest_mode "up" is not supported`:                        {"nearest_mode": {text: "up"}},
	} {
		if _, err := apply("Resize", 17, []*tensor{line, nil, floats([]float32{1, 1, 1, 2}, 4)}, attrs, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := apply("Resize", 17, []*tensor{line}, nil, 1); err == nil || !strings.Contains(err.Error(), "neither factors nor sizes") {
		t.Errorf("without factors: got %v", err)
	}
}

// activated returns the graph of a convolution with an activation.
func activated(op string, attrs ...attribute) *graph {
	g := &graph{}
	x := g.input("x", typeFloat32, 1, 2, 3, 3)
	filters := g.weights([]float32{1, -1, 2, 1, 0, 3, -2, 1, 1, 1}, 5, 2, 1, 1)
	y := g.op("Conv", []string{x, filters, g.weights([]float32{1, 0, -2, 5, -9}, 5)})
	g.output(g.op(op, []string{y}, attrs...), "out")
	return g
}

// TestFusedActivations checks that activations that a convolution computes have the same result.
func TestFusedActivations(t *testing.T) {
	in := make([]float32, 18)
	for i := range in {
		in[i] = float32(i*7%19) - 9
	}
	for _, test := range []struct {
		name  string
		graph *graph
		apply func(float32) float32
		steps int
	}{
		{"ReLU", activated("Relu"), relu, 2},
		{"leaky ReLU", activated("LeakyRelu", attribute{"alpha", float32(0.5)}), func(v float32) float32 { return max(v, v/2) }, 2},
		{"a negative slope is not fused", activated("LeakyRelu", attribute{"alpha", float32(-1)}), abs, 3},
		{"another function is not fused", activated("Abs"), abs, 3},
	} {
		p := test.graph.program(t)
		if len(p.steps) != test.steps {
			t.Errorf("%s: got %d steps, want %d", test.name, len(p.steps), test.steps)
		}
		got, err := p.run([]*tensor{floats(slices.Clone(in), 1, 2, 3, 3)})
		if err != nil {
			t.Fatal(err)
		}
		want := slowConv(floats(in, 1, 2, 3, 3), floats([]float32{1, -1, 2, 1, 0, 3, -2, 1, 1, 1}, 5, 2, 1, 1), 1, 1, 0, 1)
		addBias(want.floats, []float32{1, 0, -2, 5, -9})
		for i, v := range want.floats {
			want.floats[i] = test.apply(v)
		}
		if !same(got, want) {
			t.Errorf("%s: got %v, want %v", test.name, got.floats, want.floats)
		}
	}
}

// addBias adds a bias to each channel of an image with 9 pixels.
func addBias(v, bias []float32) {
	for i := range v {
		v[i] += bias[i/9]
	}
}

// TestActivationOfSharedResultIsNotFused checks that a result that is read twice stays.
func TestActivationOfSharedResultIsNotFused(t *testing.T) {
	g := &graph{}
	y := g.op("Conv", []string{g.input("x", typeFloat32, 1, 1, 1, 1), g.weights([]float32{2}, 1, 1, 1, 1)})
	g.output(g.op("Add", []string{g.op("Relu", []string{y}), y}), "out")
	got, err := g.program(t).run([]*tensor{floats([]float32{-3}, 1, 1, 1, 1)})
	if err != nil || got.floats[0] != -6 {
		t.Errorf("got %v, %v, want -6", got, err)
	}
}

func TestNetwork(t *testing.T) {
	n, err := ReadNetwork(activated("Relu").file())
	if err != nil {
		t.Fatal(err)
	}
	in := make([]float32, 18)
	want, err := n.Run(NewWorkspace(), nil, in)
	if err != nil || len(want) != 45 || want[0] != 1 || want[27] != 5 || want[44] != 0 {
		t.Fatalf("got %v, %v, want the positive biases in 45 elements", want, err)
	}
	if _, err := n.Run(NewWorkspace(), nil, in[:17]); err == nil || !strings.Contains(err.Error(), "the input has 17 elements, want 18") {
		t.Errorf("a short input: got %v", err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var got []float32
			w := NewWorkspace()
			for range 50 {
				var err error
				if got, err = n.Run(w, got[:0], in); err != nil || !slices.Equal(got, want) {
					t.Errorf("concurrently: got %v, %v, want %v", got, err, want)
					return
				}
			}
		})
	}
	all.Wait()
	g := &graph{}
	g.output(g.op("Relu", []string{g.input("x", typeFloat32, -1, 3)}), "out")
	if _, err := ReadNetwork(g.file()); err == nil || !strings.Contains(err.Error(), "not supported: input of shape [-1 3]") {
		t.Errorf("a dynamic input: got %v", err)
	}
}

func TestArenaReusesTheSmallestFit(t *testing.T) {
	a := newArena(1000)
	get := func(n int) *tensor {
		t.Helper()
		x, ok := a.tensor(float, []int{n})
		if !ok {
			t.Fatalf("no tensor of %d elements", n)
		}
		return x
	}
	large, small := get(320), get(64)
	a.free(large)
	a.free(small)
	if got := get(50); &got.floats[0] != &small.floats[0] {
		t.Error("50 elements did not reuse the 64 that are free")
	}
	if got := get(100); &got.floats[0] != &large.floats[0] {
		t.Error("100 elements did not reuse the 320 that are free")
	}
	if _, ok := a.tensor(float, []int{700}); ok || a.live != 384 {
		t.Errorf("got 700 of 1000 elements while %d are in use, want an error with 384 in use", a.live)
	}
}
