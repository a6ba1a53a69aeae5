package sentiment

import (
	"math"

	"earshot/internal/model/classify"
)

// MaxBytes is the number of bytes of a text that are read. Posts show their sentiment at the
// beginning, and long posts must not delay others.
const MaxBytes = 2000

// An Input holds the features of a text.
type Input struct {
	classify.Text
	Words   []uint64 // features of words and word n-grams
	Signals [Signals]float32
}

// Read sets in to the features of a text in the given language. It reuses the buffers of in.
func (l *Lexicon) Read(in *Input, text, language string) {
	in.Ratings = true
	in.Tokenize(text, MaxBytes)
	l.finish(in, language)
}

// finish computes the features after tokenization.
func (l *Lexicon) finish(in *Input, language string) {
	l.computeSignals(in, language)
	if !readAsEnglish(language) {
		in.saltWords(language)
	}
	in.Words = in.AppendWords(in.Words[:0])
	in.Words = appendComposition(in.Words, in.Tokens)
	if n := longestTerm(language); n > 3 {
		in.Words = appendLonger(in.Words, in.Tokens, n)
	}
}

// longestTerm returns the number of tokens in the longest n-grams of a language.
func longestTerm(language string) int {
	switch language {
	case "th":
		return 6
	case "ja", "zh":
		return 4
	}
	return 3
}

// readAsEnglish reports whether the words of a language share features with English. This applies
// to English itself and to Hindi, because posts mix the two.
func readAsEnglish(language string) bool { return language == "en" || language == "hi" }

// saltWords distinguishes the words of a language from words of other languages with the same
// spelling: German "die" is not English "die". Tokens other than words, such as emoji, stay the
// same.
func (in *Input) saltWords(language string) {
	seed := classify.Hash(language)
	for i := range in.Tokens {
		if tok := &in.Tokens[i]; tok.Kind == classify.Word {
			tok.Hash = classify.Mix(seed, tok.Hash)
		}
	}
}

// WordScale returns the factor for the summed weights of n word features, so that a long text is
// not more certain than a short one.
func WordScale(n int) float32 { return 1 / float32(math.Sqrt(float64(n+4))) }

// NGramScale is [WordScale] for character n-grams.
func NGramScale(n int) float32 { return 1 / float32(math.Sqrt(float64(n+10))) }

// FilterScale returns the factor for the sums of filters over n tokens.
func FilterScale(n int) float32 { return 0.5 / float32(math.Sqrt(float64(n+1))) }
