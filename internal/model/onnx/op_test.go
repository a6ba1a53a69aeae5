package onnx

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func floats(values []float32, shape ...int) *tensor {
	return &tensor{kind: float, shape: shape, floats: values}
}

func ints(values []int64, shape ...int) *tensor {
	return &tensor{kind: integer, shape: shape, ints: values}
}

func bools(values []int64, shape ...int) *tensor {
	return &tensor{kind: boolean, shape: shape, ints: values}
}

func octets(values []float32, shape ...int) *tensor {
	return &tensor{kind: octet, shape: shape, floats: values}
}

// count returns the numbers from 0 to n-1.
func count(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i)
	}
	return v
}

// apply applies an operator.
func apply(op string, opset int, in []*tensor, attrs map[string]attr, outputs int) ([]*tensor, error) {
	r := run{slots: []*tensor{nil}, arena: newArena(1 << 20), workLeft: 1e9}
	s := step{node: &node{op: op, name: "n", attrs: attrs, outputs: make([]string, outputs)}, apply: operators[op], opset: opset}
	for _, t := range in {
		if t == nil {
			s.inputs = append(s.inputs, -1)
			continue
		}
		t.fixed = true
		s.inputs = append(s.inputs, len(r.slots))
		r.slots = append(r.slots, t)
	}
	return r.apply(&s)
}

func same(a, b *tensor) bool {
	return a.kind == b.kind && slices.Equal(a.shape, b.shape) && slices.Equal(a.ints, b.ints) &&
		slices.EqualFunc(a.floats, b.floats, func(x, y float32) bool { return math.Abs(float64(x-y)) < 1e-6 })
}

func TestOperators(t *testing.T) {
	tests := []struct {
		name  string
		op    string
		opset int
		in    []*tensor
		attrs map[string]attr
		want  *tensor
	}{
		{"rows broadcast to a column", "Add", 17, []*tensor{floats([]float32{1, 2}, 2, 1), floats([]float32{10, 20, 30}, 3)}, nil,
			floats([]float32{11, 21, 31, 12, 22, 32}, 2, 3)},
		{"a scalar broadcasts", "Mul", 17, []*tensor{floats([]float32{3}), floats([]float32{1, 2}, 2)}, nil, floats([]float32{3, 6}, 2)},
		{"integer division truncates", "Div", 17, []*tensor{ints([]int64{7, -7}, 2), ints([]int64{2})}, nil, ints([]int64{3, -3}, 2)},
		{"a middle dimension of one is repeated", "Sub", 17, []*tensor{floats(count(8), 2, 2, 2), floats([]float32{1, 2, 3, 4}, 2, 1, 2)}, nil,
			floats([]float32{-1, -1, 1, 1, 1, 1, 3, 3}, 2, 2, 2)},
		{"remainders have the sign of the divisor", "Mod", 17, []*tensor{ints([]int64{-4, 7}, 2), ints([]int64{3, -3}, 2)}, nil, ints([]int64{2, -2}, 2)},
		{"maximum of three", "Max", 17, []*tensor{floats([]float32{1, 5}, 2), floats([]float32{2}), floats([]float32{0, 9}, 2)}, nil, floats([]float32{2, 9}, 2)},
		{"comparison is boolean", "Greater", 17, []*tensor{floats([]float32{1, 3}, 2), floats([]float32{2})}, nil, bools([]int64{0, 1}, 2)},
		{"both", "And", 17, []*tensor{bools([]int64{0, 1, 1}, 3), bools([]int64{1, 0, 1}, 3)}, nil, bools([]int64{0, 0, 1}, 3)},
		{"one or the other", "Xor", 17, []*tensor{bools([]int64{0, 1, 1}, 3), bools([]int64{1, 0, 1}, 3)}, nil, bools([]int64{1, 1, 0}, 3)},
		{"less or equal", "LessOrEqual", 17, []*tensor{ints([]int64{1, 2, 3}, 3), ints([]int64{2})}, nil, bools([]int64{1, 1, 0}, 3)},
		{"greater or equal", "GreaterOrEqual", 17, []*tensor{ints([]int64{1, 2, 3}, 3), ints([]int64{2})}, nil, bools([]int64{0, 1, 1}, 3)},
		{"not", "Not", 17, []*tensor{bools([]int64{0, 1}, 2)}, nil, bools([]int64{1, 0}, 2)},
		{"not a number", "IsNaN", 17, []*tensor{floats([]float32{0, float32(math.NaN())}, 2)}, nil, bools([]int64{0, 1}, 2)},
		{"minimum", "Min", 17, []*tensor{ints([]int64{1, 5}, 2), ints([]int64{3})}, nil, ints([]int64{1, 3}, 2)},
		{"slope for negative values", "PRelu", 17, []*tensor{floats([]float32{-2, 2}, 2), floats([]float32{0.25})}, nil, floats([]float32{-0.5, 2}, 2)},
		{"integers within bounds", "Clip", 17, []*tensor{ints([]int64{-1, 3, 9}, 3), ints([]int64{0}), ints([]int64{6})}, nil, ints([]int64{0, 3, 6}, 3)},
		{"remainder of floats", "Mod", 17, []*tensor{floats([]float32{-4.5}, 1), floats([]float32{2})}, map[string]attr{"fmod": {integer: 1}}, floats([]float32{-0.5}, 1)},
		{"a shape of one number", "ConstantOfShape", 17, []*tensor{ints([]int64{2, 1}, 2)}, map[string]attr{"value": {tensor: ints([]int64{7}, 1)}}, ints([]int64{7, 7}, 2, 1)},
		{"number of elements", "Size", 17, []*tensor{floats(count(6), 2, 3)}, nil, ints([]int64{6}, []int{}...)},
		{"float range", "Range", 17, []*tensor{floats([]float32{1}), floats([]float32{2}), floats([]float32{0.5})}, nil, floats([]float32{1, 1.5}, 2)},
		{"convolution of quantized numbers", "ConvInteger", 17, []*tensor{octets([]float32{1, 2, 3}, 1, 1, 1, 3), octets([]float32{2, 3}, 1, 1, 1, 2), octets([]float32{1}), octets([]float32{1})}, nil, floats([]float32{2, 5}, 1, 1, 1, 2)},
		{"select by condition", "Where", 17, []*tensor{bools([]int64{1, 0}, 2, 1), floats([]float32{1, 2}, 2), floats([]float32{9})}, nil,
			floats([]float32{1, 2, 9, 9}, 2, 2)},
		{"bounds as inputs", "Clip", 17, []*tensor{floats([]float32{-1, 3, 9}, 3), nil, floats([]float32{6})}, nil, floats([]float32{-1, 3, 6}, 3)},
		{"bounds as attributes", "Clip", 6, []*tensor{floats([]float32{-1, 3, 9}, 3)}, map[string]attr{"min": {float: 0}, "max": {float: 6}}, floats([]float32{0, 3, 6}, 3)},
		{"piecewise linear sigmoid", "HardSigmoid", 17, []*tensor{floats([]float32{-9, 0, 1}, 3)}, nil, floats([]float32{0, 0.5, 0.7}, 3)},
		{"halves round to even", "Round", 17, []*tensor{floats([]float32{0.5, 1.5, -2.5}, 3)}, nil, floats([]float32{0, 2, -2}, 3)},
		{"exact gelu", "Gelu", 20, []*tensor{floats([]float32{-1, 0, 2}, 3)}, nil, floats([]float32{-0.15865526, 0, 1.9544997}, 3)},

		{"a mean along the last axis", "ReduceMean", 17, []*tensor{floats(count(6), 2, 3)}, map[string]attr{"axes": {integers: []int64{-1}}}, floats([]float32{1, 4}, 2, 1)},
		{"a sum along the first axis, which is removed", "ReduceSum", 17, []*tensor{floats(count(6), 2, 3), ints([]int64{0}, 1)}, map[string]attr{"keepdims": {integer: 0}}, floats([]float32{3, 5, 7}, 3)},
		{"maximum of all elements", "ReduceMax", 17, []*tensor{floats(count(6), 2, 3)}, map[string]attr{"keepdims": {integer: 0}}, floats([]float32{5}, []int{}...)},
		{"a product of integers is an integer", "ReduceProd", 17, []*tensor{ints([]int64{2, 3, 4}, 3)}, map[string]attr{"keepdims": {integer: 0}}, ints([]int64{24}, []int{}...)},
		{"index of the maximum", "ArgMax", 17, []*tensor{floats([]float32{1, 3, 3, 7, 0, 2}, 2, 3)}, map[string]attr{"axis": {integer: 1}}, ints([]int64{1, 0}, 2, 1)},
		{"cumulative sums along an axis", "CumSum", 17, []*tensor{ints([]int64{1, 1, 0, 1, 2, 3}, 2, 3), ints([]int64{1})}, nil, ints([]int64{1, 2, 2, 1, 3, 6}, 2, 3)},
		{"probabilities along the last axis", "Softmax", 13, []*tensor{floats([]float32{0, 0, 5, 5}, 2, 2)}, nil, floats([]float32{.5, .5, .5, .5}, 2, 2)},
		{"probabilities along the first axis", "Softmax", 13, []*tensor{floats([]float32{0, 1, 0, 1}, 2, 2)}, map[string]attr{"axis": {integer: 0}}, floats([]float32{.5, .5, .5, .5}, 2, 2)},
		{"probabilities over all axes in old versions", "Softmax", 11, []*tensor{floats(make([]float32, 8), 2, 2, 2)}, nil, floats(slices.Repeat([]float32{.25}, 8), 2, 2, 2)},
		{"a row is normalized", "LayerNormalization", 17, []*tensor{floats([]float32{1, 3}, 1, 2), floats([]float32{1, 2}, 2), floats([]float32{0, 5}, 2)},
			map[string]attr{"epsilon": {float: 0}}, floats([]float32{-1, 7}, 1, 2)},
		{"channels are scaled", "BatchNormalization", 17, []*tensor{floats(count(4), 1, 2, 2), floats([]float32{1, 2}, 2), floats([]float32{0, 1}, 2), floats([]float32{0, 2}, 2), floats([]float32{1, 4}, 2)},
			map[string]attr{"epsilon": {float: 0}}, floats([]float32{0, 1, 1, 2}, 1, 2, 2)},

		{"batches of matrices", "MatMul", 17, []*tensor{floats(count(8), 2, 2, 2), floats(count(4), 2, 2)}, nil, floats([]float32{2, 3, 6, 11, 10, 19, 14, 27}, 2, 2, 2)},
		{"a row times a matrix", "MatMul", 17, []*tensor{floats([]float32{1, 2}, 2), floats(count(4), 2, 2)}, nil, floats([]float32{4, 7}, 2)},
		{"transposed, scaled and with a bias", "Gemm", 17, []*tensor{floats(count(2), 2, 1), floats(count(4), 2, 2), floats([]float32{10}, 1)},
			map[string]attr{"transA": {integer: 1}, "transB": {integer: 1}, "alpha": {float: 2}, "beta": {float: 0.5}}, floats([]float32{7, 11}, 1, 2)},

		{"an inferred dimension", "Reshape", 17, []*tensor{floats(count(6), 2, 3), ints([]int64{0, -1, 1}, 3)}, nil, floats(count(6), 2, 3, 1)},
		{"new axes are numbered in the result", "Unsqueeze", 17, []*tensor{floats(count(2), 2), ints([]int64{0, -1}, 2)}, nil, floats(count(2), 1, 2, 1)},
		{"axes of size 1 are removed", "Squeeze", 11, []*tensor{floats(count(2), 1, 2, 1)}, map[string]attr{"axes": {integers: []int64{0, -1}}}, floats(count(2), 2)},
		{"permuted axes", "Transpose", 17, []*tensor{floats(count(6), 1, 2, 3)}, map[string]attr{"perm": {integers: []int64{2, 0, 1}}}, floats([]float32{0, 3, 1, 4, 2, 5}, 3, 1, 2)},
		{"a part of an axis", "Slice", 17, []*tensor{floats(count(6), 2, 3), ints([]int64{1}, 1), ints([]int64{math.MaxInt64}, 1), ints([]int64{1}, 1)}, nil, floats([]float32{1, 2, 4, 5}, 2, 2)},
		{"a reversed axis", "Slice", 17, []*tensor{floats(count(5), 5), ints([]int64{-1}, 1), ints([]int64{math.MinInt64}, 1), ints([]int64{0}, 1), ints([]int64{-2}, 1)}, nil, floats([]float32{4, 2, 0}, 3)},
		{"an empty part", "Slice", 17, []*tensor{floats(count(5), 5), ints([]int64{3}, 1), ints([]int64{2}, 1)}, nil, floats([]float32{}, 0)},
		{"a step of the largest number", "Slice", 17, []*tensor{floats(count(5), 5), ints([]int64{1}, 1), ints([]int64{5}, 1), ints([]int64{0}, 1), ints([]int64{math.MaxInt64}, 1)}, nil, floats([]float32{1}, 1)},
		{"concatenated parts", "Concat", 17, []*tensor{floats(count(2), 2, 1), floats(count(4), 2, 2)}, map[string]attr{"axis": {integer: 1}}, floats([]float32{0, 0, 1, 1, 2, 3}, 2, 3)},
		{"rows of a table", "Gather", 17, []*tensor{floats(count(6), 3, 2), ints([]int64{2, -3}, 1, 2)}, nil, floats([]float32{4, 5, 0, 1}, 1, 2, 2)},
		{"columns of a table", "Gather", 17, []*tensor{floats(count(6), 2, 3), ints([]int64{1})}, map[string]attr{"axis": {integer: 1}}, floats([]float32{1, 4}, 2)},
		{"one element per index", "GatherElements", 17, []*tensor{floats(count(4), 2, 2), ints([]int64{1, 0, 0, 0}, 2, 2)}, map[string]attr{"axis": {integer: 1}}, floats([]float32{1, 0, 2, 2}, 2, 2)},
		{"repeated to a shape", "Expand", 17, []*tensor{floats(count(2), 2, 1), ints([]int64{2, 1, 2}, 3)}, nil, floats([]float32{0, 0, 1, 1, 0, 0, 1, 1}, 2, 2, 2)},
		{"repeated along axes", "Tile", 17, []*tensor{floats(count(2), 1, 2), ints([]int64{2, 2}, 2)}, nil, floats([]float32{0, 1, 0, 1, 0, 1, 0, 1}, 2, 4)},
		{"zeros around", "Pad", 17, []*tensor{floats([]float32{1, 2}, 1, 2), ints([]int64{1, 0, 0, 1}, 4)}, nil, floats([]float32{0, 0, 0, 1, 2, 0}, 2, 3)},
		{"integer range with a step", "Range", 17, []*tensor{ints([]int64{1}), ints([]int64{6}), ints([]int64{2})}, nil, ints([]int64{1, 3, 5}, 3)},
		{"a part of a shape", "Shape", 17, []*tensor{floats(count(6), 1, 2, 3)}, map[string]attr{"start": {integer: 1}}, ints([]int64{2, 3}, 2)},
		{"floats are truncated toward zero", "Cast", 17, []*tensor{floats([]float32{1.9, -1.9, float32(math.NaN())}, 3)}, map[string]attr{"to": {integer: typeInt64}}, ints([]int64{1, -1, 0}, 3)},
		{"nonzero is true", "Cast", 17, []*tensor{ints([]int64{0, 5}, 2)}, map[string]attr{"to": {integer: typeBool}}, bools([]int64{0, 1}, 2)},

		{"maximum in windows with padding", "MaxPool", 17, []*tensor{floats(count(9), 1, 1, 3, 3)},
			map[string]attr{"kernel_shape": {integers: []int64{2, 2}}, "strides": {integers: []int64{2, 2}}, "pads": {integers: []int64{1, 1, 0, 0}}}, floats([]float32{0, 2, 6, 8}, 1, 1, 2, 2)},
		{"windows that end outside", "MaxPool", 17, []*tensor{floats(count(9), 1, 1, 3, 3)},
			map[string]attr{"kernel_shape": {integers: []int64{2, 2}}, "strides": {integers: []int64{2, 2}}, "ceil_mode": {integer: 1}}, floats([]float32{4, 5, 7, 8}, 1, 1, 2, 2)},
		{"mean without padding", "AveragePool", 17, []*tensor{floats([]float32{2, 4}, 1, 1, 1, 2)},
			map[string]attr{"kernel_shape": {integers: []int64{1, 2}}, "pads": {integers: []int64{0, 1, 0, 0}}}, floats([]float32{2, 3}, 1, 1, 1, 2)},
		{"mean with padding", "AveragePool", 17, []*tensor{floats([]float32{2, 4}, 1, 1, 1, 2)},
			map[string]attr{"kernel_shape": {integers: []int64{1, 2}}, "pads": {integers: []int64{0, 1, 0, 0}}, "count_include_pad": {integer: 1}}, floats([]float32{1, 3}, 1, 1, 1, 2)},
		{"mean per channel", "GlobalAveragePool", 17, []*tensor{floats(count(8), 1, 2, 2, 2)}, nil, floats([]float32{1.5, 5.5}, 1, 2, 1, 1)},

		{"quantized values to floats", "DequantizeLinear", 17, []*tensor{octets([]float32{0, 128, 255}, 3), floats([]float32{0.5}), octets([]float32{128})}, nil, floats([]float32{-64, 0, 63.5}, 3)},
		{"a quantization step per column", "DequantizeLinear", 17, []*tensor{octets([]float32{1, 1, 2, 2}, 2, 2), floats([]float32{1, 10}, 2)}, nil, floats([]float32{1, 10, 2, 20}, 2, 2)},
		{"floats to quantized values", "QuantizeLinear", 17, []*tensor{floats([]float32{-9, 0, 1.25, 999}, 4), floats([]float32{0.5}), octets([]float32{10})}, nil, octets([]float32{0, 10, 12, 255}, 4)},
		{"products of quantized values", "MatMulInteger", 17, []*tensor{octets([]float32{1, 2}, 1, 2), octets([]float32{5, 6, 7, 8}, 2, 2), octets([]float32{1}), octets([]float32{4})}, nil, floats([]float32{3, 4}, 1, 2)},
	}
	for _, tt := range tests {
		t.Run(tt.op+": "+tt.name, func(t *testing.T) {
			got, err := apply(tt.op, tt.opset, tt.in, tt.attrs, 1)
			if err != nil {
				t.Fatal(err)
			}
			if !same(got[0], tt.want) {
				t.Errorf("got %+v, want %+v", got[0], tt.want)
			}
		})
	}
}

func TestUnaryOperators(t *testing.T) {
	f := func(op string, attrs map[string]attr, in, want float32) {
		t.Helper()
		got, err := apply(op, 20, []*tensor{floats([]float32{in}, 1)}, attrs, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !same(got[0], floats([]float32{want}, 1)) {
			t.Errorf("%s of %v: got %v, want %v", op, in, got[0].floats, want)
		}
	}
	f("Abs", nil, -2, 2)
	f("Ceil", nil, 1.2, 2)
	f("Cos", nil, math.Pi, -1)
	f("Elu", nil, -1, -0.63212056)
	f("Elu", nil, 3, 3)
	f("Erf", nil, 0.5, 0.5204999)
	f("Exp", nil, 1, math.E)
	f("Floor", nil, -1.2, -2)
	f("Gelu", map[string]attr{"approximate": {text: "tanh"}}, 1, 0.841192)
	f("HardSwish", nil, 1, 0.6666667)
	f("HardSwish", nil, -4, 0)
	f("LeakyRelu", nil, -2, -0.02)
	f("Log", nil, math.E, 1)
	f("LogSoftmax", nil, 5, 0)
	f("Neg", nil, 2, -2)
	f("Reciprocal", nil, 4, 0.25)
	f("ReduceL2", nil, -3, 3)
	f("Relu", nil, -3, 0)
	f("Sigmoid", nil, 0, 0.5)
	f("Sign", nil, -7, -1)
	f("Sin", nil, math.Pi/2, 1)
	f("Softplus", nil, 0, math.Ln2)
	f("Softplus", nil, 1000, 1000)
	f("Sqrt", nil, 9, 3)
	f("Tanh", nil, 0.5, 0.46211717)
}

func TestSplit(t *testing.T) {
	got, err := apply("Split", 17, []*tensor{floats(count(6), 2, 3)}, map[string]attr{"axis": {integer: 1}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []*tensor{floats([]float32{0, 1, 3, 4}, 2, 2), floats([]float32{2, 5}, 2, 1)}
	if len(got) != 2 || !same(got[0], want[0]) || !same(got[1], want[1]) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDynamicQuantization(t *testing.T) {
	got, err := apply("DynamicQuantizeLinear", 17, []*tensor{floats([]float32{-1, 0, 4.1}, 3)}, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := octets([]float32{0, 50, 255}, 3); !same(got[0], want) {
		t.Errorf("numbers: got %+v, want %+v", got[0], want)
	}
	if want := floats([]float32{0.02}); !same(got[1], scalar(want.floats[0])) {
		t.Errorf("step: got %+v, want %+v", got[1], want)
	}
}

func TestOperatorErrors(t *testing.T) {
	tests := []struct {
		name  string
		op    string
		in    []*tensor
		attrs map[string]attr
		want  string
	}{
		{"incompatible shapes", "Add", []*tensor{floats(count(2), 2), floats(count(3), 3)}, nil, "shapes [2] and [3] cannot be broadcast"},
		{"incompatible types", "Add", []*tensor{floats(count(2), 2), ints([]int64{1})}, nil, "the inputs have different types"},
		{"a missing input", "Add", []*tensor{floats(count(2), 2)}, nil, "input 1 is missing"},
		{"an index out of range", "Gather", []*tensor{floats(count(2), 2), ints([]int64{2})}, nil, "index 2 is out of range for size 2"},
		{"a huge result", "Expand", []*tensor{floats(count(1), 1), ints([]int64{1 << 26, 1 << 26}, 2)}, nil, "exceeds the memory limit"},
		{"more memory than the limit", "ConstantOfShape", []*tensor{ints([]int64{1 << 21}, 1)}, nil, "exceeds the memory limit"},
		{"a shape that does not fit", "Reshape", []*tensor{floats(count(5), 5), ints([]int64{2, -1}, 2)}, nil, "cannot reshape 5 elements to [2 2]"},
		{"a division by zero", "Div", []*tensor{ints([]int64{1}), ints([]int64{0})}, nil, "integer divide by zero"},
		{"matrices that do not fit", "MatMul", []*tensor{floats(count(2), 1, 2), floats(count(3), 3, 1)}, nil, "cannot be multiplied"},
		{"a window larger than the image", "MaxPool", []*tensor{floats(count(1), 1, 1, 1, 1)}, map[string]attr{"kernel_shape": {integers: []int64{3, 3}}}, "does not fit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := apply(tt.op, 17, tt.in, tt.attrs, 1)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "operator "+tt.op+" (node \"n\"): ") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestMultiplyTileMatchesGo(t *testing.T) {
	const k, stride = 37, 20
	for _, step := range []int{tileCols, 23} {
		a, panel := make([]float32, tileRows*k), make([]float32, (k-1)*step+tileCols)
		for i := range a {
			a[i] = float32(i%11) - 5
		}
		for i := range panel {
			panel[i] = float32(i%7) - 3
		}
		for _, end := range []*ending{nil, {bias: [tileRows]float32{1, -2, 0, 50}, slope: 0.5}, {slope: 0}} {
			got, want := make([]float32, tileRows*stride), make([]float32, tileRows*stride)
			multiplyTile(got, stride, a, panel, step, k, end)
			tileInGo(want, stride, a, panel, step, k, end)
			if !slices.Equal(got, want) { // integers and halves are exact in any order
				t.Errorf("step %d, %v: got %v, want %v", step, end, got, want)
			}
		}
	}
}

func TestMaxIntoMatchesGo(t *testing.T) {
	for n := range 40 {
		got, src := make([]float32, n), make([]float32, n)
		for i := range n {
			got[i], src[i] = float32(i*7%11)-5, float32(i*5%13)-6
		}
		want := slices.Clone(got)
		maxInto(got, src)
		maxInGo(want, src)
		if !slices.Equal(got, want) {
			t.Errorf("%d elements: got %v, want %v", n, got, want)
		}
	}
}
