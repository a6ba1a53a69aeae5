package train

import (
	"encoding/binary"
	"math"
)

// Data types of ONNX files.
const (
	typeFloat32 = 1
	typeInt64   = 7
	typeFloat16 = 10
)

// opset is the version of the ONNX operators that a graph uses.
const opset = 17

// An onnxGraph is an ONNX model that is encoded node by node. The encoding is that of protocol
// buffers, with the field numbers of onnx.proto.
type onnxGraph struct{ body []byte }

// An attribute is an attribute of a node. Its value is an int, a []int, a float32 or a string.
type attribute struct {
	name  string
	value any
}

// Wire types of protocol buffers.
const (
	wireVarint  = 0
	wireBytes   = 2
	wireFixed32 = 5
)

func appendBytes(to []byte, field int, data []byte) []byte {
	to = binary.AppendUvarint(to, uint64(field<<3|wireBytes))
	to = binary.AppendUvarint(to, uint64(len(data)))
	return append(to, data...)
}

func appendText(to []byte, field int, text string) []byte {
	return appendBytes(to, field, []byte(text))
}

func appendInt(to []byte, field, v int) []byte {
	to = binary.AppendUvarint(to, uint64(field<<3|wireVarint))
	return binary.AppendUvarint(to, uint64(v))
}

// value adds an input (field 11) or an output (field 12).
func (g *onnxGraph) value(field int, name string, shape ...int) {
	var dims []byte
	for _, d := range shape {
		dims = appendBytes(dims, 1, appendInt(nil, 1, d))
	}
	tensorType := appendBytes(appendInt(nil, 1, typeFloat32), 2, dims)
	g.body = appendBytes(g.body, field, appendBytes(appendText(nil, 1, name), 2, appendBytes(nil, 1, tensorType)))
}

func (g *onnxGraph) input(name string, shape ...int)  { g.value(11, name, shape...) }
func (g *onnxGraph) output(name string, shape ...int) { g.value(12, name, shape...) }

// constant adds a tensor and returns its name.
func (g *onnxGraph) constant(name string, dataType int, raw []byte, shape ...int) string {
	var t []byte
	for _, d := range shape {
		t = appendInt(t, 1, d)
	}
	t = appendInt(t, 2, dataType)
	t = appendText(t, 8, name)
	g.body = appendBytes(g.body, 5, appendBytes(t, 9, raw))
	return name
}

// integers adds a list of integers and returns its name.
func (g *onnxGraph) integers(name string, values ...int) string {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.constant(name, typeInt64, raw, len(values))
}

// floats adds a list of floats and returns its name.
func (g *onnxGraph) floats(name string, values ...float64) string {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	return g.constant(name, typeFloat32, raw, len(values))
}

// node adds a node.
func (g *onnxGraph) node(op string, inputs, outputs []string, attrs ...attribute) {
	var n []byte
	for _, name := range inputs {
		n = appendText(n, 1, name)
	}
	for _, name := range outputs {
		n = appendText(n, 2, name)
	}
	n = appendText(n, 4, op)
	for _, a := range attrs {
		n = appendBytes(n, 5, a.encode())
	}
	g.body = appendBytes(g.body, 1, n)
}

func (a attribute) encode() []byte {
	const typeOfFloat, typeOfInt, typeOfString, typeOfInts = 1, 2, 3, 7
	data := appendText(nil, 1, a.name)
	switch v := a.value.(type) {
	case float32:
		data = binary.AppendUvarint(data, 2<<3|wireFixed32)
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		return appendInt(data, 20, typeOfFloat)
	case int:
		return appendInt(appendInt(data, 3, v), 20, typeOfInt)
	case string:
		return appendInt(appendText(data, 4, v), 20, typeOfString)
	case []int:
		for _, i := range v {
			data = appendInt(data, 8, i)
		}
		return appendInt(data, 20, typeOfInts)
	}
	panic("train: attribute " + a.name + " has an unknown type")
}

// model returns the encoded model.
func (g *onnxGraph) model() []byte {
	m := appendInt(nil, 1, 8) // version of the format
	m = appendBytes(m, 7, g.body)
	return appendBytes(m, 8, appendInt(nil, 2, opset))
}
