package sentiment

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Outputs of the model: three for sentiment, then seven for emotion.
const (
	outputs      = 3 + 7
	Filters      = 64 // convolutions over three tokens
	MaxLanguages = 40 // more than len(earshot.Languages), because the file has a fixed size
)

// A Row has one weight per output.
type Row [outputs]float32

// A Head holds the weights that do not belong to a word.
type Head struct {
	Version uint32
	Max     [Filters]Row // weights of the filters' maxima, per quantization step
	Sum     [Filters]Row // weights of the filters' sums

	// By index in earshot.Languages, and by domain.
	Signals [MaxLanguages][Signals]Row
	Bias    [MaxLanguages][Domains]Row
	Scale   [MaxLanguages][Domains][2]float32 // multiplies the logits of sentiment and of emotion, to calibrate the probabilities

	// Fallback infers the sentiment of languages without training data from signals alone. The last
	// row is the bias.
	Fallback [Signals + 1][3]float32

	Trained [MaxLanguages]uint8 // available training data, by index of the language
}

// Training data that a language has.
const (
	TrainedSentiment = 1 << iota // posts labeled with a sentiment
	TrainedEmotion               // movie lines or posts labeled with an emotion
	TrainedFilters               // enough posts for filters
)

// Encode encodes h.
func (h *Head) Encode() ([]byte, error) { return binary.Append(nil, binary.LittleEndian, h) }

// OpenHead decodes a head encoded by [Head.Encode].
func OpenHead(data []byte) (*Head, error) {
	h := new(Head)
	if len(data) != binary.Size(h) {
		return nil, errors.New("sentiment: invalid model head")
	}
	if _, err := binary.Decode(data, binary.LittleEndian, h); err != nil {
		return nil, err
	}
	if h.Version != Version {
		return nil, fmt.Errorf("sentiment: the model has version %d, want %d", h.Version, Version)
	}
	return h, nil
}
