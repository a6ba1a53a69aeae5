package quantify

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

const (
	maxReplicates      = 40   // more cost time without a visible change in the intervals
	minReplicates      = 10   // used when replicates are slow; fewer give unstable intervals
	maxReplicateWork   = 1e8  // total budget: examples times categories squared
	maxBootstrapGroups = 600  // larger bags are subsampled
	maxDraws           = 1000 // posts per replicate; the variance of larger samples is scaled
	replicateTolerance = 1e-4 // looser than tolerance because replicates are averaged
	pseudocount        = 0.5  // posts added to each category, so that none has probability 0
)

// A bootstrap repeats the estimate of one bag many times to measure its error.
type bootstrap struct {
	estimator   *Estimator
	bag         bag
	likelihoods [][]float64
	misfit      float64
	weight      float64 // of the anchor
	mix         []float64
	prevalence  []float64
	plain       [][]float64 // see Estimator.plain
	logRatios   [][]float64
	neighbors   [][]neighbor
	random      *rand.Rand
}

// Measured ratios of actual error variances to those of the bootstrap. The bootstrap is optimistic
// about documents because the anchor dampens its replicates, and because it assumes that the final
// model scores new posts as the fold models score held-out documents.
const (
	exampleInflation = 5
	postInflation    = 1.6
)

// variance returns the error variance of each category's prevalence. It is the sum of independent
// parts: the choice of training documents, the choice of posts, drift since training, and errors
// that no training document shows.
func (s *bootstrap) variance() []float64 {
	e := s.estimator
	examples, posts, drift := make([]float64, e.categories), make([]float64, e.categories), s.driftVariance()
	work := float64(len(e.examples) * e.categories * e.categories)
	n := int(max(minReplicates, min(maxReplicates, maxReplicateWork/max(work, 1))))
	scale := s.scale()
	for range n {
		addSquares(examples, s.exampleError(), exampleInflation/float64(n))
		addSquares(posts, s.postError(), postInflation*scale/float64(n))
	}
	for k, p := range s.prevalence {
		examples[k] += posts[k] + drift[k] + e.unseenVariance(p, s.targetPosts()) + e.overlap
	}
	return examples
}

const (
	// driftScale is the measured standard error due to drift, as a multiple of the ambiguity, if the
	// posts look like a sample from a single training document.
	driftScale = 3.4

	// maxDrift limits the drift, in units of one training document.
	maxDrift = 0.2
)

// driftVariance returns the error variance due to posts that differ from the training documents. The
// misfit shows that they differ, but not how to correct it, so all ambiguous posts of a category may
// belong elsewhere.
func (s *bootstrap) driftVariance() []float64 {
	drift := driftScale * math.Sqrt(min(s.misfit/max(s.estimator.documents, 1), maxDrift))
	out := s.ambiguity()
	for k, share := range out {
		out[k] = drift * share * drift * share
	}
	return out
}

// ambiguity returns, for each category, the probability that a random post belongs to it and looks
// like another, or the other way around: the mean variance of the posterior.
func (s *bootstrap) ambiguity() []float64 {
	out := make([]float64, len(s.mix))
	posts, total := s.bag.posts, s.bag.total
	if s.bag.target != nil {
		posts, total = s.bag.target, s.bag.targetTotal
	}
	for i, row := range s.likelihoods {
		sum := dot(row, s.mix)
		for k, v := range row {
			if p := v * s.mix[k] / sum; sum > 0 {
				out[k] += p * (1 - p) * posts[i] / total
			}
		}
	}
	return out
}

// unseenVariance returns the error variance of a prevalence due to misclassifications that no
// training document shows. If n documents of a category show no error, one in 5(n+1) posts may
// still be misclassified. This is less than half the usual bound, because the documents do show
// most kinds of errors. The model assumes that as many posts move to other categories as come from
// them.
func (e *Estimator) unseenVariance(prevalence, posts float64) float64 {
	rate := 0.2 / (e.documents + 1)
	out, in := rate*prevalence, rate*(1-prevalence)/float64(max(e.categories-1, 1))
	return out*out + in*in + (out+in)/max(posts, 1)
}

func addSquares(sums, errors []float64, scale float64) {
	for k, e := range errors {
		sums[k] += e * e * scale
	}
}

// newBootstrap prepares a bootstrap of a bag. The random seed is a hash of the bag.
func (e *Estimator) newBootstrap(b bag) *bootstrap {
	h := fnv.New64a()
	for i, key := range b.keys {
		h.Write([]byte(key))
		h.Write([]byte{byte(min(b.posts[i], 255))})
	}
	s := &bootstrap{estimator: e, random: rand.New(rand.NewPCG(h.Sum64(), math.Float64bits(b.total)))}
	s.bag = b.subsample(maxBootstrapGroups, s.random)
	s.likelihoods = e.likelihoods(Anchored, s.bag)
	s.misfit = e.misfit(&s.bag, s.likelihoods)
	s.weight = e.anchorWeight(s.misfit)
	s.mix = maximize(s.likelihoods, s.bag.posts, nil, s.bag.anchorAt(s.bag.posts, s.weight), replicateTolerance/10)
	s.prevalence = s.bag.estimate(s.likelihoods, s.mix, s.weight, replicateTolerance)
	for _, scores := range s.bag.scores() {
		s.plain = append(s.plain, e.plain(scores))
		s.logRatios = append(s.logRatios, e.logRatios(scores))
		s.neighbors = append(s.neighbors, e.kernels.neighbors(scores, nil))
	}
	return s
}

// exampleError repeats the estimate with resampled training documents and returns the difference
// from the original estimate.
func (s *bootstrap) exampleError() []float64 {
	examples := s.resampleExamples()
	c := calibrate(s.estimator.categories, examples, s.estimator.calibration)
	rows := make([][]float64, len(s.likelihoods))
	for i := range rows {
		rows[i] = make([]float64, s.estimator.categories)
		c.apply(s.logRatios[i], rows[i])
		blend(rows[i], examples, s.neighbors[i], s.estimator.kernelWeight)
		average(rows[i], s.plain[i])
	}
	return subtract(s.bag.estimate(rows, s.mix, s.weight, replicateTolerance), s.prevalence)
}

// resampleExamples draws documents with replacement within each category. It returns the examples,
// weighted by how many times their document was drawn.
func (s *bootstrap) resampleExamples() []example {
	examples := append([]example(nil), s.estimator.examples...)
	documents := make([][]int, s.estimator.categories)
	last := -1
	for i := range examples {
		if x := &examples[i]; x.document > last {
			last = x.document
			documents[x.category] = append(documents[x.category], last)
		}
	}
	times := make([]float64, last+1)
	for _, list := range documents {
		for range list {
			times[list[s.random.IntN(len(list))]]++
		}
	}
	balance(s.estimator.categories, examples, func(x *example) float64 { return times[x.document] })
	return examples
}

// postError draws posts like those in the bag, each with a category drawn from its posterior. It
// returns the estimate minus the drawn frequencies.
func (s *bootstrap) postError() []float64 {
	again, truth := s.bag, make([]float64, s.estimator.categories)
	again.posts = make([]float64, len(s.bag.posts))
	if s.bag.target == nil {
		s.draw(s.bag.posts, s.draws(), again.posts, truth)
		return subtract(again.estimate(s.likelihoods, s.mix, s.weight, replicateTolerance), normalize(truth))
	}
	again.target = make([]float64, len(s.bag.target))
	s.draw(s.bag.target, s.draws(), again.target, truth)
	s.draw(subtract(slices.Clone(s.bag.posts), s.bag.target), int(math.Ceil(s.bag.total-s.bag.targetTotal)), again.posts, make([]float64, s.estimator.categories))
	for i, n := range again.target {
		again.posts[i] += n
	}
	return subtract(again.estimate(s.likelihoods, s.mix, s.weight, replicateTolerance), normalize(truth))
}

// draw draws n posts in proportion to weights. It adds them to drawn and their categories to truth.
func (s *bootstrap) draw(weights []float64, n int, drawn, truth []float64) {
	mix := s.smoothedMix(n)
	ends, sum := make([]float64, len(weights)), 0.0
	for i, w := range weights {
		sum += max(0, w)
		ends[i] = sum
	}
	for range n {
		i := min(sort.SearchFloat64s(ends, s.random.Float64()*sum), len(ends)-1)
		drawn[i]++
		truth[s.drawCategory(s.likelihoods[i], mix)]++
	}
}

// smoothedMix returns the mix with additive smoothing.
func (s *bootstrap) smoothedMix(posts int) []float64 {
	mix := make([]float64, len(s.mix))
	for k, p := range s.mix {
		mix[k] = p*float64(posts) + pseudocount
	}
	return normalize(mix)
}

// drawCategory draws the category of a post from its posterior.
func (s *bootstrap) drawCategory(row, mix []float64) int {
	at := s.random.Float64() * dot(row, mix)
	for k, v := range row {
		if at -= v * mix[k]; at < 0 {
			return k
		}
	}
	return len(row) - 1
}

// targetPosts returns the number of posts whose prevalence is estimated.
func (s *bootstrap) targetPosts() float64 {
	if s.bag.target != nil {
		return s.bag.targetTotal
	}
	return s.bag.total
}

// draws returns the number of posts to draw per replicate.
func (s *bootstrap) draws() int {
	return max(1, int(min(math.Round(s.targetPosts()), maxDraws)))
}

// scale returns the factor that converts the variance of the drawn posts to that of all posts.
func (s *bootstrap) scale() float64 {
	return min(1, float64(s.draws())/s.targetPosts())
}

func subtract(a, b []float64) []float64 {
	for k := range a {
		a[k] -= b[k]
	}
	return a
}
