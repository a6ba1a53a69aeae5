package watchlist

import (
	"math/bits"
	"sync/atomic"

	"earshot"
	"earshot/internal/query"
)

// A frequencySketch estimates how often posts have a feature. It is a count-min sketch with one
// row. It starts with priors and observes a sample of the posts. It is safe for concurrent use.
type frequencySketch struct {
	posts  atomic.Uint64 // total number of observed posts
	weight atomic.Uint64 // number of posts that counts represent
	counts [1 << 16]atomic.Uint32
}

const (
	// estimateBase is the number of posts that estimates refer to.
	estimateBase = 1 << 20

	// decayWeight is the weight at which all counts are halved, so that old posts lose influence
	// and counts do not overflow.
	decayWeight = 1 << 20
)

// commonWords lists the most frequent words of the most common languages, roughly by frequency.
const commonWords = `the to a of and in is i you for on it that this my with at be me are have was so
	de la que el en y los no se un por las una es lo para con
	и в не на я с что а по как это у за так все
	but not just all we from your they he if up do can what when like get out about an as or who will has
	le les des est et je pas pour du dans sur ne une il qui
	der die das und ich ist nicht es zu den mit auf ein von
	o e não eu um uma os com di che non il per è un sono
	no now good new one love day time today people go know see more some our his her their there been would
	rt http https t co com www amp via`

// newFrequencySketch returns a sketch without observations. It has priors for common words, and
// treats all other words as equally rare.
func newFrequencySketch() *frequencySketch {
	// The number of imaginary posts, and how many of them have the first word.
	const priorPosts, maxCount = 256, 128
	f := new(frequencySketch)
	words := query.NewDocument(&earshot.Post{Contents: commonWords})
	for i := range words.Len() {
		f.counts[bloomBit(feature(words.TokenHash(i)))].Add(uint32(maxCount * 16 / (16 + i)))
	}
	f.weight.Store(priorPosts)
	return f
}

// prior returns the expected number of posts, out of estimateBase, that have a feature of a kind
// before any posts are observed. Short prefixes are more common than long ones.
func prior(k featureKind) int {
	switch {
	case 0 < k && k <= maxPrefix:
		return estimateBase >> (2 * (k - 1))
	case k == kindSource || k == kindLanguage:
		return estimateBase / 2
	}
	return estimateBase / 10_000
}

// estimate returns the approximate number of posts, out of estimateBase, that have a feature. It is
// at least the prior, because features of kinds that no monitor uses are not observed.
func (s *frequencySketch) estimate(f feature, k featureKind) int {
	observed := int(uint64(s.counts[bloomBit(f)].Load()) * estimateBase / s.weight.Load())
	return max(observed, prior(k), 1)
}

// estimateLiteral is estimate for a query literal.
func (s *frequencySketch) estimateLiteral(l query.Literal) int {
	f, _ := literalFeature(l)
	return s.estimate(f, featureKind(min(len(l.Prefix), maxPrefix)))
}

// observe counts the features of a post.
func (s *frequencySketch) observe(features []feature) {
	for _, f := range features {
		s.counts[bloomBit(f)].Add(1)
	}
	s.posts.Add(1)
	if s.weight.Add(1) != decayWeight {
		return
	}
	// Halve all counts. Losing a concurrent observation does not matter.
	for i := range s.counts {
		s.counts[i].Store(s.counts[i].Load() / 2)
	}
	s.weight.Store(decayWeight / 2)
}

// epoch increases by one each time the number of observed posts has quadrupled, which is when
// estimates may have improved.
func (s *frequencySketch) epoch() int { return bits.Len64(s.posts.Load()/64) / 2 }
