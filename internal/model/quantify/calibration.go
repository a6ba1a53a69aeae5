package quantify

import "math"

// A calibration scales log scores by a temperature and adds a bias per category. It converts scores
// to likelihoods up to a constant factor, because the prior is divided out.
type calibration struct {
	scale float64
	bias  []float64
}

const (
	maxCalibrationSteps = 20
	calibrationRidge    = 4.0 // pulls toward the identity, in documents; less overfits small categories
)

// calibrate fits a calibration to examples by logistic regression with Newton's method, giving each
// category the same weight. If start is not the zero value, the fit starts there and takes only two
// steps.
func calibrate(categories int, examples []example, start calibration) calibration {
	c, steps := start, 2
	if c.bias == nil {
		c, steps = calibration{scale: 1, bias: make([]float64, categories)}, maxCalibrationSteps
	} else {
		c.bias = append([]float64(nil), c.bias...)
	}
	for range steps {
		gradient, hessian := c.gradient(examples)
		step := solve(hessian, gradient)
		moved := 0.0
		for i, s := range step {
			s = max(-1, min(1, s))
			moved = max(moved, math.Abs(s))
			if i == categories {
				c.scale = max(0.1, c.scale-s)
			} else {
				c.bias[i] -= s
			}
		}
		if moved < 1e-4 {
			break
		}
	}
	return c
}

// gradient returns the gradient and the Hessian of the loss. The last variable is the scale.
func (c calibration) gradient(examples []example) (gradient []float64, hessian [][]float64) {
	n := len(c.bias)
	gradient, hessian = make([]float64, n+1), make([][]float64, n+1)
	for k := range hessian {
		hessian[k] = make([]float64, n+1)
		hessian[k][k] = calibrationRidge
	}
	for k, v := range c.bias {
		gradient[k] = calibrationRidge * v
	}
	gradient[n] = calibrationRidge * (c.scale - 1)
	probabilities := make([]float64, n)
	for i := range examples {
		if x := &examples[i]; x.weight > 0 {
			c.apply(x.logRatios, probabilities)
			addGradient(x, probabilities, gradient, hessian)
		}
	}
	return gradient, hessian
}

// addGradient adds the contribution of one example.
func addGradient(x *example, probabilities, gradient []float64, hessian [][]float64) {
	n, mean := len(probabilities), dot(probabilities, x.logRatios)
	for k, s := range probabilities {
		residual := s
		if k == x.category {
			residual--
		}
		gradient[k] += x.weight * residual
		gradient[n] += x.weight * residual * x.logRatios[k]
		for j, t := range probabilities {
			hessian[k][j] -= x.weight * s * t
		}
		hessian[k][k] += x.weight * s
		cross := x.weight * s * (x.logRatios[k] - mean)
		hessian[k][n] += cross
		hessian[n][k] += cross
		hessian[n][n] += cross * x.logRatios[k]
	}
}

// apply stores the calibrated probabilities of a post with the given logRatios.
func (c calibration) apply(logRatios, probabilities []float64) {
	top := math.Inf(-1)
	for k, v := range logRatios {
		probabilities[k] = c.scale*v + c.bias[k]
		top = max(top, probabilities[k])
	}
	for k, v := range probabilities {
		probabilities[k] = math.Exp(v - top)
	}
	normalize(probabilities)
}

// solve solves a·x = b in place for a positive definite matrix a.
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
