package sentiment

import (
	"math"

	"earshot/internal/classify"
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
	in.Split(text, MaxBytes)
	l.finish(in, language)
}

// finish does what Read does after splitting.
func (l *Lexicon) finish(in *Input, language string) {
	l.measure(in, language)
	in.Words = in.AppendWords(in.Words[:0])
}

// WordScale is what the sum of the weights of n features of words is multiplied by: a
// long text is not surer than a short one.
func WordScale(n int) float32 { return 1 / float32(math.Sqrt(float64(n+4))) }

// PartScale is WordScale for features of letters.
func PartScale(n int) float32 { return 1 / float32(math.Sqrt(float64(n+10))) }

// FilterScale is what the sums of filters over n tokens are multiplied by.
func FilterScale(n int) float32 { return 0.5 / float32(math.Sqrt(float64(n+1))) }
