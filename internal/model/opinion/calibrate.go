package opinion

import "math"

// A calibration maps logits to scores: the softmax of scale × logits plus a bias per category.
type calibration struct {
	scale float64
	bias  []float64
}

// The prior of calibrations, measured on many training sets. Weaker priors overfit small sets;
// stronger ones dominate large sets.
const (
	priorLogScale          = 0.7 // mean of the log scale
	priorLogScaleDeviation = 0.3 // standard deviation of the log scale
	biasPriorDocuments     = 20  // weight of the bias prior, in documents
	rareBias               = 0.9 // factor of the bias prior, see priorBias
)

// priorBias returns the prior mean of the bias of a category with the given class weight. Small
// categories have large weights, and new posts resemble their few documents less, so they need a
// larger bias.
func priorBias(weight float32) float64 { return rareBias * math.Log(float64(weight)) }

// calibrationRounds is the number of alternating fits of scale and bias. More rounds change little.
const calibrationRounds = 5

// calibrate returns the calibration with the highest posterior probability, given predictions and
// class weights.
func calibrate(predictions []prediction, weights []float32) calibration {
	c := calibration{scale: 1, bias: make([]float64, len(weights))}
	for k := range c.bias {
		c.bias[k] = priorBias(weights[k])
	}
	for range calibrationRounds {
		c.fitScale(predictions, weights)
		c.fitBias(predictions, weights)
		c.fitBias(predictions, weights)
	}
	c.fitScale(predictions, weights)
	return c
}

// fitScale finds the best scale between 0.1 and 20 by golden-section search. The loss is unimodal.
func (c *calibration) fitScale(predictions []prediction, weights []float32) {
	low, high := math.Log(0.1), math.Log(20)
	const golden = 0.6180339887498949
	a, b := high-golden*(high-low), low+golden*(high-low)
	lossA, lossB := c.loss(predictions, weights, a), c.loss(predictions, weights, b)
	for high-low > 0.01 {
		if lossA < lossB {
			high, b, lossB = b, a, lossA
			a = high - golden*(high-low)
			lossA = c.loss(predictions, weights, a)
		} else {
			low, a, lossA = a, b, lossB
			b = low + golden*(high-low)
			lossB = c.loss(predictions, weights, b)
		}
	}
	c.scale = math.Exp((low + high) / 2)
}

// loss returns the negative log-likelihood of the predictions plus the penalty of the prior on the
// scale.
func (c *calibration) loss(predictions []prediction, weights []float32, logScale float64) float64 {
	scaled := calibration{math.Exp(logScale), c.bias}
	scores := make([]float32, len(c.bias))
	deviation := (logScale - priorLogScale) / priorLogScaleDeviation
	loss := deviation * deviation / 2
	for _, v := range predictions {
		copy(scores, v.logits)
		scaled.apply(scores)
		loss -= float64(weights[v.class]) * math.Log(float64(scores[v.class])+1e-9)
	}
	return loss
}

// fitBias moves each bias by one Newton step, so that the mean score of its category approaches the
// category's true frequency.
func (c *calibration) fitBias(predictions []prediction, weights []float32) {
	excess, slope := make([]float64, len(c.bias)), make([]float64, len(c.bias))
	scores := make([]float32, len(c.bias))
	for _, v := range predictions {
		copy(scores, v.logits)
		c.apply(scores)
		for k, score := range scores {
			w, p := float64(weights[v.class]), float64(score)
			excess[k] += w * p
			slope[k] += w * p * (1 - p)
		}
		excess[v.class] -= float64(weights[v.class])
	}
	for k, bias := range c.bias {
		c.bias[k] -= (excess[k] + biasPriorDocuments*(bias-priorBias(weights[k]))) / (slope[k] + biasPriorDocuments)
	}
}

// apply replaces logits with scores, in place.
func (c *calibration) apply(logits []float32) {
	top := math.Inf(-1)
	for k, sum := range logits {
		top = max(top, float64(sum)*c.scale+c.bias[k])
	}
	var all float32
	for k, sum := range logits {
		logits[k] = float32(math.Exp(float64(sum)*c.scale + c.bias[k] - top))
		all += logits[k]
	}
	for k := range logits {
		logits[k] /= all
	}
}
