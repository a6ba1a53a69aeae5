package opinion

import "math"

// A calibration makes shares of sums: softmax of sharpness times the sum plus the tilt
// of its category.
type calibration struct {
	sharpness float64
	tilt      []float64
}

// A verdict is what was told of a document by a model that had not seen it.
type verdict struct {
	sums  []float32
	class int
}

// Where a calibration usually is, and how strongly it is held there: the logarithm of
// sharpness as if it had been measured with this deviation, tilts as if so many
// documents of the category had the usual one.
const (
	usualSharpness = 0.7
	sharpnessHold  = 0.3
	tiltHold       = 20
	smallTilt      = 0.9
)

// usualTilt returns the tilt that a category usually needs whose documents weigh so much:
// new posts are less like the documents of a small category, which weigh more.
func usualTilt(weight float32) float64 { return smallTilt * math.Log(float64(weight)) }

// rounds is how often sharpness and tilts are found in turn.
const rounds = 5

// calibrate finds the calibration that the verdicts are likeliest with, when all
// categories count the same: weights are those of their documents.
func calibrate(verdicts []verdict, weights []float32) calibration {
	c := calibration{sharpness: 1, tilt: make([]float64, len(weights))}
	for k := range c.tilt {
		c.tilt[k] = usualTilt(weights[k])
	}
	for range rounds {
		c.sharpen(verdicts, weights)
		c.lean(verdicts, weights)
		c.lean(verdicts, weights)
	}
	c.sharpen(verdicts, weights)
	return c
}

// sharpen finds the best sharpness between 0.1 and 20 by golden section; what it
// searches has one lowest place.
func (c *calibration) sharpen(verdicts []verdict, weights []float32) {
	low, high := math.Log(0.1), math.Log(20)
	const golden = 0.6180339887498949
	a, b := high-golden*(high-low), low+golden*(high-low)
	lossA, lossB := c.loss(verdicts, weights, a), c.loss(verdicts, weights, b)
	for high-low > 0.01 {
		if lossA < lossB {
			high, b, lossB = b, a, lossA
			a = high - golden*(high-low)
			lossA = c.loss(verdicts, weights, a)
		} else {
			low, a, lossA = a, b, lossB
			b = low + golden*(high-low)
			lossB = c.loss(verdicts, weights, b)
		}
	}
	c.sharpness = math.Exp((low + high) / 2)
}

// loss returns how unlikely the verdicts are with a sharpness, of which the logarithm is
// given.
func (c *calibration) loss(verdicts []verdict, weights []float32, log float64) float64 {
	with := calibration{math.Exp(log), c.tilt}
	shares := make([]float32, len(c.tilt))
	far := (log - usualSharpness) / sharpnessHold
	loss := far * far / 2
	for _, v := range verdicts {
		copy(shares, v.sums)
		with.apply(shares)
		loss -= float64(weights[v.class]) * math.Log(float64(shares[v.class])+1e-9)
	}
	return loss
}

// lean moves tilts so that the mean share of each category comes closer to the share
// that it has: Newton's method, one category at a time.
func (c *calibration) lean(verdicts []verdict, weights []float32) {
	excess, slope := make([]float64, len(c.tilt)), make([]float64, len(c.tilt))
	shares := make([]float32, len(c.tilt))
	for _, v := range verdicts {
		copy(shares, v.sums)
		c.apply(shares)
		for k, share := range shares {
			w, p := float64(weights[v.class]), float64(share)
			excess[k] += w * p
			slope[k] += w * p * (1 - p)
		}
		excess[v.class] -= float64(weights[v.class])
	}
	for k, tilt := range c.tilt {
		c.tilt[k] -= (excess[k] + tiltHold*(tilt-usualTilt(weights[k]))) / (slope[k] + tiltHold)
	}
}

// apply makes shares of sums.
func (c *calibration) apply(sums []float32) {
	top := math.Inf(-1)
	for k, sum := range sums {
		top = max(top, float64(sum)*c.sharpness+c.tilt[k])
	}
	var all float32
	for k, sum := range sums {
		sums[k] = float32(math.Exp(float64(sum)*c.sharpness + c.tilt[k] - top))
		all += sums[k]
	}
	for k := range sums {
		sums[k] /= all
	}
}
