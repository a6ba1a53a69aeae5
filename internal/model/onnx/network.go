package onnx

import "fmt"

// A Network is a model with one float input and one float output, such as the networks that Earshot
// embeds. The caller prepares the input and interprets the output.
//
// A Network is safe for concurrent use. Runs need memory for their intermediate results, which
// later runs reuse; a Network never has more than a fixed number of runs at a time, and others wait.
type Network struct {
	program *program
	shape   []int // of the input
	size    int   // of the input
	arenas  chan *arena
}

// ReadNetwork reads a network from the content of an .onnx file. At most maxRuns runs execute at
// the same time.
func ReadNetwork(data []byte, maxRuns int) (*Network, error) {
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
	n := &Network{program: p, shape: p.inputs[0].shape, arenas: make(chan *arena, max(maxRuns, 1))}
	var ok bool
	if n.size, ok = elements(n.shape, maxElements); !ok {
		return nil, fmt.Errorf("not supported: input of shape %v", n.shape)
	}
	for range cap(n.arenas) {
		n.arenas <- newArena(p.limits.elements)
	}
	return n, nil
}

// InputShape returns the shape of the input.
func (n *Network) InputShape() []int { return append([]int(nil), n.shape...) }

// Run appends the output for an input to dst. It does not modify the input.
func (n *Network) Run(dst, input []float32) ([]float32, error) {
	if len(input) != n.size {
		return nil, fmt.Errorf("the input has %d elements, want %d", len(input), n.size)
	}
	a := <-n.arenas
	defer func() { n.arenas <- a }()
	in := &tensor{kind: float, shape: n.shape, floats: input}
	err := n.program.execute(a, []*tensor{in}, func(out *tensor) { dst = append(dst, out.floats...) })
	if err != nil {
		a = newArena(n.program.limits.elements) // the old one is inconsistent
		return nil, err
	}
	return dst, nil
}
