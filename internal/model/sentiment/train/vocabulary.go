package train

import (
	"slices"

	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
)

// A vocabulary numbers the features and words that are seen often enough.
type vocabulary struct {
	words  numbering // features of words and their neighbours
	parts  numbering // features of letters
	tokens numbering // words under filters; 0 is any other
	spelt  []spelling
	biases map[string]int32
}

// A numbering gives numbers from 0 to features, in the order they are first seen.
type numbering struct {
	of     map[uint64]int32
	hashes []uint64
	counts map[uint64]int32
}

// A spelling is a word with the numbers of its parts.
type spelling struct {
	hash  uint64
	count int32
	parts []int32
}

// How often a feature must be seen.
const (
	leastWords  = 2
	leastParts  = 4
	leastTokens = 2
)

func newVocabulary(texts []text, lexicon *sentiment.Lexicon) *vocabulary {
	v := &vocabulary{biases: map[string]int32{}}
	var words, parts, tokens counter
	forms := map[uint64]string{}
	var in sentiment.Input
	var features []uint64
	for i := range texts {
		lexicon.Read(&in, texts[i].text, texts[i].language)
		words.add(in.Words)
		for _, tok := range in.Tokens {
			features = features[:0]
			if tok.Kind == classify.Word {
				features = classify.AppendNGrams(features, in.Form(tok))
			}
			parts.add(features)
			if _, ok := forms[tok.Hash]; !ok && tok.Kind == classify.Word {
				forms[tok.Hash] = string(in.Form(tok))
			}
			if slices.Contains(filteredLanguages, texts[i].language) {
				tokens.add([]uint64{tok.Hash})
			}
		}
	}
	v.words, v.parts, v.tokens = words.number(leastWords), parts.number(leastParts), tokens.number(leastTokens)
	for _, hash := range v.words.hashes {
		if form, ok := forms[hash]; ok {
			features = classify.AppendNGrams(features[:0], []byte(form))
			v.spelt = append(v.spelt, spelling{hash, v.words.counts[hash], v.parts.find(nil, features)})
		}
	}
	return v
}

// A counter counts features.
type counter struct {
	counts map[uint64]int32
	order  []uint64
}

func (c *counter) add(features []uint64) {
	if c.counts == nil {
		c.counts = map[uint64]int32{}
	}
	for _, f := range features {
		if c.counts[f]++; c.counts[f] == 1 {
			c.order = append(c.order, f)
		}
	}
}

func (c *counter) number(least int32) numbering {
	n := numbering{of: map[uint64]int32{}, counts: c.counts}
	for _, f := range c.order {
		if c.counts[f] >= least {
			n.of[f] = int32(len(n.hashes))
			n.hashes = append(n.hashes, f)
		}
	}
	return n
}

// find appends the numbers of the features that have one.
func (n *numbering) find(dst []int32, features []uint64) []int32 {
	for _, f := range features {
		if i, ok := n.of[f]; ok {
			dst = append(dst, i)
		}
	}
	return dst
}

// An example is what the network sees of a text.
type example struct {
	*text
	words, parts         []int32
	wordScale, partScale float32
	tokens               []int32 // for filters; -1 is a word not known
	signals              [sentiment.Signals]float32
	signalsAt            int      // their place among the inputs
	bias                 [2]int32 // for sentiment and emotion
}

// examples makes examples of texts.
func (v *vocabulary) examples(texts []text, lexicon *sentiment.Lexicon) []example {
	list := make([]example, len(texts))
	var in sentiment.Input
	var features []uint64
	for i := range texts {
		t := &texts[i]
		lexicon.Read(&in, t.text, t.language)
		e := example{text: t, words: v.words.find(nil, in.Words), wordScale: sentiment.WordScale(len(in.Words)), signals: in.Signals}
		features = features[:0]
		for _, tok := range in.Tokens {
			if tok.Kind == classify.Word {
				features = classify.AppendNGrams(features, in.Form(tok))
			}
		}
		e.parts, e.partScale = v.parts.find(nil, features), sentiment.PartScale(len(features))
		if slices.Contains(filteredLanguages, t.language) {
			e.tokens = v.filtered(in.Tokens)
		}
		e.signalsAt = 2*filters + sentiment.Signals*sentiment.SignalsOf(t.language)
		e.bias = [2]int32{v.bias(t, 0), v.bias(t, 1)}
		list[i] = e
	}
	return list
}

func (v *vocabulary) filtered(tokens []classify.Token) []int32 {
	numbers := make([]int32, min(len(tokens), classify.MaxPoolTokens))
	for i := range numbers {
		numbers[i] = -1
		if n, ok := v.tokens.of[tokens[i].Hash]; ok {
			numbers[i] = n
		}
	}
	return numbers
}

// bias returns the number of the bias that a text learns with. Sets whose mix of classes
// is their own have a bias of their own, so that the mix does not colour the words.
func (v *vocabulary) bias(t *text, task int) int32 {
	key := t.language
	switch {
	case t.set == "posts" || t.set == "phrases": // judged as tweets and as comments
	case task == 0 && t.set != "semeval" && t.set != "umsab" && t.set != "xed" && t.set != "langid",
		task == 0 && (t.set == "xed" || t.set == "langid") && learntWell[t.language],
		task == 1 && (t.set == "smile" || t.set == "xed en"):
		key += " of " + t.set
	}
	n, ok := v.biases[key]
	if !ok {
		n = int32(len(v.biases))
		v.biases[key] = n
	}
	return n
}

// learntWell are the languages whose sentiment people have labelled.
var learntWell = map[string]bool{"ar": true, "en": true, "fr": true, "de": true, "hi": true, "it": true, "pt": true, "es": true}
