package quantify

// adjusted solves what was observed for the mix: what is observed of documents of each
// category is known from the lessons, and a mix of them must be what is observed of
// the posts.
func (e *Estimator) adjusted(observed []float64, told func(*lesson) []float64) []float64 {
	return onSimplex(e.expected(told), observed)
}

// expected returns, for each category, the mean of what is told of its lessons. A
// category without lessons is told without error.
func (e *Estimator) expected(told func(*lesson) []float64) [][]float64 {
	means := make([][]float64, e.categories)
	for k := range means {
		means[k] = make([]float64, e.categories)
	}
	sums := make([]float64, e.categories)
	for i := range e.lessons {
		l := &e.lessons[i]
		sums[l.category] += l.weight
		for j, v := range told(l) {
			means[l.category][j] += v * l.weight
		}
	}
	for k := range means {
		if sums[k] == 0 {
			means[k][k] = 1
		}
		normalise(means[k])
	}
	return means
}
