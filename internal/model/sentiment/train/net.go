package train

import (
	"math"
	"math/rand/v2"

	"earshot/internal/model/sentiment"
)

const (
	nets    = 2                        // nets in the ensemble
	filters = sentiment.Filters / nets // filters per net
	width   = 3 * filters              // of projections: as first, middle and last token
)

// weights is a matrix of weights with AdaGrad state. Weights that have changed more take smaller
// steps.
type weights struct {
	row     int
	values  []float32
	squares []float32
}

func newWeights(rows, row int) weights {
	w := weights{row, make([]float32, rows*row), make([]float32, rows*row)}
	for i := range w.squares {
		w.squares[i] = 1e-6
	}
	return w
}

func (w *weights) at(i int32) []float32 { return w.values[int(i)*w.row : (int(i)+1)*w.row] }

// update makes an AdaGrad step for weight i.
func (w *weights) update(i int, gradient, rate float32) {
	w.squares[i] += float32(gradient * gradient)
	w.values[i] -= float32(rate*gradient) / float32(math.Sqrt(float64(w.squares[i])))
}

// updateRow makes an AdaGrad step for the weights from ... to-1 of row i. The gradient is by × g.
func (w *weights) updateRow(i int32, g *[outputs]float32, by float32, from, to int, rate float32) {
	values, squares := w.at(i)[from:to], w.squares[int(i)*w.row+from:int(i)*w.row+to]
	for k, x := range g[from:to] {
		gradient := float32(by * x)
		square := squares[k] + float32(gradient*gradient)
		squares[k] = square
		values[k] -= float32(rate*gradient) / float32(math.Sqrt(float64(square)))
	}
}

// A net is a network in training.
type net struct {
	*vocabulary
	settings
	wordWeights, ngramWeights weights // outputs per feature
	biasWeights               weights
	vectors                   weights // dims per word
	filters                   adam    // width rows of dims

	threshold weights // per filter
	head      weights // outputs per input
	signals   weights // outputs per signal, for each set of weights; see signalSets
	random    *rand.Rand
}

// inputs is the number of inputs of the head: maxima and sums of filters.
const inputs = 2 * filters

// newNet returns an untrained net. Nets with different numbers have different initial weights and
// visit the examples in different orders.
func newNet(number int, v *vocabulary, known vectors, s settings) *net {
	n := &net{
		vocabulary: v, settings: s,
		wordWeights:  newWeights(len(v.words.hashes), outputs),
		ngramWeights: newWeights(len(v.ngrams.hashes), outputs),
		biasWeights:  newWeights(len(v.biases), outputs),
		vectors:      newWeights(len(v.tokens.hashes), dims),
		filters:      newAdam(width * dims),
		threshold:    newWeights(1, filters),
		head:         newWeights(inputs, outputs),
		signals:      newWeights((2+sentiment.MaxLanguages)*sentiment.Signals, outputs),
		random:       rand.New(rand.NewPCG(s.Seed, uint64(number))),
	}
	for i := range n.filters.values {
		n.filters.values[i] = float32(n.random.NormFloat64() / math.Sqrt(3*dims))
	}
	for i := range n.head.values {
		n.head.values[i] = float32(n.random.NormFloat64() * 0.05)
	}
	for i, absent := range v.absent {
		for k, yes := range absent {
			if yes {
				n.biasWeights.at(int32(i))[k] = absentBias
			}
		}
	}
	for i, hash := range v.tokens.hashes {
		for d, x := range known[hash] {
			n.vectors.at(int32(i))[d] = x * vectorScale
		}
	}
	return n
}

// absentBias is the bias of a class that a group of texts does not have. It is so low that the texts
// teach nothing about the class.
const absentBias = -12

// vectorScale scales word vectors to match the initial size of filters.
const vectorScale = 1.7

// An adam holds weights with the state of the Adam optimizer.
type adam struct {
	values, gradient, mean, square []float32
	steps, waiting                 int
}

func newAdam(n int) adam {
	return adam{values: make([]float32, n), gradient: make([]float32, n), mean: make([]float32, n), square: make([]float32, n)}
}

// batch is the batch size for Adam.
const batch = 16

// step updates the weights once per batch.
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

// dots stores the dot products of x with four consecutive rows in out[:4]. Training spends most of
// its time here, so it uses eight independent sums.
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

// axpy adds a*x to y. Both have dims elements.
func axpy(y []float32, a float32, x []float32) {
	to, from := (*[dims]float32)(y), (*[dims]float32)(x)
	for i := range to {
		to[i] += float32(a * from[i])
	}
}
