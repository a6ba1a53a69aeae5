package train

import (
	"math/rand/v2"
	"slices"

	"earshot"
)

const (
	epochs         = 8
	initialRate    = 0.15 // learning rate; it decays to a tenth
	dropoutRate    = 0.3  // dropout of n-grams
	rareDropout    = 1.5  // divided by the count of an n-gram; new texts lack many rare n-grams
	minGradient    = 1e-3 // smaller gradients are skipped to save time
	minProbability = -20  // in natural logarithms; less is 0
)

// The texts of an epoch, per language.
const (
	excerptsPerSentence = 3
	linesPerEpoch       = 2500 // movie lines
	postsPerEpoch       = 1500
	fragmentsPerEpoch   = 4000 // pairs of fragments
	pairsPerEpoch       = 2000 // word pairs of a language in the specification
	otherPairsPerEpoch  = 1000 // word pairs of another language
	textsPerEpoch       = 5500 // texts of a language in the specification; excerpts fill up to it
	otherTextsPerEpoch  = 2500
)

// An example is a training text, which may consist of two parts.
type example struct {
	parts    [2]document
	language int
}

// train fits weights by logistic regression: epochs over all texts in random order, each with new
// random excerpts of sentences and new word pairs.
func (l *regression) train() {
	chance := rand.New(rand.NewPCG(1, 2))
	shares := make([]float32, len(l.codes))
	var ngrams []int32
	var steep []int
	for round := range epochs {
		rate := initialRate * (1 - float64(0.9*float64(round)/epochs))
		for _, e := range l.examples(chance) {
			ngrams = l.sample(ngrams[:0], e, chance)
			if len(ngrams) == 0 {
				continue
			}
			l.score(shares, ngrams)
			steep = gradients(shares, e.language, steep[:0])
			l.update(ngrams, shares, steep, float32(rate))
		}
		l.rows.endEpoch()
		l.votes.endEpoch()
	}
}

// sample appends the n-grams of an example that are not dropped out.
func (l *regression) sample(into []int32, e example, chance *rand.Rand) []int32 {
	for _, part := range e.parts {
		for _, word := range part {
			for _, g := range word {
				if chance.Float32() >= l.dropout[g] {
					into = append(into, g)
				}
			}
		}
	}
	return into
}

// gradients converts logits to the gradient of the loss: the probabilities, minus 1 for the correct
// language. It appends the languages whose gradient is not 0 to steep.
func gradients(scores []float32, right int, steep []int) []int {
	top := slices.Max(scores)
	sum := 0.0
	for k, s := range scores {
		e := 0.0
		if s-top > minProbability {
			e = exp(float64(s - top))
		}
		scores[k] = float32(e)
		sum += e
	}
	for k := range scores {
		scores[k] = float32(float64(scores[k]) / sum)
		if k == right {
			scores[k]--
		}
		if max(scores[k], -scores[k]) < minGradient {
			scores[k] = 0
		} else {
			steep = append(steep, k)
		}
	}
	return steep
}

// examples returns the texts of one epoch.
func (l *regression) examples(chance *rand.Rand) []example {
	var list []example
	for k := range l.languages {
		d := &l.languages[k]
		texts, pairs := otherTextsPerEpoch, otherPairsPerEpoch
		if _, ours := earshot.FindLanguage(l.codes[k]); ours {
			texts, pairs = textsPerEpoch, pairsPerEpoch
		}
		add := func(a, b document) { list = append(list, example{[2]document{a, b}, k}) }
		start := len(list)
		for _, text := range d.sentences {
			add(text, nil)
			for range excerptsPerSentence {
				add(excerpt(text, 6, chance), nil)
			}
		}
		for _, text := range d.pairs {
			add(text, nil)
		}
		for range min(linesPerEpoch, len(d.lines)) {
			add(pick(d.lines, chance), nil)
		}
		for range min(postsPerEpoch, len(d.posts)) {
			add(pick(d.posts, chance), nil)
		}
		for len(d.sentences) > 0 && len(list)-start < texts {
			add(excerpt(pick(d.sentences, chance), 12, chance), nil)
		}
		if len(d.fragments) > 0 {
			for range fragmentsPerEpoch {
				add(d.fragment(chance), d.fragment(chance))
			}
		}
		for range pairs {
			add(pick(d.vocabulary, chance), pick(d.vocabulary, chance))
		}
	}
	chance.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// excerpt returns two to most consecutive words of a text.
func excerpt(text document, most int, chance *rand.Rand) document {
	n := 2 + chance.IntN(most-1)
	if n >= len(text) {
		return text
	}
	from := chance.IntN(len(text) - n + 1)
	return text[from : from+n]
}

// fragment returns a random fragment.
func (d *documents) fragment(chance *rand.Rand) document {
	sum := d.ends[len(d.ends)-1]
	at, _ := slices.BinarySearch(d.ends, float64(chance.Float64()*sum))
	return d.fragments[min(at, len(d.fragments)-1)]
}

func pick(list []document, chance *rand.Rand) document { return list[chance.IntN(len(list))] }
