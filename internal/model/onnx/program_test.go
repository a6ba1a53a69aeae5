package onnx

import (
	"slices"
	"strings"
	"testing"
)

func TestCompileRejectsInvalidModels(t *testing.T) {
	tests := []struct {
		name  string
		build func(g *graph)
		want  string
	}{
		{"all unsupported operators are named", func(g *graph) {
			x := g.input("x", typeFloat32, 1)
			g.output(g.op("Zip", []string{g.op("LSTM", []string{g.op("Zip", []string{x})})}), "out")
		}, "not supported: operator LSTM, Zip"},
		{"an input that is never computed", func(g *graph) {
			g.output(g.op("Relu", []string{"nowhere"}), "out")
		}, `input "nowhere" of operator Relu (node "Relu of t1") is not computed before it is used`},
		{"a string input", func(g *graph) {
			g.output(g.op("Relu", []string{g.input("x", 8, 1)}), "out")
		}, `not supported: type of input "x"`},
		{"a constant that cannot be computed", func(g *graph) {
			g.output(g.op("Reshape", []string{g.list(1, 2, 3), g.list(2, 2)}), "out")
		}, "cannot reshape 3 elements to [2 2]"},
		{"another output", func(g *graph) {
			g.output(g.input("x", typeFloat32, 1), "other")
		}, `output "out" is not computed`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := &graph{}
			tt.build(g)
			m, err := readModel(g.file())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := compile(m, "out", defaultLimits); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestReadModelRejectsInvalidFiles(t *testing.T) {
	f := func(name string, file []byte, want string) {
		t.Helper()
		if _, err := readModel(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	g := &graph{}
	g.raw(typeFloat32, []byte{1, 2, 3}, 1)
	f("a tensor with too few bytes", g.file(), `tensor "t1": has 3 bytes, want 4`)
	g = &graph{}
	g.raw(typeFloat32, nil, 1<<20, 1<<20)
	f("a huge tensor", g.file(), "is too large")
	g = &graph{}
	g.raw(14, nil, 1)
	f("complex numbers", g.file(), "not supported: data type 14")
	g = &graph{}
	g.body = appendField(g.body, 5, appendInt(appendText(nil, 8, "w"), 14, 1))
	f("weights in another file", g.file(), "export the model as a single file")
	f("an empty file", nil, "not a valid ONNX file")
	f("a text file", []byte("<!DOCTYPE html>"), "not a valid ONNX file")
	whole := newBert(1, 8, 2, 2).graph().file()
	f("half a model", whole[:len(whole)/2], "not a valid ONNX file")
}

func TestConstants(t *testing.T) {
	packed := func(field int, data ...byte) []byte {
		return appendField(appendInt(appendInt(nil, 1, 2), 2, map[int]int{4: typeFloat32, 5: typeFloat16, 7: typeInt64, 10: typeFloat64}[field]), field, data)
	}
	f := func(name string, a attribute, want *tensor) {
		t.Helper()
		g := &graph{}
		g.output(g.op("Constant", nil, a), "out")
		got, err := g.program(t).run(nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !same(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	f("float_data", attribute{"value", packed(4, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40)}, floats([]float32{1, 2}, 2))
	f("int32_data of half floats", attribute{"value", packed(5, 0x80, 0x78, 0x80, 0x80, 3)}, floats([]float32{1, -2}, 2))
	f("int64_data", attribute{"value", packed(7, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)}, ints([]int64{5, -1}, 2))
	f("double_data", attribute{"value", packed(10, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0)}, floats([]float32{1, -2}, 2))
	f("one float", attribute{"value_float", float32(1.5)}, floats([]float32{1.5}))
	f("one integer", attribute{"value_int", 3}, ints([]int64{3}))
	f("floats", attribute{"value_floats", []float32{1, 2}}, floats([]float32{1, 2}, 2))
	f("integers", attribute{"value_ints", []int{4, -5}}, ints([]int64{4, -5}, 2))
}

func TestReadTensorDataTypes(t *testing.T) {
	f := func(dataType int, raw []byte, want *tensor) {
		t.Helper()
		_, got, err := readTensor(tensorProto("t", dataType, raw, []int{2}))
		if err != nil {
			t.Fatal(err)
		}
		if !same(got, want) {
			t.Errorf("type %d: got %+v, want %+v", dataType, got, want)
		}
	}
	f(typeUint8, []byte{0, 255}, octets([]float32{0, 255}, 2))
	f(typeInt8, []byte{1, 255}, &tensor{kind: signedOctet, shape: []int{2}, floats: []float32{1, -1}})
	f(typeInt32, []byte{1, 0, 0, 0, 254, 255, 255, 255}, ints([]int64{1, -2}, 2))
	f(typeBool, []byte{0, 1}, bools([]int64{0, 1}, 2))
	f(typeFloat16, []byte{0, 0x3c, 0, 0xc0}, floats([]float32{1, -2}, 2))
	f(typeBfloat16, []byte{0x80, 0x3f, 0, 0xc0}, floats([]float32{1, -2}, 2))
	f(typeFloat64, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0}, floats([]float32{1, -2}, 2))
}

func TestSoftmaxIsNotAppliedTwice(t *testing.T) {
	g := &graph{}
	x := g.op("Softmax", []string{g.op("Relu", []string{g.input("x", typeFloat32, 1, 3)})})
	g.output(g.op("Reshape", []string{x, g.list(3)}), "out")
	p := g.program(t)
	out, err := p.run([]*tensor{floats([]float32{0, 0, 0}, 1, 3)})
	if err != nil {
		t.Fatal(err)
	}
	out.floats = []float32{0.7, 0.2, 0.1}
	got, err := head{labels: []string{"a", "b", "c"}}.scores(out, p.last)
	if err != nil {
		t.Fatal(err)
	}
	if got[0] != 0.7 {
		t.Errorf("got %v, want the output of the model", got)
	}
}

func TestWorkIsLimited(t *testing.T) {
	g := &graph{}
	x := g.input("x", typeFloat32, 10, 1000)
	g.output(g.op("MatMul", []string{x, g.weights(make([]float32, 1000*1000), 1000, 1000)}), "out")
	p := g.program(t)
	in := floats(make([]float32, 10*1000), 10, 1000)
	p.limits.work = 10*1000*1000 + workPerElement*(10*1000+tileRows*1000)
	if _, err := p.run([]*tensor{in}); err != nil {
		t.Errorf("just enough: got %v, want no error", err)
	}
	p.limits.work--
	if _, err := p.run([]*tensor{in}); err == nil || !strings.Contains(err.Error(), "exceeds the limit on computation") {
		t.Errorf("one too few: got %v, want that error", err)
	}
}

func TestHalfFloats(t *testing.T) {
	f := func(bits uint16, want float32) {
		t.Helper()
		if got := halfFloat(bits); got != want {
			t.Errorf("%#04x: got %v, want %v", bits, got, want)
		}
	}
	f(0x0000, 0)
	f(0x3c00, 1)
	f(0xc000, -2)
	f(0x7bff, 65504)
	f(0x0001, 5.9604645e-08)
	f(0x3555, 0.33325195)
}

// TestQuantizedMatrix compares the exported form of a quantized linear layer with the layer itself.
func TestQuantizedMatrix(t *testing.T) {
	g := &graph{}
	x := g.input("x", typeFloat32, 1, 2)
	parts := g.ops("DynamicQuantizeLinear", 3, []string{x})
	weights := g.raw(3, []byte{10, 0xf6, 20, 30, 0xec, 5}, 2, 3) // 10 -10 20 / 30 -20 5
	product := g.op("MatMulInteger", []string{parts[0], weights, parts[2], g.raw(3, []byte{0})})
	whole := g.op("Cast", []string{product}, attribute{"to", typeFloat32})
	scale := g.op("Mul", []string{parts[1], g.weights([]float32{0.1})})
	g.output(g.op("Mul", []string{whole, scale}), "out")
	p, a := g.program(t), newArena(maxElements)
	p.arenas.New = func() any { return a }
	got, err := p.run([]*tensor{floats([]float32{2.55, -0}, 1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	for _, elements := range a.floats {
		if cap(elements)%16 != 0 {
			t.Errorf("a tensor of %d elements did not come from the arena", cap(elements))
		}
	}
	if want := floats([]float32{2.55, -2.55, 5.1}, 1, 3); !same(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestStepsFreeAllTensors(t *testing.T) {
	p := newBert(2, 24, 3, 3).graph().program(t)
	a := newArena(maxElements)
	r := run{slots: slices.Clone(p.slots), arena: a, workLeft: maxWork}
	for _, in := range p.inputs {
		r.slots[in.slot] = &tensor{kind: integer, shape: []int{1, 5}, ints: []int64{1, 1, 1, 1, 1}, fixed: true}
	}
	for i := range p.steps {
		if err := r.step(&p.steps[i]); err != nil {
			t.Fatal(err)
		}
	}
	if a.live == 0 {
		t.Error("with the output: got no live elements, want some")
	}
	r.free(p.output)
	if a.live != 0 {
		t.Errorf("without the output: got %d live elements, want 0", a.live)
	}
}

func FuzzModel(f *testing.F) {
	small := &graph{}
	small.output(small.op("Softmax", []string{small.op("Conv", []string{small.input("x", typeFloat32, 1, 1, 4, 4), small.weights(count(4), 1, 1, 2, 2)})}), "out")
	f.Add(small.file())
	f.Add(newBert(1, 4, 2, 2).graph().file())
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := readModel(file)
		if err != nil {
			return
		}
		p, err := compile(m, "out", limits{elements: 1 << 16, work: 1e8})
		if err != nil {
			return
		}
		var inputs []*tensor
		for _, in := range p.inputs {
			shape := make([]int, len(in.shape))
			for i, d := range in.shape {
				shape[i] = max(min(d, 4), 1)
			}
			x, ok := newArena(1<<20).tensor(in.kind, shape)
			if !ok {
				return
			}
			inputs = append(inputs, x)
		}
		p.run(inputs) // must not panic
	})
}
