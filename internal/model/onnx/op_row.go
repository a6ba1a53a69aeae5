package onnx

import "math"

// A number is an element type of tensors.
type number interface{ float32 | int64 }

// A row computes a row of elements from two rows. The step of an operand is 1, or 0 if it is a
// single element that is repeated.
type row[T, R number] func(dst []R, a, b []T, stepA, stepB int)

func addRow[T number](dst, a, b []T, stepA, stepB int) {
	if stepA == 1 && stepB == 1 {
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = a[i] + b[i]
		}
		return
	}
	for i := range dst {
		dst[i] = a[i*stepA] + b[i*stepB]
	}
}

func subRow[T number](dst, a, b []T, stepA, stepB int) {
	for i := range dst {
		dst[i] = a[i*stepA] - b[i*stepB]
	}
}

func mulRow[T number](dst, a, b []T, stepA, stepB int) {
	if stepA == 1 && stepB == 1 {
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = a[i] * b[i]
		}
		return
	}
	for i := range dst {
		dst[i] = a[i*stepA] * b[i*stepB]
	}
}

func divFloatRow(dst, a, b []float32, stepA, stepB int) {
	for i := range dst {
		dst[i] = a[i*stepA] / b[i*stepB]
	}
}

func divIntRow(dst, a, b []int64, stepA, stepB int) {
	for i := range dst {
		dst[i] = a[i*stepA] / b[i*stepB]
	}
}

// modFloatRow computes the remainder with the sign of a (fmod=1), the only variant for floats.
func modFloatRow(dst, a, b []float32, stepA, stepB int) {
	for i := range dst {
		dst[i] = float32(math.Mod(float64(a[i*stepA]), float64(b[i*stepB])))
	}
}

// modIntRow computes the remainder with the sign of b.
func modIntRow(dst, a, b []int64, stepA, stepB int) {
	for i := range dst {
		d := b[i*stepB]
		dst[i] = (a[i*stepA]%d + d) % d
	}
}

func powRow[T number](dst, a, b []T, stepA, stepB int) {
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if y == 2 { // used by every layer norm for the variance
			dst[i] = x * x
		} else {
			dst[i] = T(math.Pow(float64(x), float64(y)))
		}
	}
}

func preluRow[T number](dst, a, b []T, stepA, stepB int) {
	for i := range dst {
		x := a[i*stepA]
		if x < 0 {
			x *= b[i*stepB]
		}
		dst[i] = x
	}
}

func minRow[T number](dst, a, b []T, stepA, stepB int) {
	for i := range dst {
		dst[i] = min(a[i*stepA], b[i*stepB])
	}
}

func maxRow[T number](dst, a, b []T, stepA, stepB int) {
	for i := range dst {
		dst[i] = max(a[i*stepA], b[i*stepB])
	}
}

func equalRow[T number](dst []int64, a, b []T, stepA, stepB int) {
	for i := range dst {
		dst[i] = boolToInt(a[i*stepA] == b[i*stepB])
	}
}

func notEqualRow(dst, a, b []int64, stepA, stepB int) {
	for i := range dst {
		dst[i] = boolToInt(a[i*stepA] != b[i*stepB])
	}
}

func lessRow[T number](dst []int64, a, b []T, stepA, stepB int) {
	for i := range dst {
		dst[i] = boolToInt(a[i*stepA] < b[i*stepB])
	}
}

func lessOrEqualRow[T number](dst []int64, a, b []T, stepA, stepB int) {
	for i := range dst {
		dst[i] = boolToInt(a[i*stepA] <= b[i*stepB])
	}
}

func greaterRow[T number](dst []int64, a, b []T, stepA, stepB int) {
	lessRow(dst, b, a, stepB, stepA)
}

func greaterOrEqualRow[T number](dst []int64, a, b []T, stepA, stepB int) {
	lessOrEqualRow(dst, b, a, stepB, stepA)
}

func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
