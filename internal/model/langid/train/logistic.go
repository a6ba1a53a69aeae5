package train

import (
	"math/rand/v2"
	"slices"
	"strings"

	"earshot"
)

const (
	rounds      = 5
	firstRate   = 0.15 // of learning; the last round's is near a tenth
	linesARound = 2500 // of a language
	pairsARound = 2000 // of words of the vocabulary, for a language of ours
	pairsOther  = 1000 // for another
	leftOut     = 0.2  // of the n-grams of a text, so that none is relied on
	rareLeftOut = 1.5  // of a rare n-gram, divided by how often it was seen: new texts lack many
	settled     = 1e-3 // a slope that is not worth a step
)

// An example is a text to learn from.
type example struct {
	text     string
	language int
}

// train corrects weights by logistic regression: rounds over all texts in an order of
// chance, each time with other pieces of sentences and other pairs of words.
func (l *learner) train(c *corpus) {
	chance := rand.New(rand.NewPCG(1, 2))
	shares := make([]float32, l.languages)
	for round := range rounds {
		rate := firstRate * (1 - float64(0.9*float64(round)/rounds))
		for _, e := range c.examples(chance) {
			features := l.features(e.text)
			features = slices.DeleteFunc(features, func(f int) bool { return chance.Float64() < l.leave[f] })
			if len(features) == 0 {
				continue
			}
			l.score(shares, features)
			slopes(shares, e.language)
			l.correct(features, shares, float32(rate))
		}
		l.endRound()
	}
}

// slopes turns scores into how wrong they are: the share that each language gets, less
// 1 for the right one.
func slopes(scores []float32, right int) {
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
		if max(scores[k], -scores[k]) < settled {
			scores[k] = 0
		}
	}
}

// examples returns the texts of one round.
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
		for range min(linesARound, len(t.lines)) {
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
		return pairsARound
	}
	return pairsOther
}

// piece returns two to six words in a row of a text.
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
