package quantify

import "math"

const (
	kernelWidth   = 0.1   // squared, for each category: how far apart lessons are that speak for the same posts
	kernelOffset  = 0.01  // of shares, so that what is nearly nothing counts as the same
	mostKernels   = 2000  // lessons that are compared with posts; when there are more, so many of all categories
	kernelHorizon = 9     // beyond which a lesson says nothing about a post: exp(-9)
	kernelFloor   = 0.001 // of a lesson: how much the calibration says where there are no lessons near
)

// kernels compare posts with lessons.
type kernels struct {
	lessons []int     // places of the lessons that are compared
	points  []step    // where they lie, one after another
	stands  []float64 // for how many lessons each stands
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
			ks.points = append(ks.points, pointOf(lessons[i].shares)...)
			ks.stands = append(ks.stands, float64(counts[k])/float64(take))
		}
		seen[k]++
	}
	return ks
}

// A step is four coordinates of a point.
type step [4]float64

// pointOf returns where shares lie: their logarithms, less the mean of these.
func pointOf(shares []float64) []step {
	point, mean := make([]step, (len(shares)+3)/4), 0.0
	for k, s := range shares {
		point[k/4][k%4] = math.Log(s + kernelOffset)
		mean += point[k/4][k%4] / float64(len(shares))
	}
	for k := range shares {
		point[k/4][k%4] -= mean
	}
	return point
}

// A touch is how much a lesson says about a post.
type touch struct {
	lesson int
	amount float64
}

// near appends the lessons that say something about a post: those within the horizon.
func (ks *kernels) near(shares []float64, touches []touch) []touch {
	point, limit := pointOf(shares), kernelHorizon/ks.scale
	n := len(point)
	for i, lesson := range ks.lessons {
		sum := distance(point, ks.points[i*n:(i+1)*n])
		if sum < limit {
			touches = append(touches, touch{lesson, ks.stands[i] * math.Exp(-sum*ks.scale)})
		}
	}
	return touches
}

// distance returns the square of the distance of two points.
func distance(a, b []step) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		p, q := &a[i], &b[i]
		d, e, f, g := p[0]-q[0], p[1]-q[1], p[2]-q[2], p[3]-q[3]
		sum += d*d + e*e + f*f + g*g
	}
	return sum
}
