package train

import (
	"math"
	"math/rand/v2"

	"earshot/internal/sentiment"
)

const (
	filters = sentiment.Filters
	width   = 3 * filters // of what filters have for a word: as first, middle and last
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
	head                     weights // a row of outputs for each of: most, sum of filters, signals
	random                   *rand.Rand
}

const inputs = 2*filters + sentiment.Signals // of the head

func newNet(v *vocabulary, known vectors, s settings) *net {
	n := &net{
		vocabulary: v, settings: s,
		wordWeights: newWeights(len(v.words.hashes), outputs),
		partWeights: newWeights(len(v.parts.hashes), outputs),
		biasWeights: newWeights(maxBiases, outputs),
		vectors:     newWeights(len(v.tokens.hashes), dims),
		filters:     newAdam(width * dims),
		threshold:   newWeights(1, filters),
		head:        newWeights(inputs, outputs),
		random:      rand.New(rand.NewPCG(s.Seed, 0)),
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

// dot and axpy take most of the time, so they go four numbers at a time.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for i := 0; i+3 < len(a); i += 4 {
		s0 += float32(a[i] * b[i])
		s1 += float32(a[i+1] * b[i+1])
		s2 += float32(a[i+2] * b[i+2])
		s3 += float32(a[i+3] * b[i+3])
	}
	return s0 + s1 + s2 + s3
}

// axpy adds a*x to y.
func axpy(y []float32, a float32, x []float32) {
	x = x[:len(y)]
	for i := 0; i+3 < len(y); i += 4 {
		y[i] += float32(a * x[i])
		y[i+1] += float32(a * x[i+1])
		y[i+2] += float32(a * x[i+2])
		y[i+3] += float32(a * x[i+3])
	}
}
