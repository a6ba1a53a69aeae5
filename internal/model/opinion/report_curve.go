package opinion

import "math"

// A learningCurve counts held-out predictions and errors for each of curvePercents.
type learningCurve struct {
	tested, errors [len(curvePercents)][]float64 // by category
}

// newLearningCurve counts the predictions of a cross-validation.
func (m *Model) newLearningCurve(predictions *foldPredictions) *learningCurve {
	c := &learningCurve{}
	scores := make([]float32, len(m.Categories))
	for part, list := range predictions {
		c.tested[part], c.errors[part] = make([]float64, len(scores)), make([]float64, len(scores))
		for _, v := range list {
			if v.logits == nil {
				continue
			}
			copy(scores, v.logits)
			m.calibration.apply(scores)
			c.tested[part][v.class]++
			c.errors[part][v.class] += float64(toInt(Argmax(scores) != v.class))
		}
	}
	return c
}

// points returns the accuracy at each training set size.
func (c *learningCurve) points(documents int) []CurvePoint {
	points := make([]CurvePoint, len(curvePercents))
	for part, percent := range curvePercents {
		tested, errors := sum(c.tested[part]), sum(c.errors[part])
		points[part] = CurvePoint{(documents*percent + 50) / 100, 1 - errors/max(tested, 1)}
	}
	return points
}

func sum(list []float64) (all float64) {
	for _, x := range list {
		all += x
	}
	return all
}

// slope returns the slope over all categories.
func (c *learningCurve) slope() float64 {
	var tested, errors [len(curvePercents)]float64
	for part := range curvePercents {
		tested[part], errors[part] = sum(c.tested[part]), sum(c.errors[part])
	}
	return fitSlope(tested, errors)
}

// slopePriorDocuments is the weight, in documents, of the overall slope when estimating a
// category's slope.
const slopePriorDocuments = 30

// categorySlope returns the slope of one category, shrunk toward the overall slope because few
// documents are weak evidence.
func (c *learningCurve) categorySlope(k int) float64 {
	var tested, errors [len(curvePercents)]float64
	for part := range curvePercents {
		tested[part], errors[part] = c.tested[part][k], c.errors[part][k]
	}
	n := tested[len(curvePercents)-1]
	return (n*fitSlope(tested, errors) + slopePriorDocuments*c.slope()) / (n + slopePriorDocuments)
}

// fitSlope returns the exponent c of the power law that learning curves approximately follow: the
// error rate is proportional to documents^-c. The result is between 0 and 1.
func fitSlope(tested, errors [len(curvePercents)]float64) float64 {
	var sx, sy, sxx, sxy float64
	for part, percent := range curvePercents {
		x := math.Log(float64(percent))
		y := math.Log((errors[part] + 0.5) / (tested[part] + 1))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+float64(x*x), sxy+float64(x*y)
	}
	const n = float64(len(curvePercents))
	return min(max((sx*sy-n*sxy)/(n*sxx-sx*sx), 0), 1)
}

// forecastDiscount is the fraction of the power law's improvement that forecasts include, because
// learning curves level off.
const forecastDiscount = 0.8

// forecast returns the rate of correct predictions to expect with twice as many documents.
func forecast(rate, slope float64) float64 {
	return 1 - (1-rate)*math.Pow(2, -slope*forecastDiscount)
}
