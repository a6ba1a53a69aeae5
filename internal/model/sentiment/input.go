package sentiment

import (
	"math"

	"earshot/internal/model/classify"
)

// MaxBytes is how much of a text is read. What a post feels is said at its beginning,
// and a long one must not hold up the others.
const MaxBytes = 2000

// An Input is what the model sees of a text.
type Input struct {
	classify.Text
	Words   []uint64 // features of words and their neighbours
	Signals [Signals]float32
}

// Read makes in what there is to see in a text of a language. It keeps its memory.
func (l *Lexicon) Read(in *Input, text, language string) {
	in.Tokenize(text, MaxBytes)
	l.finish(in, language)
}

// finish does what Read does after splitting.
func (l *Lexicon) finish(in *Input, language string) {
	l.measure(in, language)
	if !likeEnglish(language) {
		in.tell(language)
	}
	in.Words = in.AppendWords(in.Words[:0])
}

// likeEnglish says whether the words of a language are taken for English ones: those of
// English, and of Hindi, which posts mix with it.
func likeEnglish(language string) bool { return language == "en" || language == "hi" }

// SignalsOf returns the place in Head.Signals that a language's signals go by.
func SignalsOf(language string) int {
	if likeEnglish(language) {
		return 0
	}
	return 1
}

// tell makes words of a language others than those of another that are spelt alike:
// German "die" is no English "die". Emoji and the like stay what they are.
func (in *Input) tell(language string) {
	seed := classify.Hash(language)
	for i := range in.Tokens {
		if tok := &in.Tokens[i]; tok.Kind == classify.Word {
			tok.Hash = classify.Mix(seed, tok.Hash)
		}
	}
}

// WordScale is what the sum of the weights of n features of words is multiplied by: a
// long text is not surer than a short one.
func WordScale(n int) float32 { return 1 / float32(math.Sqrt(float64(n+4))) }

// PartScale is WordScale for features of letters.
func PartScale(n int) float32 { return 1 / float32(math.Sqrt(float64(n+10))) }

// FilterScale is what the sums of filters over n tokens are multiplied by.
func FilterScale(n int) float32 { return 0.5 / float32(math.Sqrt(float64(n+1))) }
