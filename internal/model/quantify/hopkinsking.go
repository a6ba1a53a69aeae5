package quantify

import "math/rand/v2"

const (
	patternSubsets    = 30  // subsets of categories to average over; more cost time
	patternCategories = 3   // categories per subset; larger subsets have too many patterns
	patternSmoothing  = 0.5 // pseudocount, spread over all patterns
)

// patternBins are the scores that separate bins.
var patternBins = []float64{0.1, 0.5}

// hopkinsKing implements Hopkins and King (2010): the frequencies of score patterns in the sample
// are a mixture of their frequencies among the examples of each category. Patterns over all
// categories would be too sparse, so it stacks the patterns of random subsets.
func (e *Estimator) hopkinsKing(b bag) []float64 {
	random := rand.New(rand.NewPCG(1, uint64(e.categories)))
	columns, observed, scores := make([][]float64, e.categories), []float64(nil), b.scores()
	for range patternSubsets {
		subset := random.Perm(e.categories)[:min(patternCategories, e.categories)]
		observed = append(observed, frequencies(subset, 0, len(scores), func(i int) ([]float64, float64) {
			return scores[i], b.posts[i]
		})...)
		for k := range columns {
			columns[k] = append(columns[k], frequencies(subset, patternSmoothing, len(e.examples), func(i int) ([]float64, float64) {
				if x := &e.examples[i]; x.category == k {
					return x.scores, x.weight
				}
				return nil, 0
			})...)
		}
	}
	return fitMixture(columns, observed)
}

// frequencies returns the frequency of each pattern of a subset.
func frequencies(subset []int, smoothing float64, n int, item func(int) (scores []float64, weight float64)) []float64 {
	patterns := 1
	for range subset {
		patterns *= len(patternBins) + 1
	}
	out := make([]float64, patterns)
	for i := range out {
		out[i] = smoothing / float64(patterns)
	}
	for i := range n {
		if scores, weight := item(i); weight > 0 {
			out[patternOf(scores, subset)] += weight
		}
	}
	return normalize(out)
}

// patternOf returns the number of the pattern that the scores form on a subset.
func patternOf(scores []float64, subset []int) int {
	pattern := 0
	for _, k := range subset {
		bin := 0
		for bin < len(patternBins) && scores[k] >= patternBins[bin] {
			bin++
		}
		pattern = pattern*(len(patternBins)+1) + bin
	}
	return pattern
}
