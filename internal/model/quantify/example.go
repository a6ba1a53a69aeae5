package quantify

import "math"

// An example is an [Example] with its scores quantized like those of stored posts.
type example struct {
	scores    []float64
	assigned  []float64 // one-hot prediction from the scores before quantization
	predicted []float64 // and from their levels, see predict
	logRatios []float64 // centered log-ratios, see Estimator.logRatios
	category  int
	document  int     // dense document number
	weight    float64 // class weight, see balance
}

// newExamples converts examples and balances their weights.
func (e *Estimator) newExamples(list []Example) []example {
	var out []example
	documents := map[[2]int]int{}
	for _, x := range list {
		if x.Category < 0 || x.Category >= e.categories || len(x.Scores) != e.categories {
			continue
		}
		source := [2]int{x.Category, x.Document}
		if x.Document == 0 {
			source = [2]int{-1, len(out)}
		}
		number, ok := documents[source]
		if !ok {
			number = len(documents)
			documents[source] = number
		}
		key := string(appendKey(nil, x.Scores))
		scores := dequantize(key[:e.categories])
		out = append(out, example{
			scores: scores, assigned: assigned(key, e.categories), predicted: predict(key[:e.categories]), logRatios: e.logRatios(scores),
			category: x.Category, document: number,
		})
	}
	balance(e.categories, out, func(*example) float64 { return 1 })
	return out
}

// balance gives every category the same total weight: the harmonic mean of the categories' document
// counts, because the rarest categories limit the accuracy. multiplicity returns how many times an
// example counts.
func balance(categories int, examples []example, multiplicity func(*example) float64) {
	total := meanDocuments(categories, examples)
	sums := make([]float64, categories)
	for i := range examples {
		sums[examples[i].category] += multiplicity(&examples[i])
	}
	for i := range examples {
		x := &examples[i]
		x.weight = 0
		if sums[x.category] > 0 {
			x.weight = multiplicity(x) / sums[x.category] * total
		}
	}
}

// meanDocuments returns the harmonic mean of the document counts, over the categories that have
// documents.
func meanDocuments(categories int, examples []example) float64 {
	seen := map[int]bool{}
	counts := make([]float64, categories)
	for i := range examples {
		if x := &examples[i]; !seen[x.document] {
			seen[x.document] = true
			counts[x.category]++
		}
	}
	n, inverse := 0.0, 0.0
	for _, c := range counts {
		if c > 0 {
			n, inverse = n+1, inverse+1/c
		}
	}
	if n == 0 {
		return 0
	}
	return n / inverse
}

// logRatios returns the centered log-ratios of scores to the prior, which calibrations scale.
func (e *Estimator) logRatios(scores []float64) []float64 {
	ratios, mean := make([]float64, len(scores)), 0.0
	for k, s := range scores {
		ratios[k] = math.Log(max(s, minScore/2) / e.prior[k])
		mean += ratios[k] / float64(len(scores))
	}
	for k := range ratios {
		ratios[k] -= mean
	}
	return ratios
}
