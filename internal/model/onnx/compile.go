package onnx

import (
	"fmt"
	"slices"
	"sync"
)

// A program is a model that can be run: its operators in order, working on
// numbered slots that hold tensors.
type program struct {
	limits limits
	steps  []step
	slots  []*tensor // what slots hold before a run: the model's constants
	inputs []input
	output int       // slot
	last   string    // the operator that makes the numbers of the output
	arenas sync.Pool // of *arena
}

// An input is a tensor that a run must be given.
type input struct {
	value
	slot int
}

// A step applies an operator.
type step struct {
	node    *node
	apply   operator
	opset   int
	inputs  []int // slots, -1 where an optional one is left out
	outputs []int
	free    []int   // slots that nobody reads any more
	packed  *panels // the second input, where it is a constant to multiply by
}

// compile turns a model into a program that computes one output.
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

// inputs gives slots to weights and inputs. Files may list weights as inputs too,
// with the weight as a default; nobody passes another.
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
			return fmt.Errorf("input %q is not of a type that is supported", v.name)
		}
		c.p.inputs = append(c.p.inputs, input{value: v, slot: c.slot(v.name, nil)})
	}
	c.file.weights = nil // the slots have them, and let go of some
	return nil
}

// slot adds a slot with a name. Slot 0 is never used, so that it can mean none.
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

// node adds the step of a node, or does it at once when all its inputs are constant.
func (c *compiler) node(n *node) error {
	s := step{node: n, apply: operators[n.op], opset: c.file.opset}
	constant := true
	for _, name := range n.inputs {
		slot := -1
		if name != "" {
			if slot = c.slotOf[name]; slot == 0 {
				return fmt.Errorf("input %q of %s is not computed before", name, s.title())
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

// fold does a step now and keeps what comes out as constants.
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

// prune leaves out the steps that the output does not depend on.
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

// last returns the operator that makes the numbers of the output, whatever then brings
// them into another form.
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

// pack lays out the constants that steps multiply by, and lets go of the plain form
// where nobody else reads it: it is most of a model.
func (c *compiler) pack() {
	readers := make([]int, len(c.p.slots))
	readers[c.p.output]++
	for _, s := range c.p.steps {
		for _, slot := range s.inputs {
			if slot > 0 {
				readers[slot]++
			}
		}
	}
	for i := range c.p.steps {
		s := &c.p.steps[i]
		if len(s.inputs) < 2 || s.inputs[1] < 0 || c.p.slots[s.inputs[1]] == nil {
			continue
		}
		slot, zero := s.inputs[1], (*tensor)(nil)
		if len(s.inputs) > 3 && s.inputs[3] > 0 {
			if zero = c.p.slots[s.inputs[3]]; zero == nil {
				continue // told only by the run
			}
		}
		if s.packed = packWeights(s, c.p.slots[slot], zero); s.packed != nil && readers[slot] == 1 {
			c.p.slots[slot] = &tensor{kind: c.p.slots[slot].kind, shape: c.p.slots[slot].shape, fixed: true}
		}
	}
}

// release says after which step a slot is read no more.
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
