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
// place of the category it belongs to.
type Lesson struct {
	Shares   []float32
	Category int
}

// A Group is posts that have the same shares, and how many they are.
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
	AdjustedCount              Method = "adjustedCount"              // the first, corrected by how documents of each category are classified
	ProbabilisticAdjustedCount Method = "probabilisticAdjustedCount" // the second, corrected likewise
	ExpectationMaximisation    Method = "expectationMaximisation"    // the mix under which the shares are likeliest
	HopkinsKing                Method = "hopkinsKing"                // the mix that explains how often patterns of shares occur
)

// Methods lists every method, simplest first.
var Methods = []Method{
	ClassifyAndCount, ProbabilisticCount, AdjustedCount, ProbabilisticAdjustedCount, ExpectationMaximisation, HopkinsKing,
}

// Default is the method of Proportions.
const Default = ExpectationMaximisation

// An Estimator knows what the shares of documents of each category look like.
type Estimator struct {
	categories int
	prior      []float64
	lessons    []lesson
}

// A lesson is a Lesson as it would be read back from where posts are stored.
type lesson struct {
	shares   []float64
	category int
}

// New returns an estimator. The shares of lessons, and of posts, are calibrated for a
// mix of the categories like prior. Lessons of no category, or with another number
// of shares, are passed over.
func New(categories int, prior []float64, lessons []Lesson) *Estimator {
	e := &Estimator{categories: categories, prior: proper(categories, prior)}
	for _, l := range lessons {
		if l.Category < 0 || l.Category >= categories || len(l.Shares) != categories {
			continue
		}
		e.lessons = append(e.lessons, lesson{shares: coarse(l.Shares), category: l.Category})
	}
	return e
}

// Proportions estimates the share of each category among the posts of a sample. They
// add up to 1; without posts they are those of the prior.
func (e *Estimator) Proportions(sample []Group) []float64 {
	return e.ByMethod(Default, sample)
}

// ByMethod is Proportions by a method of choice.
func (e *Estimator) ByMethod(method Method, sample []Group) []float64 {
	posts := e.read(sample)
	if posts.total == 0 {
		return e.even()
	}
	switch method {
	case ClassifyAndCount:
		return posts.counted()
	case ProbabilisticCount:
		return posts.mean()
	case AdjustedCount:
		return e.adjusted(posts.counted(), assigned)
	case ProbabilisticAdjustedCount:
		return e.adjusted(posts.mean(), itself)
	case HopkinsKing:
		return e.hopkinsKing(posts)
	}
	return maximise(posts.likelihoods(e.prior), posts.weights)
}

// even returns the prior, as what is known when nothing is.
func (e *Estimator) even() []float64 {
	return append([]float64(nil), e.prior...)
}
