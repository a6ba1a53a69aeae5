package sentiment

import "earshot/internal/model/classify"

// Salts distinguish the features of appendComposition.
const (
	saltGood       = 0x9ae16a3b2f90404f
	saltBad        = 0xc949d7c7509e6557
	saltNegatedTo  = 0xff51afd7ed558ccd
	saltNegator    = 0xc4ceb9fe1a85ec53
	saltStart      = 0x87c37b91114253d5
	saltEnd        = 0x4cf5ad432745937f
	saltSequence   = 0x52dce729da3ed7cb
	saltSkipBefore = 0x38495ab5e2b7a1d3
)

// appendComposition appends features that generalize over the words of a lexicon: what stands
// before and after a positive or negative word, what negates it, and in which order positive and
// negative words follow each other. "hardly awful" is new to a model that knows "hardly bad", but
// "hardly" before a negative word is not. It also appends the first and the last words.
func appendComposition(dst []uint64, tokens []classify.Token) []uint64 {
	var negator, sequence uint64
	for i, tok := range tokens {
		if tok.Has(classify.Negated) && (i == 0 || !tokens[i-1].Has(classify.Negated)) {
			negator = tokens[max(i-1, 0)].Hash
		}
		if !tok.Has(classify.Good | classify.Bad) {
			continue
		}
		class := uint64(saltGood)
		if tok.Has(classify.Bad) {
			class = saltBad
		}
		before, earlier := uint64(saltStart), uint64(saltStart)
		if i > 0 {
			before = tokens[i-1].Hash
		}
		if i > 1 {
			earlier = tokens[i-2].Hash
		}
		pair := classify.Mix(before, class)
		dst = append(dst, pair, classify.Mix(earlier, pair), classify.Mix(earlier^saltSkipBefore, class))
		if i+1 < len(tokens) {
			dst = append(dst, classify.Mix(class, tokens[i+1].Hash))
		}
		if tok.Has(classify.Negated) {
			dst = append(dst, classify.Mix(negator^saltNegator, class))
			class ^= saltNegatedTo
		}
		if sequence != 0 {
			dst = append(dst, classify.Mix(sequence^saltSequence, class))
		}
		sequence = class
	}
	return appendEdges(dst, tokens)
}

// appendEdges appends features of the first two words and of the last one.
func appendEdges(dst []uint64, tokens []classify.Token) []uint64 {
	if len(tokens) < 2 {
		return dst
	}
	first := classify.Mix(saltStart, tokens[0].Hash)
	return append(dst, first, classify.Mix(first, tokens[1].Hash), classify.Mix(saltEnd, tokens[len(tokens)-1].Hash))
}

// appendLonger appends n-grams of four to six tokens, for languages without spaces, where a token
// is a single letter.
func appendLonger(dst []uint64, tokens []classify.Token, longest int) []uint64 {
	for i := range tokens {
		h := tokens[i].Hash
		for n := 1; n < longest && i+n < len(tokens) && tokens[i+n].Kind == classify.Word; n++ {
			h = classify.Mix(h, tokens[i+n].Hash)
			if n >= 3 {
				dst = append(dst, h)
			}
		}
	}
	return dst
}
