package train

import (
	"math/rand/v2"
	"slices"
	"strings"

	"earshot"
)

const (
	epochs             = 5
	initialRate        = 0.15 // learning rate; it decays to a tenth
	linesPerEpoch      = 2500 // movie lines per language
	pairsPerEpoch      = 2000 // word pairs per language in the specification
	otherPairsPerEpoch = 1000 // word pairs per other language
	dropoutRate        = 0.2  // dropout of n-grams
	rareDropout        = 1.5  // divided by the count of an n-gram; new texts lack many rare n-grams
	minGradient        = 1e-3 // smaller gradients are skipped to save time
)

// An example is a training text.
type example struct {
	text     string
	language int
}

// train fits weights by logistic regression: epochs over all texts in random order, each with new
// random excerpts of sentences and new word pairs.
func (l *regression) train(c *corpus) {
	chance := rand.New(rand.NewPCG(1, 2))
	shares := make([]float32, l.languages)
	for round := range epochs {
		rate := initialRate * (1 - float64(0.9*float64(round)/epochs))
		for _, e := range c.examples(chance) {
			features := l.features(e.text)
			features = slices.DeleteFunc(features, func(f int) bool { return chance.Float64() < l.dropout[f] })
			if len(features) == 0 {
				continue
			}
			l.score(shares, features)
			gradients(shares, e.language)
			l.update(features, shares, float32(rate))
		}
		l.endEpoch()
	}
}

// gradients converts logits to the gradient of the loss: the probabilities, minus 1 for the correct
// language.
func gradients(scores []float32, right int) {
	top := slices.Max(scores)
	sum := 0.0
	for k, s := range scores {
		e := exp(float64(s - top))
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
		}
	}
}

// examples returns the texts of one epoch.
func (c *corpus) examples(chance *rand.Rand) []example {
	var list []example
	for k, t := range c.texts {
		add := func(text string) { list = append(list, example{text, k}) }
		for _, text := range t.sentences {
			add(text)
			add(piece(text, chance))
		}
		for _, text := range t.pairs {
			add(text)
		}
		for range min(linesPerEpoch, len(t.lines)) {
			add(pick(t.lines, chance))
		}
		for range pairs(c.languages[k]) {
			add(pick(t.vocabulary, chance) + " " + pick(t.vocabulary, chance))
		}
	}
	chance.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func pairs(language string) int {
	if _, ours := earshot.FindLanguage(language); ours {
		return pairsPerEpoch
	}
	return otherPairsPerEpoch
}

// piece returns two to six consecutive words of a text.
func piece(text string, chance *rand.Rand) string {
	words := strings.Fields(text)
	n := 2 + chance.IntN(5)
	if n >= len(words) {
		return text
	}
	from := chance.IntN(len(words) - n)
	return strings.Join(words[from:from+n], " ")
}

func pick(list []string, chance *rand.Rand) string { return list[chance.IntN(len(list))] }
