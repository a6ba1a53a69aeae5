package onnx

import (
	"fmt"
	"slices"
	"sync"
)

// A program is a compiled model: its operators in order, operating on numbered slots that hold
// tensors.
type program struct {
	limits limits
	steps  []step
	slots  []*tensor // initial contents of the slots: the constants of the model
	inputs []input
	output int       // slot of the output
	last   string    // operator that computes the output values
	arenas sync.Pool // of *arena
}

// An input is a tensor that the caller of a run must provide.
type input struct {
	value
	slot int
}

// A step applies an operator.
type step struct {
	node    *node
	apply   operator
	opset   int
	inputs  []int // slots; -1 for an omitted optional input
	outputs []int
	free    []int   // slots that are not read after this step
	packed  *panels // the second input, if it is a constant factor
	fused   bool    // a convolution is followed by a ReLU or a leaky ReLU, which it also computes
	slope   float32 // factor of negative results; only if fused
}

// compile converts a model to a program that computes one output.
func compile(f *modelFile, output string, bounds limits) (*program, error) {
	if err := checkOperators(f.nodes); err != nil {
		return nil, err
	}
	c := compiler{file: f, slotOf: make(map[string]int), p: &program{limits: bounds}}
	c.run = run{arena: newArena(bounds.elements), workLeft: bounds.work}
	if err := c.inputs(); err != nil {
		return nil, err
	}
	for i := range f.nodes {
		if err := c.node(&f.nodes[i]); err != nil {
			return nil, err
		}
	}
	slot, ok := c.slotOf[output]
	if !ok {
		return nil, fmt.Errorf("output %q is not computed", output)
	}
	c.p.output = slot
	c.prune()
	c.p.last = c.last()
	c.fuse()
	c.pack()
	c.release()
	return c.p, nil
}

// A compiler builds a program.
type compiler struct {
	file   *modelFile
	slotOf map[string]int
	run    run // computes constants
	p      *program
}

// inputs assigns slots to weights and inputs. Files may also list weights as inputs, with the
// weight as the default value, which is never overridden here.
func (c *compiler) inputs() error {
	for _, n := range c.file.nodes {
		for _, name := range n.inputs {
			if w, ok := c.file.weights[name]; ok && c.slotOf[name] == 0 {
				c.slot(name, w)
			}
		}
	}
	for _, v := range c.file.inputs {
		if _, ok := c.file.weights[v.name]; ok {
			continue
		}
		if v.kind == 0 {
			return fmt.Errorf("not supported: type of input %q", v.name)
		}
		c.p.inputs = append(c.p.inputs, input{value: v, slot: c.slot(v.name, nil)})
	}
	c.file.weights = nil // the slots hold them now and release some
	return nil
}

// slot adds a named slot. Slot 0 is never used, so that 0 can mean none.
func (c *compiler) slot(name string, constant *tensor) int {
	if len(c.p.slots) == 0 {
		c.p.slots = append(c.p.slots, nil)
	}
	if constant != nil {
		constant.root().fixed = true
	}
	c.slotOf[name] = len(c.p.slots)
	c.p.slots = append(c.p.slots, constant)
	return len(c.p.slots) - 1
}

// node adds the step for a node, or executes it immediately if all its inputs are constant.
func (c *compiler) node(n *node) error {
	s := step{node: n, apply: operators[n.op], opset: c.file.opset}
	constant := true
	for _, name := range n.inputs {
		slot := -1
		if name != "" {
			if slot = c.slotOf[name]; slot == 0 {
				return fmt.Errorf("input %q of %s is not computed before it is used", name, s.title())
			}
			constant = constant && c.p.slots[slot] != nil
		}
		s.inputs = append(s.inputs, slot)
	}
	if constant {
		return c.fold(&s)
	}
	for _, name := range n.outputs {
		s.outputs = append(s.outputs, c.slot(name, nil))
	}
	c.p.steps = append(c.p.steps, s)
	return nil
}

// fold executes a step now and stores its results as constants.
func (c *compiler) fold(s *step) error {
	c.run.slots = c.p.slots
	results, err := c.run.apply(s)
	if err != nil {
		return err
	}
	for i, t := range results {
		if i < len(s.node.outputs) {
			c.slot(s.node.outputs[i], t)
		}
	}
	return nil
}

// prune removes the steps that the output does not depend on.
func (c *compiler) prune() {
	needed := make([]bool, len(c.p.slots))
	needed[c.p.output] = true
	kept := len(c.p.steps)
	for i := len(c.p.steps) - 1; i >= 0; i-- {
		s := c.p.steps[i]
		use := false
		for _, slot := range s.outputs {
			use = use || needed[slot]
		}
		if !use {
			continue
		}
		for _, slot := range s.inputs {
			if slot > 0 {
				needed[slot] = true
			}
		}
		kept--
		c.p.steps[kept] = s
	}
	c.p.steps = c.p.steps[kept:]
	for slot := range c.p.slots {
		if !needed[slot] {
			c.p.slots[slot] = nil
		}
	}
}

// last returns the operator that computes the output values, ignoring operators that only change
// their shape or type.
func (c *compiler) last() string {
	slot := c.p.output
	for i := len(c.p.steps) - 1; i >= 0; i-- {
		s := c.p.steps[i]
		if !slices.Contains(s.outputs, slot) {
			continue
		}
		switch s.node.op {
		case "Identity", "Cast", "Reshape", "Squeeze", "Flatten":
			slot = s.inputs[0]
		default:
			return s.node.op
		}
	}
	return ""
}

// fuse makes convolutions compute the activations of their results, which saves a pass over memory.
func (c *compiler) fuse() {
	readers := c.readers()
	reader := make(map[int]*step)
	for i := range c.p.steps {
		for _, slot := range c.p.steps[i].inputs {
			reader[slot] = &c.p.steps[i]
		}
	}
	fused := make(map[*step]bool)
	for i := range c.p.steps {
		s := &c.p.steps[i]
		if s.node.op != "Conv" || readers[s.outputs[0]] != 1 {
			continue
		}
		next := reader[s.outputs[0]]
		if slope, ok := slopeOf(next); ok {
			s.fused, s.slope, s.outputs = true, slope, next.outputs
			fused[next] = true
		}
	}
	var steps []step
	for i := range c.p.steps {
		if !fused[&c.p.steps[i]] {
			steps = append(steps, c.p.steps[i])
		}
	}
	c.p.steps = steps
}

// slopeOf returns by what a step multiplies negative elements, or false if that is not all it does.
func slopeOf(s *step) (float32, bool) {
	switch {
	case s == nil:
		return 0, false
	case s.node.op == "Relu":
		return 0, true
	case s.node.op == "LeakyRelu":
		slope := float32(0.01)
		if a, ok := s.node.attrs["alpha"]; ok {
			slope = a.float
		}
		return slope, slope >= 0 && slope <= 1
	}
	return 0, false
}

// readers returns how many times each slot is read. The output of the program counts.
func (c *compiler) readers() []int {
	readers := make([]int, len(c.p.slots))
	readers[c.p.output]++
	for _, s := range c.p.steps {
		for _, slot := range s.inputs {
			if slot > 0 {
				readers[slot]++
			}
		}
	}
	return readers
}

// pack converts constant factors to panels. It releases the original if nothing else reads it,
// because these constants are most of a model.
func (c *compiler) pack() {
	readers := c.readers()
	for i := range c.p.steps {
		s := &c.p.steps[i]
		if len(s.inputs) < 2 || s.inputs[1] < 0 || c.p.slots[s.inputs[1]] == nil {
			continue
		}
		slot, zero := s.inputs[1], (*tensor)(nil)
		if len(s.inputs) > 3 && s.inputs[3] > 0 {
			if zero = c.p.slots[s.inputs[3]]; zero == nil {
				continue // known only at run time
			}
		}
		if s.packed = packWeights(s, c.p.slots[slot], zero); s.packed != nil && readers[slot] == 1 {
			c.p.slots[slot] = &tensor{kind: c.p.slots[slot].kind, shape: c.p.slots[slot].shape, fixed: true}
		}
	}
}

// release determines after which step each slot is no longer read.
func (c *compiler) release() {
	seen := make([]bool, len(c.p.slots))
	seen[c.p.output] = true
	for i := len(c.p.steps) - 1; i >= 0; i-- {
		s := &c.p.steps[i]
		for _, slots := range [][]int{s.outputs, s.inputs} {
			for _, slot := range slots {
				if slot > 0 && !seen[slot] && c.p.slots[slot] == nil {
					seen[slot] = true
					s.free = append(s.free, slot)
				}
			}
		}
	}
}
