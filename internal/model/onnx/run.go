package onnx

import (
	"fmt"
	"slices"
)

// A run is one execution of a program.
type run struct {
	slots    []*tensor
	arena    *arena
	workLeft float64
}

// A call is one execution of an operator: its inputs, nil if omitted, and access to the run, which
// allocates tensors for its results. Operators report errors with fail.
type call struct {
	*step
	in  []*tensor
	run *run
}

// A failure is the panic value of call.fail. run.apply converts it to an error.
type failure string

// run computes the output of p for inputs, in the order of p.inputs. It is safe for concurrent use.
func (p *program) run(inputs []*tensor) (result *tensor, err error) {
	a, ok := p.arenas.Get().(*arena)
	if !ok {
		a = newArena(p.limits.elements)
	}
	err = p.execute(a, inputs, func(out *tensor) {
		result = &tensor{kind: out.kind, shape: slices.Clone(out.shape), floats: slices.Clone(out.floats), ints: slices.Clone(out.ints)}
	})
	if err != nil {
		return nil, err // and discard the arena, which is inconsistent
	}
	p.arenas.Put(a)
	return result, nil
}

// execute computes the output of p with tensors of an arena, and passes it to use, which must not
// keep it. After an error, the arena is inconsistent.
func (p *program) execute(a *arena, inputs []*tensor, use func(out *tensor)) error {
	r := run{slots: slices.Clone(p.slots), arena: a, workLeft: p.limits.work}
	for i, in := range p.inputs {
		inputs[i].fixed = true
		r.slots[in.slot] = inputs[i]
	}
	for i := range p.steps {
		if err := r.step(&p.steps[i]); err != nil {
			return err
		}
	}
	use(r.slots[p.output])
	r.free(p.output)
	a.live = 0 // elements that operators did not free are left to the garbage collector
	return nil
}

// step executes a step and frees slots that are not needed afterward.
func (r *run) step(s *step) error {
	results, err := r.apply(s)
	if err != nil {
		return err
	}
	if len(results) < len(s.outputs) {
		return fmt.Errorf("%s has %d results, want %d", s.title(), len(results), len(s.outputs))
	}
	for i, slot := range s.outputs {
		if t := results[i].root(); !t.fixed {
			t.refs++
		}
		r.slots[slot] = results[i]
	}
	for _, t := range results[len(s.outputs):] {
		r.drop(t)
	}
	for _, slot := range s.free {
		r.free(slot)
	}
	return nil
}

// free empties a slot. If no other slot holds the same elements, it frees them.
func (r *run) free(slot int) {
	t := r.slots[slot].root()
	r.slots[slot] = nil
	if !t.fixed {
		t.refs--
	}
	r.drop(t)
}

// drop frees the elements of a tensor that is in no slot.
func (r *run) drop(t *tensor) {
	if t = t.root(); !t.fixed && t.refs == 0 {
		r.arena.free(t)
	}
}

// apply applies a step. Shapes and indexes come from an untrusted file, so it recovers panics of
// operators and returns them as errors.
func (r *run) apply(s *step) (results []*tensor, err error) {
	defer func() {
		if p := recover(); p != nil {
			results, err = nil, fmt.Errorf("%s: %v", s.title(), p)
		}
	}()
	c := call{step: s, run: r, in: make([]*tensor, len(s.inputs))}
	for i, slot := range s.inputs {
		if slot > 0 {
			c.in[i] = r.slots[slot]
		}
	}
	return s.apply(&c), nil
}

// title describes the step in errors.
func (s *step) title() string { return fmt.Sprintf("operator %s (node %q)", s.node.op, s.node.name) }

// fail aborts the run with an error.
func (c *call) fail(format string, args ...any) {
	panic(failure(fmt.Sprintf(format, args...)))
}

// spend accounts for multiplications before they are executed.
func (c *call) spend(m, k, n int) {
	if c.run.workLeft -= float64(m) * float64(k) * float64(n); c.run.workLeft < 0 {
		c.fail("the model exceeds the limit on computation")
	}
}

// tensor returns a tensor with arbitrary elements, all of which the caller must set.
func (c *call) tensor(k dtype, shape []int) *tensor {
	t, ok := c.run.arena.tensor(k, shape)
	if !ok {
		c.fail("a result of shape %v exceeds the memory limit", shape)
	}
	c.spend(workPerElement, 1, t.size())
	return t
}

// input returns a required input.
func (c *call) input(i int) *tensor {
	if i >= len(c.in) || c.in[i] == nil {
		c.fail("input %d is missing", i)
	}
	return c.in[i]
}

// floats returns a required float input.
func (c *call) floats(i int) *tensor {
	t := c.input(i)
	if !t.isFloat() {
		c.fail("input %d is not a float tensor", i)
	}
	return t
}

// option returns an optional input, or nil if it is omitted.
func (c *call) option(i int) *tensor {
	if i >= len(c.in) {
		return nil
	}
	return c.in[i]
}

// ints returns the elements of a required integer input.
func (c *call) ints(i int) []int64 {
	t := c.input(i)
	if t.isFloat() {
		c.fail("input %d is not an integer tensor", i)
	}
	return t.ints
}

// intAttr returns an attribute, or a default if the node does not have it.
func (c *call) intAttr(name string, otherwise int) int {
	if a, ok := c.node.attrs[name]; ok {
		return int(a.integer)
	}
	return otherwise
}

// floatAttr returns an attribute, or a default if the node does not have it.
func (c *call) floatAttr(name string, otherwise float32) float32 {
	if a, ok := c.node.attrs[name]; ok {
		return a.float
	}
	return otherwise
}

// list returns integers that older versions of an operator have as an attribute and newer ones as
// an input. It returns false if there are none.
func (c *call) list(name string, i int) ([]int64, bool) {
	if a, ok := c.node.attrs[name]; ok {
		return a.integers, true
	}
	if c.option(i) == nil {
		return nil, false
	}
	return c.ints(i), true
}

// axis returns the index of a dimension. Negative values count from the end.
func (c *call) axis(axis, dims int) int {
	if axis < 0 {
		axis += dims
	}
	if axis < 0 || axis >= dims {
		c.fail("axis %d is out of range for %d dimensions", axis, dims)
	}
	return axis
}
