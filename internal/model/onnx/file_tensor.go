package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Data types in files (TensorProto.DataType).
const (
	typeFloat32  = 1
	typeUint8    = 2
	typeInt8     = 3
	typeInt32    = 6
	typeInt64    = 7
	typeBool     = 9
	typeFloat16  = 10
	typeFloat64  = 11
	typeBfloat16 = 16
)

// kindOf returns the in-memory type for a data type in files.
func kindOf(dataType uint64) (dtype, error) {
	switch dataType {
	case typeFloat32, typeFloat16, typeFloat64, typeBfloat16:
		return float, nil
	case typeUint8:
		return octet, nil
	case typeInt8:
		return signedOctet, nil
	case typeInt32, typeInt64:
		return integer, nil
	case typeBool:
		return boolean, nil
	}
	return 0, fmt.Errorf("not supported: data type %d", dataType)
}

// readTensor decodes a TensorProto.
func readTensor(data []byte) (name string, t *tensor, err error) {
	var dataType uint64
	var dims, numbers []uint64
	var raw []byte
	m := message{rest: data}
	for m.next() {
		switch m.field {
		case 1:
			dims = m.numbers(dims, wireVarint)
		case 2:
			dataType = m.number
		case 4: // float_data
			numbers = m.numbers(numbers, wireFixed32)
		case 5, 7: // int32_data (for all smaller types), int64_data
			numbers = m.numbers(numbers, wireVarint)
		case 8:
			name = string(m.bytes)
		case 9:
			raw = m.bytes
		case 10: // double_data
			numbers = m.numbers(numbers, wireFixed64)
		case 14:
			if m.number != 0 {
				return name, nil, errors.New("the weights are in a separate file; export the model as a single file")
			}
		}
	}
	if m.err != nil {
		return name, nil, m.err
	}
	t, err = newFileTensor(dataType, dims)
	if err != nil {
		return name, nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	if raw != nil {
		numbers, err = nil, t.fillRaw(dataType, raw)
	} else {
		err = t.fillNumbers(dataType, numbers)
	}
	if err != nil {
		return name, nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	return name, t, nil
}

// newFileTensor returns a tensor without elements.
func newFileTensor(dataType uint64, dims []uint64) (*tensor, error) {
	k, err := kindOf(dataType)
	if err != nil {
		return nil, err
	}
	t := &tensor{kind: k, shape: make([]int, len(dims))}
	for i, d := range dims {
		t.shape[i] = int(min(d, math.MaxInt32))
	}
	if _, ok := elements(t.shape, maxWeights); !ok {
		return nil, fmt.Errorf("shape %v is too large", t.shape)
	}
	return t, nil
}

// fillRaw sets the elements from raw bytes.
func (t *tensor) fillRaw(dataType uint64, raw []byte) error {
	n, width := product(t.shape), widthOf(dataType)
	if len(raw) != n*width {
		return fmt.Errorf("has %d bytes, want %d", len(raw), n*width)
	}
	numbers := make([]uint64, 0, min(n, 1<<12))
	for len(raw) > 0 {
		part := raw[:min(len(raw), cap(numbers)*width)]
		raw = raw[len(part):]
		numbers = numbers[:0]
		for ; len(part) > 0; part = part[width:] {
			numbers = append(numbers, littleEndian(part[:width]))
		}
		t.add(dataType, numbers, n)
	}
	return nil
}

func widthOf(dataType uint64) int {
	switch dataType {
	case typeFloat64, typeInt64:
		return 8
	case typeFloat32, typeInt32:
		return 4
	case typeFloat16, typeBfloat16:
		return 2
	}
	return 1
}

func littleEndian(b []byte) uint64 {
	switch len(b) {
	case 8:
		return binary.LittleEndian.Uint64(b)
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	}
	return uint64(b[0])
}

// fillNumbers sets the elements from typed fields.
func (t *tensor) fillNumbers(dataType uint64, numbers []uint64) error {
	n := product(t.shape)
	if len(numbers) != n {
		return fmt.Errorf("has %d elements, want %d", len(numbers), n)
	}
	t.add(dataType, numbers, n)
	return nil
}

// add appends elements given by their bits. n is the final number of elements.
func (t *tensor) add(dataType uint64, numbers []uint64, n int) {
	if t.isFloat() {
		if t.floats == nil {
			t.floats = make([]float32, 0, n)
		}
		for _, v := range numbers {
			t.floats = append(t.floats, floatOf(dataType, v))
		}
		return
	}
	if t.ints == nil {
		t.ints = make([]int64, 0, n)
	}
	for _, v := range numbers {
		switch dataType {
		case typeInt32:
			t.ints = append(t.ints, int64(int32(v)))
		case typeBool:
			t.ints = append(t.ints, min(int64(v&math.MaxInt64), 1))
		default:
			t.ints = append(t.ints, int64(v))
		}
	}
}

func floatOf(dataType, bits uint64) float32 {
	switch dataType {
	case typeFloat64:
		return float32(math.Float64frombits(bits))
	case typeFloat16:
		return halfFloat(uint16(bits))
	case typeBfloat16:
		return math.Float32frombits(uint32(bits) << 16)
	case typeUint8:
		return float32(uint8(bits))
	case typeInt8:
		return float32(int8(bits))
	}
	return math.Float32frombits(uint32(bits))
}

// halfFloat converts a 16-bit IEEE 754 number to 32 bits.
func halfFloat(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exponent {
	case 0: // zero or subnormal
		v := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 0x1f: // infinity or NaN
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
