package watchlist

import (
	"math/bits"
	"sync/atomic"

	"earshot"
	"earshot/internal/query"
)

// A frequencySketch estimates how often posts have a number. It begins with a guess
// and learns from some of the posts that are matched. It is safe for parallel use.
type frequencySketch struct {
	posts  atomic.Uint64 // posts, ever
	weight atomic.Uint64 // posts that counts stand for
	counts [1 << 16]atomic.Uint32
}

const (
	// estimateBase is the number of posts to which an estimate refers.
	estimateBase = 1 << 20

	// decayWeight is the weight at which counts are halved, so that what posts were about
	// long ago is forgotten, and no count runs over.
	decayWeight = 1 << 20
)

// commonWords are those that make up much of what people write, in the languages
// that most write in, roughly in order of their share.
const commonWords = `the to a of and in is i you for on it that this my with at be me are have was so
	de la que el en y los no se un por las una es lo para con
	и в не на я с что а по как это у за так все
	but not just all we from your they he if up do can what when like get out about an as or who will has
	le les des est et je pas pour du dans sur ne une il qui
	der die das und ich ist nicht es zu den mit auf ein von
	o e não eu um uma os com di che non il per è un sono
	no now good new one love day time today people go know see more some our his her their there been would
	rt http https t co com www amp via`

// newFrequencySketch returns one that has seen no post: common words are taken to be
// common, all others to be equally rare.
func newFrequencySketch() *frequencySketch {
	const made, most = 256, 128 // posts made up, and of them those with the first of the words
	f := new(frequencySketch)
	words := query.NewDocument(&earshot.Post{Contents: commonWords})
	for i := range words.Len() {
		f.counts[bloomBit(feature(words.TokenHash(i)))].Add(uint32(most * 16 / (16 + i)))
	}
	f.weight.Store(made)
	return f
}

// prior is how many posts of estimateBase have a number of a trait, as long as they
// were not counted. A beginning of a word is the commoner the shorter it is.
func prior(t featureKind) int {
	switch {
	case 0 < t && t <= maxPrefix:
		return estimateBase >> (2 * (t - 1))
	case t == kindSource || t == kindLanguage:
		return estimateBase / 2
	}
	return estimateBase / 10_000
}

// estimate returns how many posts of estimateBase have a number, estimated. Traits that no
// monitor asks for are not counted, so those are taken to be as frequent as guessed
// until they are seen to be more.
func (f *frequencySketch) estimate(n feature, t featureKind) int {
	counted := int(uint64(f.counts[bloomBit(n)].Load()) * estimateBase / f.weight.Load())
	return max(counted, prior(t), 1)
}

// estimateLiteral is the same for a key of a query.
func (f *frequencySketch) estimateLiteral(k query.Literal) int {
	n, _ := literalFeature(k)
	return f.estimate(n, featureKind(min(len(k.Prefix), maxPrefix)))
}

// observe counts the numbers of a post.
func (f *frequencySketch) observe(numbers []feature) {
	for _, n := range numbers {
		f.counts[bloomBit(n)].Add(1)
	}
	f.posts.Add(1)
	if f.weight.Add(1) == decayWeight {
		f.decay()
	}
}

// decay halves all counts. Some that are made meanwhile get lost, which no estimate
// will show.
func (f *frequencySketch) decay() {
	for i := range f.counts {
		f.counts[i].Store(f.counts[i].Load() / 2)
	}
	f.weight.Store(decayWeight / 2)
}

// epoch returns how much was learnt: it grows by one whenever four times as many
// posts were seen, which is when estimates may have changed for the better.
func (f *frequencySketch) epoch() int { return bits.Len64(f.posts.Load()/64) / 2 }
