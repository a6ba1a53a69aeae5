package opinion

import "math"

// A growth is how many documents of each category are told, and how many of them
// wrongly, by models of more and more documents: those of curve.
type growth struct {
	told, wrong [len(curve)][]float64 // of each category
}

// growth counts the verdicts of exams.
func (m *Model) growth(e *exams) *growth {
	g := &growth{}
	shares := make([]float32, len(m.Categories))
	for part, verdicts := range e {
		g.told[part], g.wrong[part] = make([]float64, len(shares)), make([]float64, len(shares))
		for _, v := range verdicts {
			if v.sums == nil {
				continue
			}
			copy(shares, v.sums)
			m.calibration.apply(shares)
			g.told[part][v.class]++
			g.wrong[part][v.class] += float64(one(Top(shares) != v.class))
		}
	}
	return g
}

// curve returns the accuracy that parts of so many documents give.
func (g *growth) curve(documents int) []CurvePoint {
	points := make([]CurvePoint, len(curve))
	for part, share := range curve {
		told, wrong := sum(g.told[part]), sum(g.wrong[part])
		points[part] = CurvePoint{(documents*share + 50) / 100, 1 - wrong/max(told, 1)}
	}
	return points
}

func sum(list []float64) (all float64) {
	for _, x := range list {
		all += x
	}
	return all
}

// slope returns how fast errors become fewer, of all categories.
func (g *growth) slope() float64 {
	var told, wrong [len(curve)]float64
	for part := range curve {
		told[part], wrong[part] = sum(g.told[part]), sum(g.wrong[part])
	}
	return slope(told, wrong)
}

// slopeHold is as how many documents of a category the slope of all of them counts.
const slopeHold = 30

// slopeOf returns the slope of one category. Few documents say little about it.
func (g *growth) slopeOf(k int) float64 {
	var told, wrong [len(curve)]float64
	for part := range curve {
		told[part], wrong[part] = g.told[part][k], g.wrong[part][k]
	}
	n := told[len(curve)-1]
	return (n*slope(told, wrong) + slopeHold*g.slope()) / (n + slopeHold)
}

// slope returns c of the law that learning nearly follows: the rate of errors is in
// proportion to documents^-c. It is between 0 and 1.
func slope(told, wrong [len(curve)]float64) float64 {
	var sx, sy, sxx, sxy float64
	for part, share := range curve {
		x := math.Log(float64(share))
		y := math.Log((wrong[part] + 0.5) / (told[part] + 1))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+float64(x*x), sxy+float64(x*y)
	}
	const n = float64(len(curve))
	return min(max((sx*sy-n*sxy)/(n*sxx-sx*sx), 0), 1)
}

// caution is how much of the improvement that the law promises is believed. Learning
// levels off.
const caution = 0.8

// improved returns what a rate of being right becomes with twice as many documents.
func improved(rate, slope float64) float64 {
	return 1 - (1-rate)*math.Pow(2, -slope*caution)
}
