// Package calibrate estimates the shares of classes among posts from what a model predicts for all of
// them and what people say about a random sample.
//
// Predictions are many, but biased: how often a model takes a neutral post for a negative one depends on
// what the posts are about. Labels are right, but few. The estimate corrects the predictions of all
// posts by what the labels say about them: a small regression tells how much the predictions are worth
// for these posts, and how far each class is off. If they are worth much, a few labels suffice; if they
// are worth nothing, the estimate is the share among the labels. The method is a form of
// prediction-powered inference, known in survey statistics as a generalized regression estimator with a
// multinomial logistic model. docs/models/shares.md explains it with an example.
package calibrate

import (
	"math"
	"slices"
)

// A Bin is a number of posts with the same prediction.
type Bin struct {
	Predicted []float64 // probability of each class
	Posts     float64
}

// A Label is the class of a post of a random sample, according to people.
type Label struct {
	Predicted []float64
	Class     int
	Weight    float64 // 1, or less if the post is old, or not among those that are estimated
}

// A Share is the estimated share of a class, with its 95% interval.
type Share struct{ Share, Low, High float64 }

// Settings of the regression. They are weak: ten labels outweigh them.
const (
	// biasError is the standard error, in logits, of the bias of each class before there are labels.
	biasError = 2

	// slopeError is that of how much predictions are worth. 1: as much as they say.
	slopeError = 1

	// small widens the intervals of few labels: the variance is known only approximately, too.
	small = 3

	// least is the smallest probability of a prediction: nothing is impossible.
	least = 0.005
)

// Estimate returns the share of each class among the posts of all bins. It returns nil if there are
// none. labels are of posts drawn at random from all posts that bins and labels are about. total is the
// number of posts the labels are drawn from, if all labels are of them; otherwise it is 0.
func Estimate(bins []Bin, labels []Label, total float64) []Share {
	posts := 0.0
	for _, b := range bins {
		posts += b.Posts
	}
	if posts == 0 {
		return nil
	}
	r := fit(labels, len(bins[0].Predicted))
	shares := make([]float64, r.classes)
	gradients := make([][]float64, r.classes) // of shares, by parameter
	for k := range gradients {
		gradients[k] = make([]float64, r.classes+1)
	}
	p := make([]float64, r.classes)
	for _, b := range bins {
		x := logs(b.Predicted)
		r.predict(p, x)
		for k := range p {
			shares[k] += p[k] * b.Posts / posts
			r.addGradient(gradients[k], p, x, k, b.Posts/posts)
		}
	}
	list := make([]Share, r.classes)
	for k, share := range shares {
		variance := r.variance(gradients[k]) * (1 + small/max(1, r.labels))
		if total > 0 {
			variance *= max(0, 1-r.labels/total) // all posts labeled: nothing is uncertain
		}
		low, high := wilson(share, variance)
		switch r.seen[k] { // labels that all agree say nothing about how rare the other class is
		case 0:
			low = 0
		case len(labels):
			high = 1
		}
		list[k] = Share{share, low, high}
	}
	return list
}

// fewest is the number of labels without which Differ reports no difference, on each side.
const fewest = 25

// Differ reports whether what the labels of a say about the predictions differs from what those of b say,
// more than by chance (p < 0.01). It compares the likelihood of one regression for all labels with that of
// two.
func Differ(a, b []Label) bool {
	if len(a) < fewest || len(b) < fewest {
		return false
	}
	classes := len(a[0].Predicted)
	together := slices.Concat(a, b)
	gain := fit(a, classes).logLikelihood(a) + fit(b, classes).logLikelihood(b) - fit(together, classes).logLikelihood(together)
	// The 99% quantile of a chi-squared distribution with as many degrees of freedom as there are
	// parameters, by Wilson and Hilferty's approximation: the biases are known up to a constant.
	n := float64(classes)
	root := 1 - 2/(9*n) + 2.326*math.Sqrt(2/(9*n))
	return 2*gain > n*root*root*root
}

// logLikelihood returns the logarithm of the probability of the classes of labels.
func (r *regression) logLikelihood(labels []Label) (sum float64) {
	return r.likelihood(newPoints(labels, r.classes))
}

// A regression predicts classes: the probability of class k is proportional to
// exp(bias[k] + slope·log(predicted[k])).
type regression struct {
	classes    int
	parameters []float64 // biases, then the slope
	labels     float64   // sum of weights
	seen       []int     // labels of each class
	covariance [][]float64
}

// A point is the labels of posts with the same prediction.
type point struct {
	x      []float64 // logarithms of what is predicted
	counts []float64 // weight of the labels by class
	weight float64
}

// newPoints returns labels as points. Labels share a point if they share the slice of their prediction.
func newPoints(labels []Label, classes int) (points []point) {
	at := make(map[*float64]int, len(labels))
	for _, l := range labels {
		i, ok := at[&l.Predicted[0]]
		if !ok {
			i = len(points)
			at[&l.Predicted[0]] = i
			points = append(points, point{x: logs(l.Predicted), counts: make([]float64, classes)})
		}
		points[i].counts[l.Class] += l.Weight
		points[i].weight += l.Weight
	}
	return points
}

const (
	maxSteps  = 50
	maxHalves = 20
	tolerance = 1e-6
)

// fit fits a regression to labels, by Newton's method.
func fit(labels []Label, classes int) *regression {
	r := &regression{classes: classes, parameters: make([]float64, classes+1), seen: make([]int, classes)}
	r.parameters[classes] = 1
	for _, l := range labels {
		r.labels += l.Weight
		r.seen[l.Class]++
	}
	points := newPoints(labels, classes)
	at := r.objective(points)
	for range maxSteps {
		gradient, information := r.derivatives(points)
		r.covariance = inverse(information)
		start, step, size := slices.Clone(r.parameters), make([]float64, classes+1), 0.0
		for i := range step {
			for j, g := range gradient {
				step[i] += r.covariance[i][j] * g
			}
			size = max(size, math.Abs(step[i]))
		}
		if size < tolerance {
			break
		}
		for halves := range maxHalves { // a step can go too far, although the objective is concave
			for i := range step {
				r.parameters[i] = start[i] + step[i]/float64(int(1)<<halves)
			}
			if next := r.objective(points); next >= at {
				at = next
				break
			}
		}
	}
	return r
}

// objective returns the logarithm of the likelihood of points and of what is expected of the parameters.
func (r *regression) objective(points []point) (sum float64) {
	for _, bias := range r.parameters[:r.classes] {
		sum -= bias * bias / (2 * biasError * biasError)
	}
	slope := r.parameters[r.classes] - 1
	sum -= slope * slope / (2 * slopeError * slopeError)
	return sum + r.likelihood(points)
}

// likelihood returns the logarithm of the likelihood of points.
func (r *regression) likelihood(points []point) (sum float64) {
	p := make([]float64, r.classes)
	for _, pt := range points {
		r.predict(p, pt.x)
		for k, n := range pt.counts {
			if n > 0 {
				sum += n * math.Log(max(p[k], 1e-300))
			}
		}
	}
	return sum
}

// derivatives returns the gradient of the objective and its negative second derivatives.
func (r *regression) derivatives(points []point) (gradient []float64, information [][]float64) {
	slope := r.classes
	gradient, information = make([]float64, r.classes+1), square(r.classes+1)
	for k := range r.classes {
		gradient[k] = -r.parameters[k] / (biasError * biasError)
		information[k][k] = 1.0 / (biasError * biasError)
	}
	gradient[slope] = (1 - r.parameters[slope]) / (slopeError * slopeError)
	information[slope][slope] = 1.0 / (slopeError * slopeError)
	p := make([]float64, r.classes)
	for _, pt := range points {
		r.predict(p, pt.x)
		mean := 0.0
		for k := range p {
			mean += p[k] * pt.x[k]
		}
		for k := range p {
			gradient[k] += pt.counts[k] - pt.weight*p[k]
			gradient[slope] += pt.counts[k] * (pt.x[k] - mean)
			information[k][k] += pt.weight * p[k]
			for j := range p {
				information[k][j] -= pt.weight * p[k] * p[j]
			}
			cross := pt.weight * p[k] * (pt.x[k] - mean)
			information[k][slope] += cross
			information[slope][k] += cross
			information[slope][slope] += pt.weight * p[k] * (pt.x[k] - mean) * (pt.x[k] - mean)
		}
	}
	return gradient, information
}

// predict sets p to the probability of each class given the logarithms of a prediction.
func (r *regression) predict(p, x []float64) {
	slope := r.parameters[r.classes]
	for k := range p {
		p[k] = r.parameters[k] + slope*x[k]
	}
	top, sum := slices.Max(p), 0.0
	for k := range p {
		p[k] = math.Exp(p[k] - top)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
}

// addGradient adds the weighted gradient of the probability of class k, by parameter.
func (r *regression) addGradient(to, p, x []float64, k int, weight float64) {
	mean := 0.0
	for j := range p {
		mean += p[j] * x[j]
		to[j] -= weight * p[k] * p[j]
	}
	to[k] += weight * p[k]
	to[r.classes] += weight * p[k] * (x[k] - mean)
}

// variance returns the variance of a share with the given gradient.
func (r *regression) variance(gradient []float64) (v float64) {
	for i, row := range r.covariance {
		for j, c := range row {
			v += gradient[i] * c * gradient[j]
		}
	}
	return v
}

// wilson returns the 95% interval of a share with a variance: Wilson's interval for the number of posts
// whose share would have that variance. Unlike a symmetric interval, it also holds near 0 and 1.
func wilson(share, variance float64) (low, high float64) {
	const z = 1.96
	spread := max(share*(1-share), 1e-6)
	n := spread / max(variance, 1e-12)
	center := (share + z*z/(2*n)) / (1 + z*z/n)
	margin := z / (1 + z*z/n) * math.Sqrt(spread/n+z*z/(4*n*n))
	return max(0, min(share, center-margin)), min(1, max(share, center+margin))
}

func logs(predicted []float64) []float64 {
	x := make([]float64, len(predicted))
	for k, p := range predicted {
		x[k] = math.Log(max(p, least))
	}
	return x
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// inverse returns the inverse of a symmetric, positive definite matrix, by Gauss-Jordan elimination. It
// changes m.
func inverse(m [][]float64) [][]float64 {
	n := len(m)
	inv := square(n)
	for i := range inv {
		inv[i][i] = 1
	}
	for i := range n {
		pivot := m[i][i]
		for j := range n {
			m[i][j] /= pivot
			inv[i][j] /= pivot
		}
		for row := range n {
			if factor := m[row][i]; row != i && factor != 0 {
				for j := range n {
					m[row][j] -= factor * m[i][j]
					inv[row][j] -= factor * inv[i][j]
				}
			}
		}
	}
	return inv
}
