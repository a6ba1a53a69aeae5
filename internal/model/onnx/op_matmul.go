package onnx

import "slices"

// packWeights converts the constant factor of a step to panels. It returns nil if the step is not a
// matrix product. zero is the zero point of a quantized factor, or nil.
func packWeights(s *step, weights, zero *tensor) *panels {
	if len(weights.shape) != 2 || !weights.isFloat() {
		return nil
	}
	switch s.node.op {
	case "MatMul":
		return newPanels(weights, false)
	case "Gemm":
		return newPanels(weights, s.node.attrs["transB"].integer != 0)
	case "MatMulInteger":
		return newPanels(shifted(weights, zero), false)
	}
	return nil
}

// shifted subtracts the zero point from a matrix, for the whole matrix or per column.
func shifted(weights, zero *tensor) *tensor {
	if zero == nil || zero.size() == 0 {
		return weights
	}
	t := &tensor{kind: float, shape: weights.shape, floats: slices.Clone(weights.floats)}
	for i := range t.floats {
		t.floats[i] -= zero.floats[i%t.shape[1]%zero.size()]
	}
	return t
}

func newPanels(t *tensor, transposed bool) *panels {
	k, n, down, across := t.shape[0], t.shape[1], t.shape[1], 1
	if transposed {
		k, n, down, across = n, k, 1, t.shape[1]
	}
	p := &panels{k: k, n: n, data: make([]float32, panelsSize(k, n))}
	p.fill(t.floats, down, across)
	return p
}

// product returns a × b for a matrix with m rows.
func (c *call) product(a []float32, m int, b *panels) *tensor {
	result := c.tensor(float, []int{m, b.n})
	c.multiply(result.floats, a, m, b)
	return result
}

func (c *call) multiply(dst, a []float32, m int, b *panels) {
	c.spend(m, b.k, b.n)
	left := matrix{m: m, k: b.k, data: a}
	if m%tileRows != 0 {
		tail := c.tensor(float, []int{tileRows * b.k})
		defer c.run.drop(tail)
		left.fillTail(tail.floats)
	}
	left.times(dst, b)
}

// matMul multiplies the matrices in the last two dimensions and broadcasts the others.
func matMul(c *call) *tensor {
	a, b := c.floats(0), c.floats(1)
	if len(a.shape) == 0 || len(b.shape) == 0 {
		c.fail("a scalar is not a matrix")
	}
	shapeA, shapeB := a.shape, b.shape
	if len(shapeA) == 1 {
		shapeA = []int{1, shapeA[0]}
	}
	if len(shapeB) == 1 {
		shapeB = []int{shapeB[0], 1}
	}
	m, k := shapeA[len(shapeA)-2], shapeA[len(shapeA)-1]
	n := shapeB[len(shapeB)-1]
	if k != shapeB[len(shapeB)-2] {
		c.fail("shapes %v and %v cannot be multiplied", a.shape, b.shape)
	}
	batchA, batchB := shapeA[:len(shapeA)-2], shapeB[:len(shapeB)-2]
	batch := c.broadcast(batchA, batchB)
	shape := slices.Clone(batch)
	if len(a.shape) > 1 {
		shape = append(shape, m)
	}
	if len(b.shape) > 1 {
		shape = append(shape, n)
	}
	result := c.tensor(float, shape)
	switch {
	case c.packed != nil:
		c.multiply(result.floats, a.floats, product(batchA)*m, c.packed)
	default:
		c.multiplyAll(result, a, b, broadcastStrides(batchA, batch), broadcastStrides(batchB, batch), batch, [3]int{m, k, n})
	}
	return result
}

// multiplyAll multiplies pairs of m × k and k × n matrices. stepsA and stepsB are strides in
// matrices.
func (c *call) multiplyAll(result, a, b *tensor, stepsA, stepsB, batch []int, size [3]int) {
	m, k, n := size[0], size[1], size[2]
	right := c.tensor(float, []int{panelsSize(k, n)})
	defer c.run.drop(right)
	packed := panels{k: k, n: n, data: right.floats}
	walkA := iterator{shape: batch, strides: stepsA, index: make([]int, len(batch))}
	walkB := iterator{shape: batch, strides: stepsB, index: make([]int, len(batch))}
	for i, last := 0, -1; i < product(batch); i++ {
		if walkB.at != last {
			last = walkB.at
			packed.fill(b.floats[last*k*n:(last+1)*k*n], n, 1)
		}
		c.multiply(result.floats[i*m*n:(i+1)*m*n], a.floats[walkA.at*m*k:(walkA.at+1)*m*k], m, &packed)
		walkA.next()
		walkB.next()
	}
}

// gemm computes alpha × a × b + beta × c.
func gemm(c *call) *tensor {
	a, b := c.floats(0), c.floats(1)
	if len(a.shape) != 2 || len(b.shape) != 2 {
		c.fail("shapes %v and %v are not those of matrices", a.shape, b.shape)
	}
	if c.intAttr("transA", 0) != 0 {
		a = c.transposed(a, []int{1, 0})
		defer c.run.drop(a)
	}
	right := c.packed
	if right == nil {
		right = newPanels(b, c.intAttr("transB", 0) != 0)
	}
	if a.shape[1] != right.k {
		c.fail("shapes %v and %v cannot be multiplied", a.shape, b.shape)
	}
	result := c.product(a.floats, a.shape[0], right)
	scale(result.floats, c.floatAttr("alpha", 1))
	if c.option(2) == nil {
		return result
	}
	added := c.floats(2)
	if beta := c.floatAttr("beta", 1); beta != 1 {
		added = c.combine(added, scalar(beta), mulRow[float32], nil)
		defer c.run.drop(added)
	}
	defer c.run.drop(result)
	return c.combine(result, added, addRow[float32], addRow[int64])
}

func scale(v []float32, factor float32) {
	if factor == 1 {
		return
	}
	for i := range v {
		v[i] *= factor
	}
}
