package train

import (
	"math"
	"math/rand/v2"

	"earshot/internal/model/sentiment"
)

const (
	nets    = 2                        // that the model is made of
	filters = sentiment.Filters / nets // of each
	width   = 3 * filters              // of what filters have for a word: as first, middle and last
)

// A weight table has rows of weights that AdaGrad moves: each weight remembers how much
// it was moved, and moves the less.
type weights struct {
	row    int
	values []float32
	moved  []float32
}

func newWeights(rows, row int) weights {
	return weights{row, make([]float32, rows*row), make([]float32, rows*row)}
}

func (w *weights) at(i int32) []float32 { return w.values[int(i)*w.row : (int(i)+1)*w.row] }

// move takes a step of AdaGrad against the gradient of weight i.
func (w *weights) move(i int, gradient, rate float32) {
	w.moved[i] += float32(gradient * gradient)
	w.values[i] -= float32(rate * gradient / float32(math.Sqrt(float64(w.moved[i])+1e-6)))
}

// A net is the model while it learns.
type net struct {
	*vocabulary
	settings
	wordWeights, partWeights weights // outputs for each feature
	biasWeights              weights
	vectors                  weights // dims for each word under filters
	filters                  adam    // width rows of dims
	threshold                weights // of filters
	head                     weights // a row of outputs for each of inputs
	random                   *rand.Rand
}

// inputs of the head: most and sum of filters, signals of English, signals of others.
const inputs = 2*filters + 2*sentiment.Signals

// newNet returns a net that has learnt nothing yet. Nets with different numbers start
// from different places and meet the examples in different orders.
func newNet(number int, v *vocabulary, known vectors, s settings) *net {
	n := &net{
		vocabulary: v, settings: s,
		wordWeights: newWeights(len(v.words.hashes), outputs),
		partWeights: newWeights(len(v.parts.hashes), outputs),
		biasWeights: newWeights(maxBiases, outputs),
		vectors:     newWeights(len(v.tokens.hashes), dims),
		filters:     newAdam(width * dims),
		threshold:   newWeights(1, filters),
		head:        newWeights(inputs, outputs),
		random:      rand.New(rand.NewPCG(s.Seed, uint64(number))),
	}
	for i := range n.filters.values {
		n.filters.values[i] = float32(n.random.NormFloat64() / math.Sqrt(3*dims))
	}
	for i := range n.head.values {
		n.head.values[i] = float32(n.random.NormFloat64() * 0.05)
	}
	for i, hash := range v.tokens.hashes {
		for d, x := range known[hash] {
			n.vectors.at(int32(i))[d] = x * vectorScale
		}
	}
	return n
}

// maxBiases is more than there are languages and sets.
const maxBiases = 128

// vectorScale brings word vectors to the size that filters start from.
const vectorScale = 1.7

// An adam has weights that all move at each step.
type adam struct {
	values, gradient, mean, square []float32
	steps, waiting                 int
}

func newAdam(n int) adam {
	return adam{values: make([]float32, n), gradient: make([]float32, n), mean: make([]float32, n), square: make([]float32, n)}
}

// batch is how many texts share a step of adam.
const batch = 16

// step moves the weights when batch gradients have come together.
func (a *adam) step(rate float64) {
	if a.waiting++; a.waiting < batch {
		return
	}
	a.waiting = 0
	a.steps++
	mean := float32(1 - math.Pow(0.9, float64(a.steps)))
	square := float32(1 - math.Pow(0.999, float64(a.steps)))
	for i, g := range a.gradient {
		a.mean[i] = float32(0.9*a.mean[i]) + float32(0.1*g)
		a.square[i] = float32(0.999*a.square[i]) + float32(0.001*float32(g*g))
		a.values[i] -= float32(float32(rate) * float32(a.mean[i]/mean) / float32(math.Sqrt(float64(a.square[i]/square))+1e-5))
		a.gradient[i] = 0
	}
}

// dots fills out[:4] with the products of x and four rows of weights that follow one
// another. Here most of the time goes, so eight sums are kept apart.
func dots(out, rows, x []float32) {
	w0, w1 := (*[dims]float32)(rows), (*[dims]float32)(rows[dims:])
	w2, w3 := (*[dims]float32)(rows[2*dims:]), (*[dims]float32)(rows[3*dims:])
	v := (*[dims]float32)(x)
	var a0, a1, a2, a3, b0, b1, b2, b3 float32
	for i := 0; i < dims-1; i += 2 {
		a0 += float32(w0[i] * v[i])
		a1 += float32(w1[i] * v[i])
		a2 += float32(w2[i] * v[i])
		a3 += float32(w3[i] * v[i])
		b0 += float32(w0[i+1] * v[i+1])
		b1 += float32(w1[i+1] * v[i+1])
		b2 += float32(w2[i+1] * v[i+1])
		b3 += float32(w3[i+1] * v[i+1])
	}
	out[0], out[1], out[2], out[3] = a0+b0, a1+b1, a2+b2, a3+b3
}

// axpy adds a*x to y, both of dims numbers.
func axpy(y []float32, a float32, x []float32) {
	to, from := (*[dims]float32)(y), (*[dims]float32)(x)
	for i := range to {
		to[i] += float32(a * from[i])
	}
}
