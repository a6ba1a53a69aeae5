package train

import (
	"unicode/utf8"

	"earshot/internal/model/langid"
)

// A document is a text as the numbers of its n-grams, by word.
type document [][]int32

// documents are the texts of a language.
type documents struct {
	sentences, pairs, lines, posts, vocabulary []document

	// fragments are five letters each that occur inside words. ends are the sums of their chances,
	// which are higher for frequent ones.
	fragments []document
	ends      []float64
}

// A numbering numbers all n-grams, in the order in which they occur first.
type numbering struct {
	number    map[uint32]int32
	ngrams    []uint32
	counts    []int32      // occurrences in texts, or an estimate from shares
	languages []documents  // by language
	shares    []ngramShare // shares of n-grams
}

// An ngramShare is the share of an n-gram in one language.
type ngramShare struct {
	ngram    int32
	language int
	value    float64
}

const (
	fragmentLetters = 5

	// estimatedLetters is the number of letters of a corpus whose counts would equal the estimates.
	estimatedLetters = 1_000_000

	// fragmentPower lowers the chances of frequent fragments, so that more different ones occur.
	fragmentPower = 0.6
)

// number numbers the n-grams of a corpus.
func number(c *corpus) *numbering {
	n := &numbering{number: map[uint32]int32{}, languages: make([]documents, len(c.texts))}
	for k, t := range c.texts {
		d := &n.languages[k]
		d.sentences = n.addAll(t.sentences)
		d.pairs = n.addAll(t.pairs)
		d.lines = n.addAll(t.lines)
		d.posts = n.addAll(t.posts)
		d.vocabulary = n.addAll(t.vocabulary)
	}
	for k, t := range c.texts {
		n.addShares(k, t.shares)
	}
	return n
}

func (n *numbering) addAll(texts []string) []document {
	list := make([]document, len(texts))
	for i, text := range texts {
		_, words := langid.NGrams(text)
		list[i] = make(document, len(words))
		for j, grams := range words {
			list[i][j] = n.numbers(grams)
			for _, g := range list[i][j] {
				n.counts[g]++
			}
		}
	}
	return list
}

// numbers returns the numbers of n-grams.
func (n *numbering) numbers(grams []uint32) []int32 {
	list := make([]int32, len(grams))
	for i, g := range grams {
		at, ok := n.number[g]
		if !ok {
			at = int32(len(n.ngrams))
			n.number[g] = at
			n.ngrams = append(n.ngrams, g)
			n.counts = append(n.counts, 0)
		}
		list[i] = at
	}
	return list
}

// addShares adds the n-grams inside words of a language. The longest ones become fragments.
func (n *numbering) addShares(language int, shares []share) {
	d := &n.languages[language]
	sum := 0.0
	for _, s := range shares {
		_, grams := langid.InnerNGrams(s.letters)
		length := utf8.RuneCountInString(s.letters)
		numbers := n.numbers(grams)
		whole := numbers[length-1] // the last n-gram that starts with the first letter
		n.shares = append(n.shares, ngramShare{whole, language, s.value})
		n.counts[whole] = max(n.counts[whole], int32(s.value*estimatedLetters))
		if length == fragmentLetters {
			sum += exp(float64(fragmentPower * ln(s.value)))
			d.fragments = append(d.fragments, document{numbers})
			d.ends = append(d.ends, sum)
		}
	}
}

// groups returns the documents with their weight in naive Bayes counts.
func (d *documents) groups() []group {
	return []group{
		{d.sentences, 1}, {d.pairs, 1}, {d.vocabulary, vocabularyWeight},
		{d.lines, lineWeight}, {d.posts, lineWeight}, {d.fragments, 0},
	}
}

// A group is a list of documents of equal weight.
type group struct {
	documents []document
	weight    float32
}

// keep renumbers the n-grams of all documents, and removes those whose new number is negative.
func (n *numbering) keep(numbers []int32) {
	for k := range n.languages {
		for _, g := range n.languages[k].groups() {
			for _, d := range g.documents {
				for i, word := range d {
					kept := word[:0]
					for _, old := range word {
						if at := numbers[old]; at >= 0 {
							kept = append(kept, at)
						}
					}
					d[i] = kept
				}
			}
		}
	}
}
