package quantify

// patternLimits are the top scores that separate vague, likely and certain predictions.
var patternLimits = [...]float64{0.4, 0.7}

// patterns are the frequencies of score patterns among the examples of each category. A pattern is
// the predicted category and how certain the prediction is.
type patterns struct {
	frequencies [][]float64 // by category and pattern
	variances   []float64   // by category; the variance of the frequencies per document
}

func newPatterns(categories int, examples []example) *patterns {
	ps := &patterns{frequencies: make([][]float64, categories), variances: make([]float64, categories)}
	for k := range ps.frequencies {
		ps.frequencies[k] = make([]float64, categories*(len(patternLimits)+1))
	}
	counts := make([]float64, categories)
	for i := range examples {
		x := &examples[i]
		counts[x.category]++
		addPattern(ps.frequencies[x.category], x.scores, x.predicted, 1)
	}
	for k, frequencies := range ps.frequencies {
		for i := range frequencies {
			frequencies[i] /= max(counts[k], 1)
			ps.variances[k] += frequencies[i] * (1 - frequencies[i])
		}
	}
	return ps
}

// addPattern adds a post to the pattern of its scores.
func addPattern(frequencies, scores, predicted []float64, weight float64) {
	top := 0.0
	for _, s := range scores {
		top = max(top, s)
	}
	certainty := 0
	for certainty < len(patternLimits) && top >= patternLimits[certainty] {
		certainty++
	}
	for k, v := range predicted {
		frequencies[k*(len(patternLimits)+1)+certainty] += v * weight
	}
}

// misfitTolerance is the tolerance of the mix that the misfit is measured at.
const misfitTolerance = 1e-3

// misfit returns how far the score patterns of a bag are from what the best mix predicts: the squared
// distance, less what the choice of posts explains, as a multiple of what the choice of training
// documents explains. Without drift it is about 1 or less. If posts have changed since training, it
// grows with the number of documents, because more documents explain less.
func (e *Estimator) misfit(b *bag, likelihoods [][]float64) float64 {
	mix := maximize(likelihoods, b.posts, nil, b.anchorAt(b.posts, e.anchorWeight(0)), misfitTolerance)
	observed := make([]float64, len(e.patterns.frequencies[0]))
	predicted := b.predictions()
	for i, scores := range b.scores() {
		addPattern(observed, scores, predicted[i], b.posts[i]/b.total)
	}
	distance, expected := 0.0, 0.0
	for i, o := range observed {
		d := o
		for k, p := range mix {
			d -= p * e.patterns.frequencies[k][i]
		}
		distance += d*d - o*(1-o)/b.total
	}
	unseen := 1 / (e.documents + 1) // share of posts whose pattern no document shows
	for k, p := range mix {
		expected += p * p * (e.patterns.variances[k] + unseen)
	}
	return max(0, distance/expected*e.documents)
}
