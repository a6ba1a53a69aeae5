package opinion

import (
	"math"

	"earshot/internal/model/classify"
)

// Settings of [classify.Regression]. Regularization between 4 and 30 makes little difference
// because scores are calibrated afterward. More passes do not improve scores either.
const (
	regularization = 10
	tolerance      = 0.01 // training stops when the mean change in the scores is smaller
	maxPasses      = 12
)

// A classifier is fitted to a subset of the examples.
type classifier struct {
	corpus        *corpus
	unknownIDF    uint8     // idf of features that no training example has
	idf           []uint8   // by feature
	concentration []float32 // by feature; 0 for features that no training example has
	regression    *classify.Regression
}

// fit fits a classifier to the selected examples.
func (c *corpus) fit(selected func(*example) bool) *classifier {
	var chosen []*example
	counts := make([]int, len(c.categories))
	entries := 0
	for i := range c.examples {
		if e := &c.examples[i]; selected(e) {
			chosen = append(chosen, e)
			counts[e.class]++
			entries += len(e.features)
		}
	}
	m := &classifier{corpus: c, unknownIDF: idf(0, len(chosen))}
	weights := classWeights(counts, len(chosen))
	m.weightFeatures(chosen, weights)
	values := make([]float32, 0, entries)
	examples := make([]classify.Example, len(chosen))
	for i, e := range chosen {
		start := len(values)
		values = m.appendValues(values, e)
		examples[i] = classify.Example{Features: e.features, Values: values[start:], Class: e.class, Weight: weights[e.class]}
	}
	m.regression = classify.NewRegression(len(c.categories), len(c.features), regularization, examples)
	for range maxPasses {
		if m.regression.Pass() < tolerance || c.canceled() {
			break
		}
	}
	return m
}

// classWeights returns weights that give all categories the same total weight, whatever their
// document counts.
func classWeights(counts []int, total int) []float32 {
	weights := make([]float32, len(counts))
	for k, n := range counts {
		weights[k] = float32(total) / float32(len(counts)*max(n, 1))
	}
	return weights
}

// predict adds the logits of an example to logits.
func (m *classifier) predict(e *example, logits []float32) {
	m.regression.Sums(classify.Example{Features: e.features, Values: m.appendValues(nil, e)}, logits)
}

// idfSteps is the quantized inverse document frequency (idf) of a feature that occurs in all
// documents.
const idfSteps = 16

// idf returns the quantized inverse document frequency of a feature, which is the square of its
// value.
func idf(documents, total int) uint8 {
	return uint8(min(255, math.Round(idfSteps*(1+math.Log(float64(total+1)/float64(documents+1))))))
}

// idfRoots maps an idf to the feature's value.
var idfRoots = func() (values [256]float32) {
	for i := range values {
		values[i] = float32(math.Sqrt(float64(i) / idfSteps))
	}
	return values
}()

// blockScale returns the factor that normalizes the values of a block to the block's weight. length
// is twice the sum of the idfs of its features.
func blockScale(block, length int) float32 {
	if length == 0 {
		return 0
	}
	return blockWeight[block] * float32(math.Sqrt(2*idfSteps/float64(length)))
}

// A feature without information gets about half the weight of one that occurs in a single category.
const (
	minConcentration = 0.05
	smoothing        = 0.5 // pseudocount in documents, spread over all categories
)

// weightFeatures computes the idf and the concentration of all features.
func (m *classifier) weightFeatures(examples []*example, weights []float32) {
	k, n := len(weights), len(m.corpus.features)
	documents, byClass := make([]int32, n), make([]float32, n*k)
	for _, e := range examples {
		for _, f := range e.features {
			documents[f]++
			byClass[int(f)*k+e.class] += weights[e.class]
		}
	}
	idfs := make([]uint8, len(examples)+1)
	for i := range idfs {
		idfs[i] = idf(i, len(examples))
	}
	m.idf, m.concentration = make([]uint8, n), make([]float32, n)
	for f, count := range documents {
		m.idf[f] = idfs[count]
		m.concentration[f] = concentration(byClass[f*k:][:k])
	}
}

// concentration returns how strongly a feature with the given class frequencies concentrates on few
// categories, or 0 if it occurs in none.
func concentration(frequencies []float32) float32 {
	var sum, squares float64
	for _, n := range frequencies {
		sum += float64(n)
		squares += float64(float64(n) * float64(n))
	}
	if sum == 0 {
		return 0
	}
	// The sum of squared class probabilities after smoothing.
	k, total := float64(len(frequencies)), sum+smoothing
	squares = (squares + (2*sum+smoothing)*smoothing/k) / (total * total)
	return float32(math.Sqrt(math.Sqrt(minConcentration + max(0, (k*squares-1)/(k-1)))))
}

// appendValues appends the values of an example's features. Features that no training example has
// get the value 0 and half a contribution to the length of their block.
func (m *classifier) appendValues(dst []float32, e *example) []float32 {
	start := 0
	for b, end := range e.ends {
		length := 0
		for _, f := range e.features[start:end] {
			if m.concentration[f] == 0 {
				length += int(m.unknownIDF)
			} else {
				length += 2 * int(m.idf[f])
			}
		}
		scale := blockScale(b, length)
		for _, f := range e.features[start:end] {
			dst = append(dst, float32(scale*idfRoots[m.idf[f]])*m.concentration[f])
		}
		start = end
	}
	return dst
}

// featureWeights stores the contribution of a feature to the logits, before block scaling and
// centered over the categories.
func (m *classifier) featureWeights(f int, weights []float32) {
	factor := m.concentration[f] * idfRoots[m.idf[f]]
	var mean float32
	for k := range weights {
		weights[k] = factor * m.regression.Weights[f*len(weights)+k]
		mean += weights[k] / float32(len(weights))
	}
	for k := range weights {
		weights[k] -= mean
	}
}
