package quantify

import "math/rand/v2"

const (
	patternSubsets    = 30  // of categories, whose patterns are averaged over
	patternCategories = 3   // of a subset
	patternSmoothing  = 0.5 // documents that every pattern is given
)

// patternBins are the shares at which a bin ends and the next begins.
var patternBins = []float64{0.1, 0.5}

// hopkinsKing estimates from patterns alone: how often which bins of shares occur together
// must be the mix of how often they do among the lessons of each category. Patterns of all
// categories would be too many, so it takes those of many subsets, all at once.
func (e *Estimator) hopkinsKing(b bag) []float64 {
	random := rand.New(rand.NewPCG(1, uint64(e.categories)))
	columns, seen, shares := make([][]float64, e.categories), []float64(nil), b.shares()
	for range patternSubsets {
		subset := random.Perm(e.categories)[:min(patternCategories, e.categories)]
		seen = append(seen, frequencies(subset, 0, len(shares), func(i int) ([]float64, float64) {
			return shares[i], b.posts[i]
		})...)
		for k := range columns {
			columns[k] = append(columns[k], frequencies(subset, patternSmoothing, len(e.lessons), func(i int) ([]float64, float64) {
				if l := &e.lessons[i]; l.category == k {
					return l.shares, l.weight
				}
				return nil, 0
			})...)
		}
	}
	return onSimplex(columns, seen)
}

// frequencies returns how often each pattern of a subset occurs.
func frequencies(subset []int, smoothing float64, n int, item func(int) (shares []float64, weight float64)) []float64 {
	patterns := 1
	for range subset {
		patterns *= len(patternBins) + 1
	}
	out := make([]float64, patterns)
	for i := range out {
		out[i] = smoothing / float64(patterns)
	}
	for i := range n {
		if shares, weight := item(i); weight > 0 {
			out[patternOf(shares, subset)] += weight
		}
	}
	return normalise(out)
}

// patternOf numbers the combination of bins of the shares of a subset.
func patternOf(shares []float64, subset []int) int {
	pattern := 0
	for _, k := range subset {
		bin := 0
		for bin < len(patternBins) && shares[k] >= patternBins[bin] {
			bin++
		}
		pattern = pattern*(len(patternBins)+1) + bin
	}
	return pattern
}
