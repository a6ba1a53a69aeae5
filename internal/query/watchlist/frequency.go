package watchlist

import (
	"math/bits"
	"sync/atomic"

	"earshot"
	"earshot/internal/query"
)

// A frequency estimates how often posts have a number. It begins with a guess
// and learns from some of the posts that are matched. It is safe for parallel use.
type frequency struct {
	seen   atomic.Uint64 // posts, ever
	weight atomic.Uint64 // posts that counts stand for
	counts [1 << 16]atomic.Uint32
}

const (
	// perPosts is the number of posts to which an estimate refers.
	perPosts = 1 << 20

	// fading is the weight at which counts are halved, so that what posts were about
	// long ago is forgotten, and no count runs over.
	fading = 1 << 20
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

// newFrequency returns one that has seen no post: common words are taken to be
// common, all others to be equally rare.
func newFrequency() *frequency {
	const made, most = 256, 128 // posts made up, and of them those with the first of the words
	f := new(frequency)
	words := query.NewDocument(&earshot.Post{Contents: commonWords})
	for i := range words.Len() {
		f.counts[short(number(words.TokenHash(i)))].Add(uint32(most * 16 / (16 + i)))
	}
	f.weight.Store(made)
	return f
}

// guess is how many posts of perPosts have a number of a trait, as long as they
// were not counted. A beginning of a word is the commoner the shorter it is.
func guess(t trait) int {
	switch {
	case 0 < t && t <= longestPrefix:
		return perPosts >> (2 * (t - 1))
	case t == ofSource || t == ofLanguage:
		return perPosts / 2
	}
	return perPosts / 10_000
}

// of returns how many posts of perPosts have a number, estimated. Traits that no
// monitor asks for are not counted, so those are taken to be as frequent as guessed
// until they are seen to be more.
func (f *frequency) of(n number, t trait) int {
	counted := int(uint64(f.counts[short(n)].Load()) * perPosts / f.weight.Load())
	return max(counted, guess(t), 1)
}

// ofKey is the same for a key of a query.
func (f *frequency) ofKey(k query.Literal) int {
	n, _ := keyed(k)
	return f.of(n, trait(min(len(k.Prefix), longestPrefix)))
}

// learn counts the numbers of a post.
func (f *frequency) learn(numbers []number) {
	for _, n := range numbers {
		f.counts[short(n)].Add(1)
	}
	f.seen.Add(1)
	if f.weight.Add(1) == fading {
		f.fade()
	}
}

// fade halves all counts. Some that are made meanwhile get lost, which no estimate
// will show.
func (f *frequency) fade() {
	for i := range f.counts {
		f.counts[i].Store(f.counts[i].Load() / 2)
	}
	f.weight.Store(fading / 2)
}

// lessons returns how much was learnt: it grows by one whenever four times as many
// posts were seen, which is when estimates may have changed for the better.
func (f *frequency) lessons() int { return bits.Len64(f.seen.Load()/64) / 2 }
