package quantify

import "math"

const (
	kernelWidth   = 0.1   // squared bandwidth per category; wider blurs, narrower needs more examples
	kernelOffset  = 0.01  // added to scores, so that tiny scores count as equal
	maxKernels    = 2000  // examples compared with each post; more cost time and add little
	kernelHorizon = 9     // cutoff exponent: weights below exp(-9) count as 0
	kernelFloor   = 0.001 // weight of the calibration where no example is near
)

// kernels are kernel density estimates of the scores in each category.
type kernels struct {
	examples     []int     // indexes of the examples used
	points       []vec4    // coordinates of the examples, concatenated
	multiplicity []float64 // number of examples that each one represents
	scale        float64
}

// newKernels uses every example, or every n-th example of a category that has too many.
func newKernels(categories int, examples []example) *kernels {
	ks := &kernels{scale: 1 / (2 * kernelWidth * float64(categories))}
	counts, seen := make([]int, categories), make([]int, categories)
	for i := range examples {
		counts[examples[i].category]++
	}
	maxPerCategory := maxKernels / categories
	for i := range examples {
		k := examples[i].category
		if take := min(maxPerCategory, counts[k]); seen[k]*take/counts[k] != (seen[k]+1)*take/counts[k] {
			ks.examples = append(ks.examples, i)
			ks.points = append(ks.points, kernelPoint(examples[i].scores)...)
			ks.multiplicity = append(ks.multiplicity, float64(counts[k])/float64(take))
		}
		seen[k]++
	}
	return ks
}

// A vec4 holds four coordinates of a point. The compiler keeps them in registers.
type vec4 [4]float64

// kernelPoint returns the centered logarithms of scores.
func kernelPoint(scores []float64) []vec4 {
	point, mean := make([]vec4, (len(scores)+3)/4), 0.0
	for k, s := range scores {
		point[k/4][k%4] = math.Log(s + kernelOffset)
		mean += point[k/4][k%4] / float64(len(scores))
	}
	for k := range scores {
		point[k/4][k%4] -= mean
	}
	return point
}

// A neighbor is an example near a post.
type neighbor struct {
	example int
	weight  float64
}

// neighbors appends the examples within the cutoff, with their kernel weights, to list.
func (ks *kernels) neighbors(scores []float64, list []neighbor) []neighbor {
	point, limit := kernelPoint(scores), kernelHorizon/ks.scale
	n := len(point)
	for i, example := range ks.examples {
		sum := squaredDistance(point, ks.points[i*n:(i+1)*n])
		if sum < limit {
			list = append(list, neighbor{example, ks.multiplicity[i] * math.Exp(-sum*ks.scale)})
		}
	}
	return list
}

// squaredDistance returns the squared Euclidean distance.
func squaredDistance(a, b []vec4) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		p, q := &a[i], &b[i]
		d, e, f, g := p[0]-q[0], p[1]-q[1], p[2]-q[2], p[3]-q[3]
		sum += d*d + e*e + f*f + g*g
	}
	return sum
}
