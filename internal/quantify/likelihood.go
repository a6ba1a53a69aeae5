package quantify

import "sync"

// memory keeps the likelihoods of shares that were asked for: the same shares occur
// on many days.
type memory struct {
	mu   sync.Mutex
	rows map[string][]float64
}

// mostKnown bounds how many numbers are kept in memory.
const mostKnown = 1 << 19

// likelihoods returns, for each group, how likely its shares are for posts of each
// category, but for a factor.
func (e *Estimator) likelihoods(method Method, b bag) [][]float64 {
	rows := make([][]float64, len(b.shares))
	switch method {
	case ExpectationMaximisation:
		for i, shares := range b.shares {
			rows[i] = make([]float64, e.categories)
			for k, s := range shares {
				rows[i][k] = s / e.prior[k]
			}
		}
	case Calibrated:
		for i, shares := range b.shares {
			rows[i] = e.likelihood(shares, 0)
		}
	case KernelDensity:
		for i, shares := range b.shares {
			rows[i] = e.likelihood(shares, 1)
		}
	default:
		e.known.fill(b.keys, rows, func(i int) []float64 { return e.likelihood(b.shares[i], e.blend) })
	}
	return rows
}

// likelihood is the calibration's and that of the kernels, which have a part of the whole.
func (e *Estimator) likelihood(shares []float64, part float64) []float64 {
	row := make([]float64, e.categories)
	e.calibrated.correct(e.logsOf(shares), row)
	if part > 0 {
		blend(row, e.lessons, e.kernels.near(shares, nil), part)
	}
	return row
}

// blend mixes what the lessons near a post say into what the calibration says.
func blend(row []float64, lessons []lesson, touches []touch, part float64) {
	said, sum := make([]float64, len(row)), 0.0
	for k, v := range row {
		said[k] = kernelFloor * v
		sum += said[k]
	}
	for _, t := range touches {
		l := &lessons[t.lesson]
		v := t.amount * l.weight
		said[l.category] += v
		sum += v
	}
	for k := range row {
		row[k] += part * (said[k]/sum - row[k])
	}
}

// fill completes rows, by their keys from what is known and by compute otherwise.
func (m *memory) fill(keys []string, rows [][]float64, compute func(int) []float64) {
	m.mu.Lock()
	for i, key := range keys {
		rows[i] = m.rows[key]
	}
	m.mu.Unlock()
	fresh := map[string][]float64{}
	for i, key := range keys {
		if rows[i] == nil {
			rows[i] = fresh[key]
		}
		if rows[i] == nil {
			rows[i] = compute(i)
			fresh[key] = rows[i]
		}
	}
	m.keep(fresh)
}

// keep remembers rows, and forgets the others when there are too many.
func (m *memory) keep(fresh map[string][]float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, row := range fresh {
		if m.rows == nil || len(m.rows)*len(row) > mostKnown {
			m.rows = map[string][]float64{}
		}
		m.rows[key] = row
	}
}
