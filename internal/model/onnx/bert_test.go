package onnx

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A bert is a small DistilBERT-like classifier with random weights. It can be written as the graph
// that exporters produce, and computed directly.
type bert struct {
	vocabulary, positions, hidden, heads, inner, labels int

	words, places []float32
	norm          [2][]float32
	layers        []bertLayer
	dense, last   linear
}

type linear struct {
	in, out      int
	weight, bias []float32 // the weight is in × out
}

type bertLayer struct {
	query, key, value, merge, up, down linear
	normA, normB                       [2][]float32
}

func newBert(layers, hidden, heads, labels int) *bert {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int, size, middle float64) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(middle + size*r.NormFloat64())
		}
		return v
	}
	dense := func(in, out int) linear {
		return linear{in, out, random(in*out, 1/math.Sqrt(float64(in)), 0), random(out, 0.1, 0)}
	}
	norm := func() [2][]float32 { return [2][]float32{random(hidden, 0.1, 1), random(hidden, 0.1, 0)} }
	b := &bert{vocabulary: 50, positions: 160, hidden: hidden, heads: heads, inner: 4 * hidden, labels: labels}
	b.words, b.places, b.norm = random(b.vocabulary*hidden, 1, 0), random(b.positions*hidden, 1, 0), norm()
	for range layers {
		b.layers = append(b.layers, bertLayer{
			dense(hidden, hidden), dense(hidden, hidden), dense(hidden, hidden), dense(hidden, hidden),
			dense(hidden, b.inner), dense(b.inner, hidden), norm(), norm(),
		})
	}
	b.dense, b.last = dense(hidden, hidden), dense(hidden, labels)
	return b
}

// graph writes the operators of an exported model.
func (b *bert) graph() *graph {
	g := &graph{opset: 14}
	ids := g.input("input_ids", typeInt64, -1, -1)
	mask := g.input("attention_mask", typeInt64, -1, -1)
	length := g.op("Gather", []string{g.op("Shape", []string{ids}), g.ints([]int64{1})}, attribute{"axis", 0})
	all := make([]int64, b.positions)
	for i := range all {
		all[i] = int64(i)
	}
	places := g.op("Slice", []string{g.ints(all, 1, b.positions), g.list(0),
		g.op("Unsqueeze", []string{length, g.list(0)}), g.list(1)})
	x := g.op("Add", []string{
		g.op("Gather", []string{g.weights(b.words, b.vocabulary, b.hidden), ids}),
		g.op("Gather", []string{g.weights(b.places, b.positions, b.hidden), places}),
	})
	x = b.graphNorm(g, x, b.norm)
	hidden := g.op("Equal", []string{mask, g.ints([]int64{0})})
	hidden = g.op("Unsqueeze", []string{hidden, g.list(1, 2)})
	for _, layer := range b.layers {
		x = b.graphLayer(g, x, hidden, length, layer)
	}
	x = g.op("Gather", []string{x, g.ints([]int64{0})}, attribute{"axis", 1})
	x = g.op("Relu", []string{graphGemm(g, x, b.dense)})
	g.output(graphGemm(g, x, b.last), "out")
	return g
}

func (b *bert) graphLayer(g *graph, x, hidden, length string, l bertLayer) string {
	size := b.hidden / b.heads
	split := func(v string, order []int) string {
		shape := g.op("Concat", []string{g.list(-1), g.op("Unsqueeze", []string{length, g.list(0)}), g.list(int64(b.heads), int64(size))}, attribute{"axis", 0})
		return g.op("Transpose", []string{g.op("Reshape", []string{v, shape})}, attribute{"perm", order})
	}
	q := g.op("Div", []string{split(graphLinear(g, x, l.query), []int{0, 2, 1, 3}), g.weights([]float32{float32(math.Sqrt(float64(size)))})})
	k := split(graphLinear(g, x, l.key), []int{0, 2, 3, 1})
	v := split(graphLinear(g, x, l.value), []int{0, 2, 1, 3})
	scores := g.op("MatMul", []string{q, k})
	shape := g.op("Shape", []string{scores})
	wide := g.op("Expand", []string{hidden, shape})
	scores = g.op("Where", []string{wide, g.weights([]float32{-math.MaxFloat32}), scores})
	y := g.op("MatMul", []string{g.op("Softmax", []string{scores}, attribute{"axis", -1}), v})
	y = g.op("Transpose", []string{y}, attribute{"perm", []int{0, 2, 1, 3}})
	y = g.op("Reshape", []string{y, g.list(0, -1, int64(b.hidden))})
	x = b.graphNorm(g, g.op("Add", []string{graphLinear(g, y, l.merge), x}), l.normA)
	y = graphLinear(g, x, l.up)
	bent := g.op("Erf", []string{g.op("Div", []string{y, g.weights([]float32{math.Sqrt2})})})
	y = g.op("Mul", []string{y, g.op("Add", []string{bent, g.weights([]float32{1})})})
	y = g.op("Mul", []string{y, g.weights([]float32{0.5})})
	return b.graphNorm(g, g.op("Add", []string{graphLinear(g, y, l.down), x}), l.normB)
}

func graphLinear(g *graph, x string, l linear) string {
	return g.op("Add", []string{g.weights(l.bias, l.out), g.op("MatMul", []string{x, g.weights(l.weight, l.in, l.out)})})
}

func graphGemm(g *graph, x string, l linear) string {
	turned := make([]float32, len(l.weight))
	for i := range l.in {
		for o := range l.out {
			turned[o*l.in+i] = l.weight[i*l.out+o]
		}
	}
	return g.op("Gemm", []string{x, g.weights(turned, l.out, l.in), g.weights(l.bias, l.out)}, attribute{"transB", 1})
}

func (b *bert) graphNorm(g *graph, x string, norm [2][]float32) string {
	axes := attribute{"axes", []int{-1}}
	off := g.op("Sub", []string{x, g.op("ReduceMean", []string{x}, axes)})
	spread := g.op("ReduceMean", []string{g.op("Pow", []string{off, g.weights([]float32{2})})}, axes)
	root := g.op("Sqrt", []string{g.op("Add", []string{spread, g.weights([]float32{1e-12})})})
	x = g.op("Mul", []string{g.op("Div", []string{off, root}), g.weights(norm[0], b.hidden)})
	return g.op("Add", []string{x, g.weights(norm[1], b.hidden)})
}

// compute is a straightforward reference implementation of the model.
func (b *bert) compute(ids []int64) []float64 {
	var x [][]float64
	for i, id := range ids {
		v := make([]float64, b.hidden)
		for j := range v {
			v[j] = float64(b.words[int(id)*b.hidden+j]) + float64(b.places[i*b.hidden+j])
		}
		x = append(x, computeNorm(v, b.norm))
	}
	for _, l := range b.layers {
		x = b.computeLayer(x, l)
	}
	v := b.dense.compute(x[0])
	for i := range v {
		v[i] = max(v[i], 0)
	}
	return b.last.compute(v)
}

func (b *bert) computeLayer(x [][]float64, l bertLayer) [][]float64 {
	size := b.hidden / b.heads
	var q, k, v [][]float64
	for _, word := range x {
		q, k, v = append(q, l.query.compute(word)), append(k, l.key.compute(word)), append(v, l.value.compute(word))
	}
	var result [][]float64
	for i := range x {
		mixed := make([]float64, b.hidden)
		for h := 0; h < b.hidden; h += size {
			shares, total := make([]float64, len(x)), 0.0
			for j := range x {
				dot := 0.0
				for d := h; d < h+size; d++ {
					dot += q[i][d] * k[j][d]
				}
				shares[j] = math.Exp(dot / math.Sqrt(float64(size)))
				total += shares[j]
			}
			for j := range x {
				for d := h; d < h+size; d++ {
					mixed[d] += shares[j] / total * v[j][d]
				}
			}
		}
		y := computeNorm(sumOf(l.merge.compute(mixed), x[i]), l.normA)
		up := l.up.compute(y)
		for j, u := range up {
			up[j] = u / 2 * (1 + math.Erf(u/math.Sqrt2))
		}
		result = append(result, computeNorm(sumOf(l.down.compute(up), y), l.normB))
	}
	return result
}

func sumOf(a, b []float64) []float64 {
	for i := range a {
		a[i] += b[i]
	}
	return a
}

func (l linear) compute(x []float64) []float64 {
	y := make([]float64, l.out)
	for o := range y {
		y[o] = float64(l.bias[o])
		for i, v := range x {
			y[o] += v * float64(l.weight[i*l.out+o])
		}
	}
	return y
}

func computeNorm(v []float64, norm [2][]float32) []float64 {
	mean, spread := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		spread += (x - mean) * (x - mean) / float64(len(v))
	}
	y := make([]float64, len(v))
	for i, x := range v {
		y[i] = (x-mean)/math.Sqrt(spread+1e-12)*float64(norm[0][i]) + float64(norm[1][i])
	}
	return y
}

// runBert runs the graph on a text padded to the given length.
func runBert(t testing.TB, p *program, ids []int64, length int) []float32 {
	t.Helper()
	padded, mask := make([]int64, length), make([]int64, length)
	copy(padded, ids)
	for i := range ids {
		mask[i] = 1
	}
	out, err := p.run([]*tensor{
		{kind: integer, shape: []int{1, length}, ints: padded},
		{kind: integer, shape: []int{1, length}, ints: mask},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.floats
}

func TestBertGraphMatchesReference(t *testing.T) {
	b := newBert(2, 24, 3, 5)
	p := b.graph().program(t)
	for _, ids := range [][]int64{{1}, {1, 2}, {3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, slices.Repeat([]int64{7, 49, 0}, 13)} {
		want := b.compute(ids)
		for _, length := range []int{len(ids), len(ids) + 5, len(ids)} {
			got := runBert(t, p, ids, length)
			for i := range want {
				if math.Abs(float64(got[i])-want[i]) > 1e-4 {
					t.Errorf("%d tokens of %d: got %v, want %v", len(ids), length, got, want)
					break
				}
			}
		}
	}
}

// BenchmarkMiniLM runs a model of the size of the 6-layer MiniLM on 32 tokens.
func BenchmarkMiniLM(b *testing.B) {
	p := newBert(6, 384, 12, 3).graph().program(b)
	ids := make([]int64, 32)
	for b.Loop() {
		runBert(b, p, ids, len(ids))
	}
}

// BenchmarkDistilBERT runs a model of the size of DistilBERT on 32 tokens.
func BenchmarkDistilBERT(b *testing.B) {
	p := newBert(6, 768, 12, 3).graph().program(b)
	ids := make([]int64, 32)
	for b.Loop() {
		runBert(b, p, ids, len(ids))
	}
}
