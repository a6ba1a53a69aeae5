// Package secondlook infers the sentiment and emotion of English texts with a network that is more
// accurate than that of package sentiment and takes a thousand times as long. So it does not run on all
// posts when they arrive, but later on those that match a monitor: see internal/ingest/secondlook.
//
// The network is Universal Sentence Encoder Lite (Google, Apache-2.0), trained on the labeled texts of
// package sentiment and on the predictions of its teachers, with 8-bit weights. models/teacher has the
// programs that made it. docs/models/second-look.md has its scores.
package secondlook

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"math"
	"sync"

	"earshot"
	"earshot/internal/model/onnx"
	"earshot/internal/model/sentiment"
)

// Version is the version of the network. It must increase whenever a score may change.
const Version = 1

var (
	//go:embed network.onnx
	networkFile []byte
	//go:embed tokenizer.json.gz
	tokenizerFile []byte
	//go:embed emoji.txt.gz
	emojiFile []byte
)

// maxTokens is the number of word pieces that the network reads of a text.
const maxTokens = 96

// sentimentMix and emotionMix are added to the outputs of the network, which was trained with a class
// mix for each set of texts: the mix of the domain, without half of the logarithm of the shares of its
// classes. So scores are between those for the mix of the set and those for an even one.
var (
	sentimentMix = [sentiment.Domains][3]float32{
		sentiment.Social: {0.461, 0.481, 0.809},
		sentiment.Review: {0.39, -0.22, 0.53},
		sentiment.News:   {0.913, 0.317, 0.481},
		sentiment.Forum:  {0.69, 1.0, 0.16},
	}
	emotionMix = [7]float32{0.524, 1.345, 0.743, 1.521, 0.934, 1.328, 1.728}
)

// A Model is the network. It is safe for concurrent use; each text takes one core.
type Model struct {
	network *onnx.TextNetwork
	emoji   map[rune]string
}

// New returns the embedded network, which takes 30 MB.
var New = sync.OnceValues(func() (*Model, error) {
	tokenizer, err := unpack(tokenizerFile)
	if err != nil {
		return nil, fmt.Errorf("read the embedded tokenizer: %w", err)
	}
	names, err := unpack(emojiFile)
	if err != nil {
		return nil, fmt.Errorf("read the embedded names of emoji: %w", err)
	}
	m := &Model{emoji: readEmoji(string(names))}
	if m.network, err = onnx.ReadTextNetwork(networkFile, tokenizer, maxTokens); err != nil {
		return nil, fmt.Errorf("read the embedded text network: %w", err)
	}
	return m, nil
})

func unpack(file []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// Languages are those of the texts that the network can read.
var Languages = []string{"en"}

// Probabilities returns the probabilities of [earshot.BasicCategories] and [earshot.BasicEmotions] for an
// English text.
func (m *Model) Probabilities(text string, d sentiment.Domain) (s [3]float32, e [7]float32, err error) {
	out, err := m.network.Run(m.spell(text))
	if err != nil {
		return s, e, err
	}
	if len(out) != len(s)+len(e) {
		return s, e, fmt.Errorf("the network has %d outputs, want %d", len(out), len(s)+len(e))
	}
	softmax(s[:], out[:len(s)], sentimentMix[d][:])
	softmax(e[:], out[len(s):], emotionMix[:])
	return s, e, nil
}

// Infer is Probabilities as scores.
func (m *Model) Infer(text string, d sentiment.Domain) (earshot.Sentiment, earshot.Emotion, error) {
	s, e, err := m.Probabilities(text, d)
	return earshot.NewSentiment(s), earshot.NewEmotion(e), err
}

// softmax sets probabilities to the normalized exponentials of the sums of logits and a mix.
func softmax(probabilities, logits, mix []float32) {
	most := math.Inf(-1)
	for i := range logits {
		most = max(most, float64(logits[i]+mix[i]))
	}
	sum := 0.0
	for i := range logits {
		v := math.Exp(float64(logits[i]+mix[i]) - most)
		probabilities[i] = float32(v)
		sum += v
	}
	for i := range probabilities {
		probabilities[i] /= float32(sum)
	}
}
