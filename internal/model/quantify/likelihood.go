package quantify

import (
	"math"
	"sync"
)

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
	rows := make([][]float64, len(b.keys))
	var room []touch
	switch method {
	case ExpectationMaximisation:
		for i, shares := range b.shares() {
			for k := range shares {
				shares[k] /= e.prior[k]
			}
			rows[i] = shares
		}
	case Calibrated:
		for i, shares := range b.shares() {
			rows[i], _ = e.likelihood(shares, 0, nil)
		}
	case KernelDensity:
		for i, shares := range b.shares() {
			rows[i], room = e.likelihood(shares, 1, room)
		}
	default:
		e.known.fill(b.categories, b.keys, rows, func(levels string) []float64 {
			var row []float64
			row, room = e.likelihood(coarse(levels), e.blend, room)
			raise(row, e.caution)
			return row
		})
	}
	return rows
}

// likelihood is the calibration's and that of the kernels, which have a part of the whole.
// It works in room and returns it.
func (e *Estimator) likelihood(shares []float64, part float64, room []touch) ([]float64, []touch) {
	row := make([]float64, e.categories)
	e.calibrated.correct(e.logsOf(shares), row)
	if part > 0 {
		room = e.kernels.near(shares, room[:0])
		blend(row, e.lessons, room, part)
	}
	return row, room
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

// raise raises likelihoods to a power.
func raise(row []float64, power float64) {
	for k, v := range row {
		row[k] = math.Pow(v, power)
	}
}

// fill completes rows: by the levels, which keys begin with, from what is known, and by
// compute otherwise.
func (m *memory) fill(categories int, keys []string, rows [][]float64, compute func(levels string) []float64) {
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
