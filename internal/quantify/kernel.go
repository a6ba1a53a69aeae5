package quantify

import "math"

const (
	kernelWidth   = 0.1   // squared, for each category: how far apart lessons are that speak for the same posts
	kernelOffset  = 0.01  // of shares, so that what is nearly nothing counts as the same
	mostKernels   = 1000  // lessons that are compared with posts; when there are more, so many of all categories
	kernelHorizon = 16    // beyond which a lesson says nothing about a post: exp(-16)
	kernelFloor   = 0.001 // of a lesson: how much the calibration says where there are no lessons near
)

// kernels compare posts with lessons.
type kernels struct {
	lessons []int       // places of the lessons that are compared
	points  [][]float64 // where they lie
	scale   float64
}

// newKernels takes every lesson, or every n-th of each category when there are too many.
func newKernels(categories int, lessons []lesson) *kernels {
	ks := &kernels{scale: 1 / (2 * kernelWidth * float64(categories))}
	counts, seen := make([]int, categories), make([]int, categories)
	for i := range lessons {
		counts[lessons[i].category]++
	}
	most := mostKernels / categories
	for i := range lessons {
		k := lessons[i].category
		if take := min(most, counts[k]); seen[k]*take/counts[k] != (seen[k]+1)*take/counts[k] {
			ks.lessons = append(ks.lessons, i)
			ks.points = append(ks.points, pointOf(lessons[i].shares))
		}
		seen[k]++
	}
	return ks
}

// pointOf returns where shares lie: their logarithms, less the mean of these.
func pointOf(shares []float64) []float64 {
	point, mean := make([]float64, len(shares)), 0.0
	for k, s := range shares {
		point[k] = math.Log(s + kernelOffset)
		mean += point[k] / float64(len(shares))
	}
	for k := range point {
		point[k] -= mean
	}
	return point
}

// A touch is how much a lesson says about a post, from 0 to 1.
type touch struct {
	lesson int
	amount float64
}

// near appends the lessons that say something about a post.
func (ks *kernels) near(shares []float64, touches []touch) []touch {
	point, limit := pointOf(shares), kernelHorizon/ks.scale
	for i, q := range ks.points {
		distance := 0.0
		for k, v := range q {
			d := v - point[k]
			distance += d * d
		}
		if distance < limit {
			touches = append(touches, touch{ks.lessons[i], math.Exp(-distance * ks.scale)})
		}
	}
	return touches
}
