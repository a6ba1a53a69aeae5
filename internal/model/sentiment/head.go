package sentiment

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Outputs of the model: three of sentiment, then seven of emotion.
const (
	outputs      = 3 + 7
	Filters      = 64 // convolutions over three tokens
	maxLanguages = 40 // more than earshot.Languages has; the file has a fixed size
)

// A Row has a weight for each output.
type Row [outputs]float32

// A Head has the weights that do not belong to a word.
type Head struct {
	Version uint32
	Max     [Filters]Row      // of the maxima of filters, in their steps
	Sum     [Filters]Row      // of the sums of filters
	Signals [2][Signals]Row   // of English, and of other languages, which have other lexicons
	Bias    [maxLanguages]Row // by index in earshot.Languages

	// Fallback infers the sentiment of languages without training data from signals alone; its
	// last row is the bias.
	Fallback [Signals + 1][3]float32

	// Scale multiplies the logits of sentiment and of emotion, so that probabilities are
	// calibrated.
	Scale [2]float32

	Trained [maxLanguages]uint8 // what there was training data for, by index of the language
}

// What a language has training data for.
const (
	TrainedSentiment = 1 << iota // posts with a sentiment
	TrainedEmotion               // movie lines or posts with an emotion
	TrainedFilters               // posts enough for filters
)

// Encode encodes h.
func (h *Head) Encode() ([]byte, error) { return binary.Append(nil, binary.LittleEndian, h) }

// OpenHead decodes what Encode encoded.
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
