package onnx

import (
	"errors"
	"fmt"
	"math"
)

// A modelFile contains the parts of an ONNX ModelProto that are used.
type modelFile struct {
	opset   int
	nodes   []node
	weights map[string]*tensor
	inputs  []value
	outputs []value
}

// A node is an application of an operator.
type node struct {
	name    string
	op      string
	domain  string
	inputs  []string // "" for an omitted optional input
	outputs []string
	attrs   map[string]attr
}

// An attr is a constant attribute of a node.
type attr struct {
	integer  int64
	float    float32
	text     string
	integers []int64
	floats   []float32
	tensor   *tensor
	graph    bool // contains a subgraph
}

// A value is an input or an output of a graph.
type value struct {
	name  string
	kind  dtype
	shape []int // -1 for a dynamic size; nil if not specified
}

// readModel decodes a ModelProto. The result does not reference data.
func readModel(data []byte) (*modelFile, error) {
	f := &modelFile{weights: make(map[string]*tensor)}
	hasGraph := false
	m := message{rest: data}
	for m.next() {
		switch m.field {
		case 7:
			hasGraph = true
			if err := f.readGraph(m.bytes); err != nil {
				return nil, err
			}
		case 8:
			if err := f.readOpset(m.bytes); err != nil {
				return nil, err
			}
		}
	}
	if m.err != nil {
		return nil, m.err
	}
	if !hasGraph {
		return nil, errWire
	}
	return f, nil
}

func (f *modelFile) readOpset(data []byte) error {
	domain, version := "", 0
	m := message{rest: data}
	for m.next() {
		switch m.field {
		case 1:
			domain = string(m.bytes)
		case 2:
			version = int(m.number)
		}
	}
	if domain == "" || domain == "ai.onnx" {
		f.opset = version
	}
	return m.err
}

func (f *modelFile) readGraph(data []byte) error {
	m := message{rest: data}
	for m.next() {
		var err error
		switch m.field {
		case 1:
			var n node
			n, err = readNode(m.bytes)
			if f.nodes = append(f.nodes, n); len(f.nodes) > maxNodes {
				return errors.New("the model has too many nodes")
			}
		case 5:
			var name string
			var t *tensor
			if name, t, err = readTensor(m.bytes); err == nil {
				f.weights[name] = t
			}
		case 11:
			var v value
			v, err = readValue(m.bytes)
			f.inputs = append(f.inputs, v)
		case 12:
			var v value
			v, err = readValue(m.bytes)
			f.outputs = append(f.outputs, v)
		case 15:
			err = errors.New("sparse tensors are not supported")
		}
		if err != nil {
			return err
		}
	}
	return m.err
}

func readNode(data []byte) (node, error) {
	n := node{attrs: make(map[string]attr)}
	m := message{rest: data}
	for m.next() {
		if len(n.inputs)+len(n.outputs) > maxNodes {
			return n, errors.New("a node has too many inputs")
		}
		switch m.field {
		case 1:
			n.inputs = append(n.inputs, string(m.bytes))
		case 2:
			n.outputs = append(n.outputs, string(m.bytes))
		case 3:
			n.name = string(m.bytes)
		case 4:
			n.op = string(m.bytes)
		case 5:
			name, a, err := readAttr(m.bytes)
			if err != nil {
				return n, fmt.Errorf("attribute %q of node %q: %w", name, n.name, err)
			}
			n.attrs[name] = a
		case 7:
			n.domain = string(m.bytes)
		}
	}
	return n, m.err
}

func readAttr(data []byte) (name string, a attr, err error) {
	m := message{rest: data}
	var integers, floats []uint64
	for m.next() {
		switch m.field {
		case 1:
			name = string(m.bytes)
		case 2:
			a.float = math.Float32frombits(uint32(m.number))
		case 3:
			a.integer = int64(m.number)
		case 4:
			a.text = string(m.bytes)
		case 5:
			if _, a.tensor, err = readTensor(m.bytes); err != nil {
				return name, a, err
			}
		case 6, 11:
			a.graph = true
		case 7:
			floats = m.numbers(floats, wireFixed32)
		case 8:
			integers = m.numbers(integers, wireVarint)
		}
	}
	for _, v := range floats {
		a.floats = append(a.floats, math.Float32frombits(uint32(v)))
	}
	for _, v := range integers {
		a.integers = append(a.integers, int64(v))
	}
	return name, a, m.err
}

// readValue decodes the name, type and shape of a ValueInfoProto with a tensor type.
func readValue(data []byte) (value, error) {
	var v value
	m := message{rest: data}
	for m.next() {
		switch m.field {
		case 1:
			v.name = string(m.bytes)
		case 2:
			if err := v.readType(m.bytes); err != nil {
				return v, err
			}
		}
	}
	return v, m.err
}

func (v *value) readType(data []byte) error {
	m := message{rest: data}
	for m.next() {
		if m.field != 1 {
			continue
		}
		t := message{rest: m.bytes}
		for t.next() {
			switch t.field {
			case 1:
				v.kind, _ = kindOf(t.number)
			case 2:
				if err := v.readShape(t.bytes); err != nil {
					return err
				}
			}
		}
		if t.err != nil {
			return t.err
		}
	}
	return m.err
}

func (v *value) readShape(data []byte) error {
	v.shape = []int{}
	m := message{rest: data}
	for m.next() {
		if m.field != 1 {
			continue
		}
		size := -1
		d := message{rest: m.bytes}
		for d.next() {
			if d.field == 1 && d.number > 0 && d.number <= maxElements {
				size = int(d.number)
			}
		}
		if d.err != nil {
			return d.err
		}
		v.shape = append(v.shape, size)
	}
	return m.err
}
