package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// A graph writes an ONNX file for tests, node by node.
type graph struct {
	body  []byte // encoded GraphProto
	names int
	opset int
}

// An attribute is an attribute of a node. Its value is an int, a []int, a float32, a []float32, a
// string or an encoded tensor.
type attribute struct {
	name  string
	value any
}

func appendField(to []byte, field int, data []byte) []byte {
	to = binary.AppendUvarint(to, uint64(field<<3|wireBytes))
	to = binary.AppendUvarint(to, uint64(len(data)))
	return append(to, data...)
}

func appendText(to []byte, field int, text string) []byte {
	return appendField(to, field, []byte(text))
}

func appendInt(to []byte, field int, v int) []byte {
	to = binary.AppendUvarint(to, uint64(field<<3|wireVarint))
	return binary.AppendUvarint(to, uint64(v))
}

func (g *graph) name() string {
	g.names++
	return fmt.Sprint("t", g.names)
}

// input adds an input with the given file data type and shape, in which -1 is dynamic.
func (g *graph) input(name string, dataType int, shape ...int) string {
	g.body = appendField(g.body, 11, valueInfo(name, dataType, shape))
	return name
}

func (g *graph) output(name, as string) {
	g.body = appendField(g.body, 1, nodeProto("Identity", []string{name}, []string{as}, nil))
	g.body = appendField(g.body, 12, valueInfo(as, typeFloat32, nil))
}

func valueInfo(name string, dataType int, shape []int) []byte {
	var dims []byte
	for i, d := range shape {
		if d >= 0 {
			dims = appendField(dims, 1, appendInt(nil, 1, d))
		} else {
			dims = appendField(dims, 1, appendText(nil, 2, fmt.Sprint("free", i)))
		}
	}
	tensorType := appendField(appendInt(nil, 1, dataType), 2, dims)
	return appendField(appendText(nil, 1, name), 2, appendField(nil, 1, tensorType))
}

// weights adds a float constant.
func (g *graph) weights(values []float32, shape ...int) string {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return g.raw(typeFloat32, raw, shape...)
}

// ints adds an integer constant.
func (g *graph) ints(values []int64, shape ...int) string {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.raw(typeInt64, raw, shape...)
}

// list adds a one-dimensional integer constant.
func (g *graph) list(values ...int64) string { return g.ints(values, len(values)) }

func (g *graph) raw(dataType int, raw []byte, shape ...int) string {
	name := g.name()
	g.body = appendField(g.body, 5, tensorProto(name, dataType, raw, shape))
	return name
}

func tensorProto(name string, dataType int, raw []byte, shape []int) []byte {
	var t []byte
	for _, d := range shape {
		t = appendInt(t, 1, d)
	}
	t = appendInt(t, 2, dataType)
	t = appendText(t, 8, name)
	return appendField(t, 9, raw)
}

// op adds a node with one output and returns the name of the output.
func (g *graph) op(op string, inputs []string, attrs ...attribute) string {
	return g.ops(op, 1, inputs, attrs...)[0]
}

// ops adds a node with several outputs and returns their names.
func (g *graph) ops(op string, results int, inputs []string, attrs ...attribute) []string {
	var names []string
	for range results {
		names = append(names, g.name())
	}
	g.body = appendField(g.body, 1, nodeProto(op, inputs, names, attrs))
	return names
}

func nodeProto(op string, inputs, outputs []string, attrs []attribute) []byte {
	var n []byte
	for _, name := range inputs {
		n = appendText(n, 1, name)
	}
	for _, name := range outputs {
		n = appendText(n, 2, name)
	}
	n = appendText(n, 3, op+" of "+outputs[0])
	n = appendText(n, 4, op)
	for _, a := range attrs {
		n = appendField(n, 5, attrProto(a))
	}
	return n
}

func attrProto(a attribute) []byte {
	p := appendText(nil, 1, a.name)
	switch v := a.value.(type) {
	case int:
		p = appendInt(p, 3, v)
		p = appendInt(p, 20, 2)
	case []int:
		for _, i := range v {
			p = appendInt(p, 8, i)
		}
		p = appendInt(p, 20, 7)
	case float32:
		p = binary.AppendUvarint(p, 2<<3|wireFixed32)
		p = binary.LittleEndian.AppendUint32(p, math.Float32bits(v))
		p = appendInt(p, 20, 1)
	case string:
		p = appendText(p, 4, v)
		p = appendInt(p, 20, 3)
	case []float32: // packed, as newer writers do
		var packed []byte
		for _, x := range v {
			packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(x))
		}
		p = appendField(p, 7, packed)
		p = appendInt(p, 20, 6)
	case []byte:
		p = appendField(p, 5, v)
		p = appendInt(p, 20, 4)
	default:
		panic(fmt.Sprintf("attribute %s of type %T", a.name, v))
	}
	return p
}

// file returns the ONNX file.
func (g *graph) file() []byte {
	opset := g.opset
	if opset == 0 {
		opset = 17
	}
	m := appendInt(nil, 1, 8)
	m = appendField(m, 7, appendText(g.body, 2, "test"))
	return appendField(m, 8, appendInt(appendText(nil, 1, ""), 2, opset))
}

// save writes the file and other files to a new folder and returns the folder.
func (g *graph) save(t testing.TB, beside map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "model.onnx"), g.file(), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range beside {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// program compiles a graph for the output "out".
func (g *graph) program(t testing.TB) *program {
	t.Helper()
	m, err := readModel(g.file())
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile(m, "out", defaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
