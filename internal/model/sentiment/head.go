package sentiment

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Outputs of the model: three of sentiment, then seven of emotion.
const (
	outputs    = 3 + 7
	Filters    = 64 // that look at three words in a row
	maxTrained = 40 // languages with numbers of their own
)

// A Row has one number for each output.
type Row [outputs]float32

// A Head has what was learnt that does not belong to a word.
type Head struct {
	Version uint32
	Most    [Filters]Row    // for what filters fire at most, in their steps
	Sum     [Filters]Row    // for the sum of what they fire
	Signals [2][Signals]Row // of English, and of other languages, whose lexicons are others
	Bias    [maxTrained]Row // by place in earshot.Languages

	// Plain tells the sentiment of languages without examples from signals alone; its
	// last row is the bias.
	Plain [Signals + 1][3]float32

	// Sharpness multiplies the outputs of sentiment and of emotion so that a share of 0.8
	// is right 8 times of 10.
	Sharpness [2]float32

	Learnt [maxTrained]uint8 // what there were examples of, by place of the language
}

// What a language has examples of.
const (
	LearntSentiment = 1 << iota // posts with a sentiment
	LearntEmotion               // lines of films with an emotion, or posts
	LearntFilters               // enough posts for filters
)

// Encode writes h.
func (h *Head) Encode() ([]byte, error) { return binary.Append(nil, binary.LittleEndian, h) }

// OpenHead reads what Encode wrote.
func OpenHead(data []byte) (*Head, error) {
	h := new(Head)
	if len(data) != binary.Size(h) {
		return nil, errors.New("sentiment: not the head of a model")
	}
	if _, err := binary.Decode(data, binary.LittleEndian, h); err != nil {
		return nil, err
	}
	if h.Version != Version {
		return nil, fmt.Errorf("sentiment: the model has version %d, the program needs %d", h.Version, Version)
	}
	return h, nil
}
