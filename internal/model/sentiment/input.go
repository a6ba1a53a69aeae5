package sentiment

import (
	"math"

	"earshot/internal/model/classify"
)

// MaxBytes is how much of a text is read: posts show their sentiment at the beginning, and long ones
// must not delay the others.
const MaxBytes = 2000

// An Input is the features of a text.
type Input struct {
	classify.Text
	Words   []uint64 // features of words and word n-grams
	Signals [Signals]float32
}

// Read sets in to the features of a text in a language. It reuses the memory of in.
func (l *Lexicon) Read(in *Input, text, language string) {
	in.Tokenize(text, MaxBytes)
	l.finish(in, language)
}

// finish is Read after tokenization.
func (l *Lexicon) finish(in *Input, language string) {
	l.computeSignals(in, language)
	if !readAsEnglish(language) {
		in.saltWords(language)
	}
	in.Words = in.AppendWords(in.Words[:0])
}

// readAsEnglish reports whether words of a language share the features of English: English, and
// Hindi, which posts mix with it.
func readAsEnglish(language string) bool { return language == "en" || language == "hi" }

// SignalSet returns the index in Head.Signals of a language.
func SignalSet(language string) int {
	if readAsEnglish(language) {
		return 0
	}
	return 1
}

// saltWords separates the words of a language from those of others with the same spelling: German
// "die" is not English "die". Emoji and the like stay the same.
func (in *Input) saltWords(language string) {
	seed := classify.Hash(language)
	for i := range in.Tokens {
		if tok := &in.Tokens[i]; tok.Kind == classify.Word {
			tok.Hash = classify.Mix(seed, tok.Hash)
		}
	}
}

// WordScale is the factor of the summed weights of n word features: a long text is not more certain
// than a short one.
func WordScale(n int) float32 { return 1 / float32(math.Sqrt(float64(n+4))) }

// NGramScale is WordScale for character n-grams.
func NGramScale(n int) float32 { return 1 / float32(math.Sqrt(float64(n+10))) }

// FilterScale is the factor of the sums of filters over n tokens.
func FilterScale(n int) float32 { return 0.5 / float32(math.Sqrt(float64(n+1))) }
