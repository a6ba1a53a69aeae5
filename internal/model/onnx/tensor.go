package onnx

// A dtype is what the numbers of a tensor are.
type dtype uint8

const (
	float       dtype = iota + 1 // float32; wider and narrower ones are turned into it
	octet                        // uint8, of quantised models; held as float32, which has them exactly
	signedOctet                  // int8, likewise
	integer                      // int32 or int64, held as int64
	boolean                      // 0 or 1, held as int64
)

// A tensor is an array of numbers with any number of dimensions, the last one
// running fastest. Tensors of a run may share their numbers: nobody changes them
// once a step has given them out.
type tensor struct {
	kind   dtype
	shape  []int
	floats []float32 // of kinds float, octet and signedOctet
	ints   []int64   // of the other kinds

	base  *tensor // whose numbers these are, when they are shared
	refs  int     // slots of a run that hold a tensor with these numbers; counted in base
	fixed bool    // not the run's own: a constant or an input; said in base
}

// isFloat reports whether the numbers are in t.floats.
func (t *tensor) isFloat() bool { return t.kind <= signedOctet }

// size returns the number of numbers.
func (t *tensor) size() int { return len(t.floats) + len(t.ints) }

// root returns the tensor that owns the numbers of t.
func (t *tensor) root() *tensor {
	if t.base != nil {
		return t.base
	}
	return t
}

// view returns the numbers of t in another shape of the same size.
func (t *tensor) view(shape []int) *tensor {
	return &tensor{kind: t.kind, shape: shape, floats: t.floats, ints: t.ints, base: t.root()}
}

// scalar returns a tensor of no dimensions.
func scalar(v float32) *tensor {
	return &tensor{kind: float, shape: []int{}, floats: []float32{v}}
}

// vector returns a tensor of one dimension.
func vector(values []int64) *tensor {
	return &tensor{kind: integer, shape: []int{len(values)}, ints: values}
}

// elements returns how many numbers a shape has, false when they are more than a limit.
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

// product returns how many numbers a shape has, of which it is known that they are
// not too many.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// stridesOf returns how far apart neighbours along each dimension are.
func stridesOf(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
	return strides
}
