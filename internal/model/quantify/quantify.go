// Package quantify estimates the prevalence of each category among many posts (quantification). It
// does not count the predicted category of each post, because a classifier is biased toward some
// categories, and counts inherit that bias. Instead it finds the mix of categories that best
// explains the scores of all posts, given the held-out scores of the training documents of each
// category.
//
// An [Estimator] is fitted once, to [Example] values, and can then be applied to any number of
// samples. It is safe for concurrent use, and results are deterministic.
// docs/decisions/0046-quantification.md compares the methods.
package quantify

// An Example is a training document with its held-out scores, that is, scores from a model that was
// not trained on it. A document may have several examples, from models trained on different
// subsets.
type Example struct {
	Scores   []float32
	Category int // index of the category
	Document int // shared by the examples of one document; 0 if this is its only example
}

// A Group is a number of posts with equal scores. Scores are quantized by [Level], so stored and
// fresh scores give the same estimate.
type Group struct {
	Scores []float32
	Posts  float64
}

// A Method is a quantification method.
type Method string

// The methods, simplest first.
const (
	// ClassifyAndCount counts predicted categories.
	ClassifyAndCount Method = "classifyAndCount"
	// ProbabilisticCount is the mean of the scores.
	ProbabilisticCount Method = "probabilisticCount"
	// AdjustedCount is ClassifyAndCount corrected by the confusion matrix.
	AdjustedCount Method = "adjustedCount"
	// ProbabilisticAdjustedCount is ProbabilisticCount corrected by the confusion matrix.
	ProbabilisticAdjustedCount Method = "probabilisticAdjustedCount"
	// ExpectationMaximization is the maximum likelihood mix of the scores as they are.
	ExpectationMaximization Method = "expectationMaximisation"
	// HopkinsKing is the mix that explains the frequencies of score patterns.
	HopkinsKing Method = "hopkinsKing"
	// KernelDensity is the maximum likelihood mix of a kernel density estimate.
	KernelDensity Method = "kernelDensity"
	// Calibrated is the maximum likelihood mix of calibrated scores.
	Calibrated Method = "calibrated"
	// Blended is the maximum likelihood mix of the average of KernelDensity and Calibrated.
	Blended Method = "blended"
	// Anchored is the mix of the average of Blended and ExpectationMaximization, pulled toward
	// ClassifyAndCount. See anchor.
	Anchored Method = "anchored"
)

// Methods lists every method, simplest first.
var Methods = []Method{
	ClassifyAndCount, ProbabilisticCount, AdjustedCount, ProbabilisticAdjustedCount, ExpectationMaximization, HopkinsKing,
	KernelDensity, Calibrated, Blended, Anchored,
}

// Default is the method that [Estimator.Prevalence] uses. It was chosen by experiment.
const Default = Anchored

// An Estimator holds the score distributions of the categories.
type Estimator struct {
	categories   int
	prior        []float64
	examples     []example
	calibration  calibration
	kernels      *kernels
	patterns     *patterns
	documents    float64 // harmonic mean of the number per category
	overlap      float64 // variance due to overlapping categories
	sufficient   bool
	kernelWeight float64 // weight of the kernels in Blended
	cache        likelihoodCache
}

// New returns an estimator. The scores of examples and posts must be calibrated for the given
// prior. Examples with an invalid category or the wrong number of scores are skipped.
func New(categories int, prior []float64, examples []Example) *Estimator {
	e := &Estimator{categories: categories, prior: normalizePrior(categories, prior)}
	e.examples = e.newExamples(examples)
	e.calibration = calibrate(categories, e.examples, calibration{})
	e.kernels = newKernels(categories, e.examples)
	e.documents = meanDocuments(categories, e.examples)
	skill := skill(categories, e.examples)
	e.overlap, e.sufficient = overlapVariance(skill), e.documents*skill*skill >= minEvidence
	e.kernelWeight = e.documents / (e.documents + kernelDocuments)
	e.patterns = newPatterns(categories, e.examples)
	return e
}

// kernelDocuments is the number of documents per category at which kernels get the same weight as
// the calibration. Kernels need more documents than the calibration does.
const kernelDocuments = 120

// Prevalence estimates the prevalence of each category in a sample. The values sum to 1. Without
// posts, it returns the prior.
func (e *Estimator) Prevalence(sample []Group) []float64 {
	return e.ByMethod(Default, sample)
}

// ByMethod is like [Estimator.Prevalence] but uses the given method.
func (e *Estimator) ByMethod(method Method, sample []Group) []float64 {
	b := e.newBag(sample)
	if b.total == 0 {
		return append([]float64(nil), e.prior...)
	}
	switch method {
	case ClassifyAndCount:
		return b.mean(b.assigned())
	case ProbabilisticCount:
		return b.mean(b.scores())
	case AdjustedCount:
		return fitMixture(e.confusion(func(x *example) []float64 { return x.assigned }), b.mean(b.assigned()))
	case ProbabilisticAdjustedCount:
		return fitMixture(e.confusion(func(x *example) []float64 { return x.scores }), b.mean(b.scores()))
	case HopkinsKing:
		return e.hopkinsKing(b)
	case Anchored:
		return e.estimate(b)
	}
	return b.estimate(e.likelihoods(method, b), nil, 0, tolerance)
}

// estimate returns the prevalence of a bag. If the examples are not [Sufficient], it counts.
func (e *Estimator) estimate(b bag) []float64 {
	if !e.sufficient {
		return b.counted()
	}
	likelihoods := e.likelihoods(Anchored, b)
	return b.estimate(likelihoods, nil, e.anchorWeight(e.misfit(&b, likelihoods)), tolerance)
}
