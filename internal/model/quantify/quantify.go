// Package quantify estimates the prevalence of each category among many posts. It does not count
// the predicted category of each post: a classifier errs more often towards some categories, and
// counts inherit that bias. Instead it finds the mix of categories that best explains the scores of
// all posts, given the held-out scores of the training documents of each category.
//
// An Estimator is fitted to such Examples once and estimates any number of samples; it is safe for
// concurrent use. Results are deterministic. docs/decisions/0046-quantification.md compares the
// methods.
package quantify

// An Example is a training document with its held-out scores: those of a model that was not trained
// on it. A document may have several examples, by models trained on different others.
type Example struct {
	Scores   []float32
	Category int // index
	Document int // shared by the examples of one document; 0: the only example
}

// A Group is a number of posts with equal scores. Scores are quantized by Level, so stored and
// fresh scores give the same estimate.
type Group struct {
	Scores []float32
	Posts  float64
}

// A Method is a quantification method.
type Method string

// The methods, simplest first.
const (
	ClassifyAndCount           Method = "classifyAndCount"           // predicted categories
	ProbabilisticCount         Method = "probabilisticCount"         // mean scores
	AdjustedCount              Method = "adjustedCount"              // the first, corrected by the confusion matrix
	ProbabilisticAdjustedCount Method = "probabilisticAdjustedCount" // the second, corrected likewise
	ExpectationMaximization    Method = "expectationMaximisation"    // maximum likelihood mix of the scores as they are
	HopkinsKing                Method = "hopkinsKing"                // mix that explains the frequencies of score patterns
	KernelDensity              Method = "kernelDensity"              // maximum likelihood mix of a kernel density estimate
	Calibrated                 Method = "calibrated"                 // maximum likelihood mix of calibrated scores
	Blended                    Method = "blended"                    // maximum likelihood mix of the average of the last two
)

// Methods lists every method, simplest first.
var Methods = []Method{
	ClassifyAndCount, ProbabilisticCount, AdjustedCount, ProbabilisticAdjustedCount, ExpectationMaximization, HopkinsKing,
	KernelDensity, Calibrated, Blended,
}

// Default is the method of Prevalence, chosen by experiment.
const Default = Blended

// An Estimator holds the score distributions of the categories.
type Estimator struct {
	categories   int
	prior        []float64
	examples     []example
	calibration  calibration
	kernels      *kernels
	documents    float64 // mean number per category
	overlap      float64 // variance due to overlapping categories
	kernelWeight float64 // of Blended
	power        float64 // that Blended raises likelihoods to
	cache        likelihoodCache
}

// New returns an estimator. The scores of examples, and of posts, are calibrated for the given
// prior. Examples without a valid category, or with another number of scores, are skipped.
func New(categories int, prior []float64, examples []Example) *Estimator {
	e := &Estimator{categories: categories, prior: normalizePrior(categories, prior)}
	e.examples = e.newExamples(examples)
	e.calibration = calibrate(categories, e.examples, calibration{})
	e.kernels = newKernels(categories, e.examples)
	e.documents = meanDocuments(categories, e.examples)
	e.overlap = e.overlapVariance()
	e.kernelWeight = e.documents / (e.documents + kernelDocuments)
	e.power = 1 + min(e.documents/powerDocuments, maxExtraPower)
	return e
}

const (
	// kernelDocuments is how many documents per category give kernels the same weight as the
	// calibration, which needs fewer.
	kernelDocuments = 120

	// A power above 1 moves the estimate towards counting predicted categories. With few
	// documents, errors come from poorly known score distributions. With hundreds, they come from
	// drift since training, which no correction can know; then it is better to correct less.
	powerDocuments = 900
	maxExtraPower  = 1.5
)

// Prevalence estimates the prevalence of each category in a sample. The values sum to 1; without
// posts they are the prior.
func (e *Estimator) Prevalence(sample []Group) []float64 {
	return e.ByMethod(Default, sample)
}

// ByMethod is Prevalence with the given method.
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
	}
	return b.estimate(e.likelihoods(method, b), nil, tolerance)
}

// estimate is Prevalence of a bag.
func (e *Estimator) estimate(b bag) []float64 {
	return b.estimate(e.likelihoods(Default, b), nil, tolerance)
}
