package onnx

// A dtype is the element type of a tensor.
type dtype uint8

const (
	float       dtype = iota + 1 // float32; other float types are converted to it
	octet                        // uint8 in quantized models, stored exactly as float32
	signedOctet                  // int8, stored like octet
	integer                      // int32 or int64, stored as int64
	boolean                      // 0 or 1, stored as int64
)

// A tensor is a multidimensional array in row-major order. Tensors of a run may share their
// elements, so elements are immutable once a step has returned them.
type tensor struct {
	kind   dtype
	shape  []int
	floats []float32 // for float, octet and signedOctet
	ints   []int64   // for the other types

	base  *tensor // owner of the elements, if they are shared
	refs  int     // number of slots that hold these elements; counted in base
	fixed bool    // a constant or an input, not owned by the run; stored in base
}

// isFloat reports whether the elements are in t.floats.
func (t *tensor) isFloat() bool { return t.kind <= signedOctet }

// size returns the number of elements.
func (t *tensor) size() int { return len(t.floats) + len(t.ints) }

// root returns the tensor that owns the elements of t.
func (t *tensor) root() *tensor {
	if t.base != nil {
		return t.base
	}
	return t
}

// view returns the elements of t in another shape of the same size.
func (t *tensor) view(shape []int) *tensor {
	return &tensor{kind: t.kind, shape: shape, floats: t.floats, ints: t.ints, base: t.root()}
}

// scalar returns a zero-dimensional tensor.
func scalar(v float32) *tensor {
	return &tensor{kind: float, shape: []int{}, floats: []float32{v}}
}

// vector returns a one-dimensional tensor.
func vector(values []int64) *tensor {
	return &tensor{kind: integer, shape: []int{len(values)}, ints: values}
}

// elements returns the number of elements of a shape, or false if it exceeds limit.
func elements(shape []int, limit int) (int, bool) {
	if len(shape) > maxDims {
		return 0, false
	}
	n := 1
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		if d > 0 && n > limit/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// product returns the number of elements of a shape that is known not to overflow.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// stridesOf returns the strides of a row-major tensor.
func stridesOf(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
	return strides
}
