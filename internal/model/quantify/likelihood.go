package quantify

import "sync"

// A likelihoodCache caches likelihoods by score levels, because the same levels occur on many days.
type likelihoodCache struct {
	mu   sync.Mutex
	rows map[string][]float64 // guarded by mu
}

// maxCachedValues limits the cache to 4 MB. A larger cache would rarely help.
const maxCachedValues = 1 << 19

// likelihoods returns, for each group, the likelihood of its scores in each category, up to a
// constant factor.
func (e *Estimator) likelihoods(method Method, b bag) [][]float64 {
	rows := make([][]float64, len(b.keys))
	var buffer []neighbor
	switch method {
	case ExpectationMaximization:
		for i, scores := range b.scores() {
			rows[i] = e.plain(scores)
		}
	case Calibrated:
		for i, scores := range b.scores() {
			rows[i], _ = e.likelihood(scores, 0, nil)
		}
	case KernelDensity:
		for i, scores := range b.scores() {
			rows[i], buffer = e.likelihood(scores, 1, buffer)
		}
	case Blended:
		for i, scores := range b.scores() {
			rows[i], buffer = e.likelihood(scores, e.kernelWeight, buffer)
		}
	default:
		e.cache.fill(b.categories, b.keys, rows, func(levels string) []float64 {
			var row []float64
			scores := dequantize(levels)
			row, buffer = e.likelihood(scores, e.kernelWeight, buffer)
			average(row, e.plain(scores))
			return row
		})
	}
	return rows
}

// plain returns the likelihoods according to the scores as they are.
func (e *Estimator) plain(scores []float64) []float64 {
	row := make([]float64, len(scores))
	for k, s := range scores {
		row[k] = s / e.prior[k]
	}
	return normalize(row)
}

func average(row, other []float64) {
	for k, v := range other {
		row[k] = (row[k] + v) / 2
	}
}

// likelihood blends the likelihoods from the calibration and from the kernels. It uses buffer as
// scratch space and returns it for reuse.
func (e *Estimator) likelihood(scores []float64, kernelWeight float64, buffer []neighbor) ([]float64, []neighbor) {
	row := make([]float64, e.categories)
	e.calibration.apply(e.logRatios(scores), row)
	if kernelWeight > 0 {
		buffer = e.kernels.neighbors(scores, buffer[:0])
		blend(row, e.examples, buffer, kernelWeight)
	}
	return row, buffer
}

// blend mixes the kernel density estimate of neighbors into row, which contains the likelihoods
// from the calibration.
func blend(row []float64, examples []example, neighbors []neighbor, kernelWeight float64) {
	density, sum := make([]float64, len(row)), 0.0
	for k, v := range row {
		density[k] = kernelFloor * v
		sum += density[k]
	}
	for _, t := range neighbors {
		x := &examples[t.example]
		v := t.weight * x.weight
		density[x.category] += v
		sum += v
	}
	for k := range row {
		row[k] += kernelWeight * (density[k]/sum - row[k])
	}
}

// fill sets the rows of keys, which start with levels, from the cache, and calls compute for
// missing ones.
func (m *likelihoodCache) fill(categories int, keys []string, rows [][]float64, compute func(levels string) []float64) {
	m.mu.Lock()
	for i, key := range keys {
		rows[i] = m.rows[key[:categories]]
	}
	m.mu.Unlock()
	fresh := map[string][]float64{}
	for i, key := range keys {
		levels := key[:categories]
		if rows[i] == nil {
			rows[i] = fresh[levels]
		}
		if rows[i] == nil {
			rows[i] = compute(levels)
			fresh[levels] = rows[i]
		}
	}
	m.add(fresh)
}

// add caches rows. It clears the cache whenever it is full.
func (m *likelihoodCache) add(fresh map[string][]float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, row := range fresh {
		if m.rows == nil || len(m.rows)*len(row) > maxCachedValues {
			m.rows = map[string][]float64{}
		}
		m.rows[key] = row
	}
}
