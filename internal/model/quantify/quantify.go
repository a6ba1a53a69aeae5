// Package quantify estimates what share of many posts each category has. It does
// not count to which category single posts were assigned: a classifier that errs
// errs more often towards some categories, and counts carry that on. It asks which
// mix of the categories explains the scores of all posts best, given what scores the
// training documents of each category have when they are scored by a model that has
// not seen them.
//
// An Estimator learns from such Lessons once and answers for any number of samples;
// it may be used by several goroutines. The same lessons and the same sample always
// give the same answer. docs/decisions/0046-quantification.md compares the methods.
package quantify

// A Lesson is a training document: its shares by a model that has not seen it, and the
// place of the category it belongs to. A document may give several lessons, by models that
// learnt from different others.
type Lesson struct {
	Shares   []float32
	Category int
	Document int // the same for lessons of one document; 0: of no other lesson
}

// A Group is posts that have the same shares, and how many they are. Shares are taken by
// their levels, so it does not matter whether they were stored.
type Group struct {
	Shares []float32
	Posts  float64
}

// A Method is a way to estimate proportions.
type Method string

// The methods, simplest first.
const (
	ClassifyAndCount           Method = "classifyAndCount"           // posts by the category they look most like
	ProbabilisticCount         Method = "probabilisticCount"         // the mean of the shares
	AdjustedCount              Method = "adjustedCount"              // the first, corrected by how lessons of each category are classified
	ProbabilisticAdjustedCount Method = "probabilisticAdjustedCount" // the second, corrected likewise
	ExpectationMaximisation    Method = "expectationMaximisation"    // the mix under which the shares are likeliest, taken as they are
	HopkinsKing                Method = "hopkinsKing"                // the mix that explains how often patterns of shares occur
	KernelDensity              Method = "kernelDensity"              // the likeliest mix, given lessons with similar shares
	Calibrated                 Method = "calibrated"                 // the likeliest mix, given shares that the lessons have corrected
	Blended                    Method = "blended"                    // the likeliest mix, given the average of the last two
)

// Methods lists every method, simplest first.
var Methods = []Method{
	ClassifyAndCount, ProbabilisticCount, AdjustedCount, ProbabilisticAdjustedCount, ExpectationMaximisation, HopkinsKing,
	KernelDensity, Calibrated, Blended,
}

// Default is the method of Proportions, chosen by experiment.
const Default = Blended

// An Estimator knows what the shares of documents of each category look like.
type Estimator struct {
	categories int
	prior      []float64
	lessons    []lesson
	calibrated calibration
	kernels    *kernels
	usual      float64 // documents of a category
	blind      float64 // variance that every proportion has where categories cannot be told apart
	blend      float64 // the weight of kernels in Blended
	caution    float64 // the power that likelihoods are raised to in Blended
	known      memory
}

// New returns an estimator. The shares of lessons, and of posts, are calibrated for a
// mix of the categories like prior. Lessons of no category, or with another number
// of shares, are passed over.
func New(categories int, prior []float64, lessons []Lesson) *Estimator {
	e := &Estimator{categories: categories, prior: proper(categories, prior)}
	e.lessons = e.learn(lessons)
	e.calibrated = calibrate(categories, e.lessons, calibration{})
	e.kernels = newKernels(categories, e.lessons)
	e.usual = usualDocuments(categories, e.lessons)
	e.blind = e.blindness()
	e.blend = e.usual / (e.usual + blendDocuments)
	e.caution = 1 + min(e.usual/cautionDocuments, mostCaution)
	return e
}

const (
	// blendDocuments is how many documents a category must have for its kernels to count as
	// much as the calibration, which needs fewer.
	blendDocuments = 120

	// A power above 1 moves an estimate towards counting the likeliest categories. With few
	// documents errors come from not knowing what the categories look like. With hundreds
	// they come from posts that look different from what was learnt long before, which no
	// correction knows; then it is better to correct less.
	cautionDocuments = 900
	mostCaution      = 1.5
)

// Proportions estimates the share of each category among the posts of a sample. They
// add up to 1; without posts they are those of the prior.
func (e *Estimator) Proportions(sample []Group) []float64 {
	return e.ByMethod(Default, sample)
}

// ByMethod is Proportions by a method of choice.
func (e *Estimator) ByMethod(method Method, sample []Group) []float64 {
	b := e.read(sample)
	if b.total == 0 {
		return append([]float64(nil), e.prior...)
	}
	switch method {
	case ClassifyAndCount:
		return b.average(b.assigned())
	case ProbabilisticCount:
		return b.average(b.shares())
	case AdjustedCount:
		return e.adjusted(b.average(b.assigned()), func(l *lesson) []float64 { return l.assigned })
	case ProbabilisticAdjustedCount:
		return e.adjusted(b.average(b.shares()), func(l *lesson) []float64 { return l.shares })
	case HopkinsKing:
		return e.hopkinsKing(b)
	}
	return b.estimate(e.likelihoods(method, b), nil, leastStep)
}

// estimate is Proportions of a bag.
func (e *Estimator) estimate(b bag) []float64 {
	return b.estimate(e.likelihoods(Default, b), nil, leastStep)
}
