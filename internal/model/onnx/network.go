package onnx

import "fmt"

// A Network is a model with one float input and one float output, such as the networks that Earshot
// embeds. The caller prepares the input and interprets the output. A Network is safe for concurrent
// use.
type Network struct {
	program *program
	shape   []int // of the input
	size    int   // of the input
}

// A Workspace has the memory for the intermediate results of a run. Later runs reuse it, also those
// of other networks. It must not be used by two runs at the same time, so the number of workspaces
// bounds the memory that networks use.
type Workspace struct{ arena *arena }

// NewWorkspace returns a workspace without memory, which grows as needed.
func NewWorkspace() *Workspace { return &Workspace{newArena(maxElements)} }

// ReadNetwork reads a network from the content of an .onnx file.
func ReadNetwork(data []byte) (*Network, error) {
	file, err := readModel(data)
	if err != nil {
		return nil, err
	}
	output, err := file.output()
	if err != nil {
		return nil, err
	}
	p, err := compile(file, output, defaultLimits)
	if err != nil {
		return nil, err
	}
	if len(p.inputs) != 1 || p.inputs[0].kind != float {
		return nil, fmt.Errorf("not supported: a network with %d inputs", len(p.inputs))
	}
	n := &Network{program: p, shape: p.inputs[0].shape}
	var ok bool
	if n.size, ok = elements(n.shape, maxElements); !ok {
		return nil, fmt.Errorf("not supported: input of shape %v", n.shape)
	}
	return n, nil
}

// Run appends the output for an input to dst. It does not modify the input.
func (n *Network) Run(w *Workspace, dst, input []float32) ([]float32, error) {
	if len(input) != n.size {
		return nil, fmt.Errorf("the input has %d elements, want %d", len(input), n.size)
	}
	in := &tensor{kind: float, shape: n.shape, floats: input}
	err := n.program.execute(w.arena, []*tensor{in}, func(out *tensor) { dst = append(dst, out.floats...) })
	if err != nil {
		w.arena = newArena(maxElements) // the old one is inconsistent
		return nil, err
	}
	return dst, nil
}
