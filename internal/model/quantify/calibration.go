package quantify

import "math"

// A calibration corrects shares: it makes all of them sharper or duller, and leans
// towards some categories. What is corrected tells how likely a post is in each
// category; the prior is taken out of it.
type calibration struct {
	sharpness float64
	lean      []float64
}

const (
	calibrationSteps = 20
	calibrationPull  = 4.0 // how strongly it is held where it changes nothing, in documents
)

// calibrate fits a calibration to lessons: logistic regression by Newton's method, each
// category with the same weight. near, unless it is zero, is where to begin.
func calibrate(categories int, lessons []lesson, near calibration) calibration {
	c, steps := near, 2
	if c.lean == nil {
		c, steps = calibration{sharpness: 1, lean: make([]float64, categories)}, calibrationSteps
	} else {
		c.lean = append([]float64(nil), c.lean...)
	}
	for range steps {
		gradient, curve := c.slope(lessons)
		step := solve(curve, gradient)
		moved := 0.0
		for i, s := range step {
			s = max(-1, min(1, s))
			moved = max(moved, math.Abs(s))
			if i == categories {
				c.sharpness = max(0.1, c.sharpness-s)
			} else {
				c.lean[i] -= s
			}
		}
		if moved < 1e-4 {
			break
		}
	}
	return c
}

// slope returns the gradient and the second derivatives of the loss; the last of the
// variables is the sharpness.
func (c calibration) slope(lessons []lesson) (gradient []float64, curve [][]float64) {
	n := len(c.lean)
	gradient, curve = make([]float64, n+1), make([][]float64, n+1)
	for k := range curve {
		curve[k] = make([]float64, n+1)
		curve[k][k] = calibrationPull
	}
	for k, v := range c.lean {
		gradient[k] = calibrationPull * v
	}
	gradient[n] = calibrationPull * (c.sharpness - 1)
	shares := make([]float64, n)
	for i := range lessons {
		if l := &lessons[i]; l.weight > 0 {
			c.correct(l.logs, shares)
			addSlope(l, shares, gradient, curve)
		}
	}
	return gradient, curve
}

// addSlope adds what one lesson contributes.
func addSlope(l *lesson, shares, gradient []float64, curve [][]float64) {
	n, mean := len(shares), dot(shares, l.logs)
	for k, s := range shares {
		wrong := s
		if k == l.category {
			wrong--
		}
		gradient[k] += l.weight * wrong
		gradient[n] += l.weight * wrong * l.logs[k]
		for j, t := range shares {
			curve[k][j] -= l.weight * s * t
		}
		curve[k][k] += l.weight * s
		bent := l.weight * s * (l.logs[k] - mean)
		curve[k][n] += bent
		curve[n][k] += bent
		curve[n][n] += bent * l.logs[k]
	}
}

// correct stores the corrected shares of a post, whose logsOf are given.
func (c calibration) correct(logs, shares []float64) {
	most := math.Inf(-1)
	for k, v := range logs {
		shares[k] = c.sharpness*v + c.lean[k]
		most = max(most, shares[k])
	}
	for k, v := range shares {
		shares[k] = math.Exp(v - most)
	}
	normalise(shares)
}

// solve solves the system a·x = b, which has a positive definite matrix, and destroys it.
func solve(a [][]float64, b []float64) []float64 {
	for i := range a {
		for j := i + 1; j < len(a); j++ {
			f := a[j][i] / a[i][i]
			for k := i; k < len(a); k++ {
				a[j][k] -= f * a[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := i + 1; j < len(a); j++ {
			b[i] -= a[i][j] * b[j]
		}
		b[i] /= a[i][i]
	}
	return b
}
