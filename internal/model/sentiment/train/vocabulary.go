package train

import (
	"context"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
	"earshot/internal/parallel"
)

// A vocabulary indexes frequent features and words.
type vocabulary struct {
	settings
	words      featureIndex     // features of words and word n-grams
	ngrams     featureIndex     // character n-grams
	tokens     featureIndex     // words with vectors
	spellings  []spelling       // of all words, in order of first occurrence
	spellingOf map[uint64]int32 // index in spellings, by hash
	biases     map[string]int32 // by group, see text.group
	groups     []group          // by bias
	absent     [][outputs]bool  // classes that the group of a bias does not have
	labeled    map[string]int   // posts and reviews with labels, by language
	trained    map[string]uint8 // bits of sentiment.Head.Trained, by language
}

// A group is a group of texts with its own bias; see text.group.
type group struct {
	language string
	task     int
	bias     int32
	weight   float32 // total weight of the texts
	counts   [outputs]float32
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

func newVocabulary(texts []text, lexicon *sentiment.Lexicon, s settings) *vocabulary {
	v := &vocabulary{settings: s, biases: map[string]int32{}, labeled: map[string]int{}, spellingOf: map[uint64]int32{}}
	var words, tokens counter
	var forms []string
	var in sentiment.Input
	for i := range texts {
		t := &texts[i]
		if t.fragment {
			continue // the whole text is there too
		}
		lexicon.Read(&in, t.text, t.language)
		words.add(in.Words)
		for _, tok := range in.Tokens {
			if s.filtered(t.language) {
				tokens.add([]uint64{tok.Hash})
			}
			if tok.Kind != classify.Word {
				continue
			}
			n, ok := v.spellingOf[tok.Hash]
			if !ok {
				n = int32(len(forms))
				v.spellingOf[tok.Hash] = n
				forms = append(forms, string(in.Form(tok)))
				v.spellings = append(v.spellings, spelling{hash: tok.Hash})
			}
			v.spellings[n].count++
		}
	}
	v.words, v.tokens = words.index(minWordCount), tokens.index(minTokenCount)
	v.spell(forms)
	return v
}

// spell indexes the n-grams of the words with the given forms.
func (v *vocabulary) spell(forms []string) {
	var ngrams counter
	var features []uint64
	for i, w := range v.spellings {
		features = classify.AppendNGrams(features[:0], []byte(forms[i]))
		ngrams.addTimes(features, w.count)
	}
	v.ngrams = ngrams.index(minNGramCount)
	for i := range v.spellings {
		w := &v.spellings[i]
		features = classify.AppendNGrams(features[:0], []byte(forms[i]))
		w.ngrams = v.ngrams.find(nil, features)
	}
}

// A counter counts features.
type counter struct {
	counts map[uint64]int32
	order  []uint64
}

func (c *counter) add(features []uint64) { c.addTimes(features, 1) }

// addTimes counts features n times.
func (c *counter) addTimes(features []uint64, n int32) {
	if c.counts == nil {
		c.counts = map[uint64]int32{}
	}
	for _, f := range features {
		before := c.counts[f]
		c.counts[f] = before + n
		if before == 0 {
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
	signalSets            [2]int32 // weights of the signals: those of all languages, and of its own
	bias                  [2]int32 // indexes of the biases for sentiment and emotion
}

// examples extracts the features of texts.
func (v *vocabulary) examples(texts []text, lexicon *sentiment.Lexicon) []example {
	const chunk = 4096
	list := make([]example, len(texts))
	for i := range texts {
		list[i].bias = [2]int32{v.bias(&texts[i], 0), v.bias(&texts[i], 1)}
	}
	_ = parallel.For(context.Background(), (len(texts)+chunk-1)/chunk, 0, func(_ context.Context, n int) error {
		var in sentiment.Input
		for i := n * chunk; i < min((n+1)*chunk, len(texts)); i++ {
			lexicon.Read(&in, texts[i].text, texts[i].language)
			v.fill(&list[i], &texts[i], &in)
		}
		return nil
	})
	v.describe()
	return list
}

// fill sets the features of an example.
func (v *vocabulary) fill(e *example, t *text, in *sentiment.Input) {
	e.text, e.signals, e.signalSets = t, in.Signals, signalSets(t.language)
	e.words, e.wordScale = v.words.find(nil, in.Words), sentiment.WordScale(len(in.Words))
	ngrams := 0
	for _, tok := range in.Tokens {
		if tok.Kind != classify.Word {
			continue
		}
		ngrams += classify.CountNGrams(in.Form(tok))
		if n, ok := v.spellingOf[tok.Hash]; ok {
			e.ngrams = append(e.ngrams, v.spellings[n].ngrams...)
		}
	}
	e.ngramScale = sentiment.NGramScale(ngrams)
	if v.filtered(t.language) {
		e.tokens = v.filterTokens(in.Tokens)
	}
}

// describe sets absent and trained.
func (v *vocabulary) describe() {
	v.absent, v.trained = make([][outputs]bool, len(v.groups)), map[string]uint8{}
	for i, g := range v.groups {
		for k, n := range g.counts {
			v.absent[i][k] = g.weight > 0 && task(k) == g.task && n < 0.01*g.weight
		}
		if g.weight == 0 {
			continue
		}
		if g.task == 1 {
			v.trained[g.language] |= sentiment.TrainedEmotion
		} else if v.labeled[g.language] >= minLabeled {
			v.trained[g.language] |= sentiment.TrainedSentiment
		}
		if v.filtered(g.language) {
			v.trained[g.language] |= sentiment.TrainedFilters
		}
	}
}

// minLabeled is the number of posts and reviews that a language needs for the model to be trusted
// on its own, without the lexicons.
const minLabeled = 150

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

// bias returns the index of the bias that a text is trained with.
func (v *vocabulary) bias(t *text, task int) int32 {
	key := biasKey(task, t.group(task))
	n, ok := v.biases[key]
	if !ok {
		n = int32(len(v.biases))
		v.biases[key] = n
		v.groups = append(v.groups, group{language: t.language, task: task, bias: n})
	}
	g := &v.groups[n]
	g.weight += t.weight[task]
	for k, x := range t.target {
		g.counts[k] += t.weight[task] * x
	}
	if task == 0 && t.weight[0] > 0 && !t.part && t.source != "film" && t.set != "phrases" {
		v.labeled[t.language]++
	}
	return n
}

func biasKey(task int, group string) string { return []string{"sentiment ", "emotion "}[task] + group }

// signalSets returns the indexes of the weights of signals for a language. The first set is shared
// by English and Hindi or by the other languages, whose lexicons are translations; the second is the
// difference of the language from it.
func signalSets(language string) [2]int32 {
	own := 2 + int32(slices.Index(earshot.Languages, strings.ToUpper(language)))
	if language == "en" || language == "hi" {
		return [2]int32{0, own}
	}
	return [2]int32{1, own}
}
