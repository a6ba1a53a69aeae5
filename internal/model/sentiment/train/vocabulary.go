package train

import (
	"slices"

	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
)

// A vocabulary indexes frequent features and words.
type vocabulary struct {
	words     featureIndex // features of words and word n-grams
	ngrams    featureIndex // character n-grams
	tokens    featureIndex // words with vectors
	spellings []spelling
	biases    map[string]int32
}

// A featureIndex numbers features from 0, in order of first occurrence.
type featureIndex struct {
	numbers map[uint64]int32
	hashes  []uint64
	counts  map[uint64]int32
}

// A spelling is a word with the indexes of its n-grams.
type spelling struct {
	hash   uint64
	count  int32
	ngrams []int32
}

// Minimum counts of features. Rarer features overfit.
const (
	minWordCount  = 2
	minNGramCount = 4
	minTokenCount = 2
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
	v.words, v.ngrams, v.tokens = words.index(minWordCount), parts.index(minNGramCount), tokens.index(minTokenCount)
	for _, hash := range v.words.hashes {
		if form, ok := forms[hash]; ok {
			features = classify.AppendNGrams(features[:0], []byte(form))
			v.spellings = append(v.spellings, spelling{hash, v.words.counts[hash], v.ngrams.find(nil, features)})
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

func (c *counter) index(minCount int32) featureIndex {
	n := featureIndex{numbers: map[uint64]int32{}, counts: c.counts}
	for _, f := range c.order {
		if c.counts[f] >= minCount {
			n.numbers[f] = int32(len(n.hashes))
			n.hashes = append(n.hashes, f)
		}
	}
	return n
}

// find appends the indexes of the known features to dst.
func (n *featureIndex) find(dst []int32, features []uint64) []int32 {
	for _, f := range features {
		if i, ok := n.numbers[f]; ok {
			dst = append(dst, i)
		}
	}
	return dst
}

// An example holds the features of a text.
type example struct {
	*text
	words, ngrams         []int32
	wordScale, ngramScale float32
	tokens                []int32 // for filters; -1 is an unknown word
	signals               [sentiment.Signals]float32
	signalsAt             int      // offset of the signals in the inputs
	bias                  [2]int32 // indexes of the biases for sentiment and emotion
}

// examples extracts the features of texts.
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
		e.ngrams, e.ngramScale = v.ngrams.find(nil, features), sentiment.NGramScale(len(features))
		if slices.Contains(filteredLanguages, t.language) {
			e.tokens = v.filterTokens(in.Tokens)
		}
		e.signalsAt = 2*filters + sentiment.Signals*sentiment.SignalSet(t.language)
		e.bias = [2]int32{v.bias(t, 0), v.bias(t, 1)}
		list[i] = e
	}
	return list
}

func (v *vocabulary) filterTokens(tokens []classify.Token) []int32 {
	numbers := make([]int32, min(len(tokens), classify.MaxPoolTokens))
	for i := range numbers {
		numbers[i] = -1
		if n, ok := v.tokens.numbers[tokens[i].Hash]; ok {
			numbers[i] = n
		}
	}
	return numbers
}

// bias returns the index of the bias that a text is trained with. Sets with an unusual class
// distribution have their own bias, so that the distribution does not distort the word weights.
func (v *vocabulary) bias(t *text, task int) int32 {
	key := t.language
	switch {
	case t.set == "posts" || t.set == "phrases": // labeled as tweets and as comments
	case task == 0 && t.set != "semeval" && t.set != "umsab" && t.set != "xed" && t.set != "langid",
		task == 0 && (t.set == "xed" || t.set == "langid") && labeledLanguages[t.language],
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

// labeledLanguages are the languages with labeled sentiment.
var labeledLanguages = map[string]bool{"ar": true, "en": true, "fr": true, "de": true, "hi": true, "it": true, "pt": true, "es": true}
