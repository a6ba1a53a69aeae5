package train

import (
	"math"
	"slices"
	"strings"
)

// Outputs of the model: sentiments, then emotions, in the order of the product.
var outputNames = []string{
	"positive", "neutral", "negative",
	"joy", "sadness", "neutral", "disgust", "anger", "surprise", "fear",
}

const (
	outputs    = 10
	sentiments = 3 // the first outputs
)

// A text is one labelled text.
type text struct {
	set      string
	language string
	text     string
	want     [outputs]float32 // shares of sentiments and of emotions, each adding up to 1
	weight   [2]float32       // of what is wanted of sentiment and emotion; 0 when not known
	emotions []string         // the labels, any of which is right
}

// wantSentiment sets the sentiment of t.
func (t *text) wantSentiment(label string, weight float64) {
	t.want[slices.Index(outputNames[:sentiments], label)] = 1
	t.weight[0] = float32(weight)
}

// wantEmotions sets the emotions of t, separated by commas, to equal shares.
func (t *text) wantEmotions(labels string, weight float64) {
	t.emotions = strings.Split(labels, ",")
	for _, label := range t.emotions {
		t.want[sentiments+slices.Index(outputNames[sentiments:], label)] = 1 / float32(len(t.emotions))
	}
	t.weight[1] = float32(weight)
}

// balance weighs the texts of each set so that rare classes count more: with power 1
// all classes of a set count the same.
func balance(texts []text, s settings) {
	counts := map[string]*[outputs]float64{}
	for i := range texts {
		t := &texts[i]
		if counts[t.set] == nil {
			counts[t.set] = new([outputs]float64)
		}
		for k, share := range t.want {
			if t.weight[task(k)] > 0 {
				counts[t.set][k] += float64(share)
			}
		}
	}
	for i := range texts {
		t := &texts[i]
		c := counts[t.set]
		t.weight[0] *= rarity(t.want[:sentiments], c[:sentiments], s.BalanceSentiment, 4)
		t.weight[1] *= rarity(t.want[sentiments:], c[sentiments:], s.BalanceEmotion, 6)
	}
}

// rarity returns how much more than others a text with these shares counts, at most top.
func rarity(want []float32, counts []float64, power, top float64) float32 {
	var all, sum float64
	for _, n := range counts {
		all += n
	}
	for k, share := range want {
		if share > 0 {
			sum += float64(float64(share) * math.Pow(all/float64(len(counts))/counts[k], power))
		}
	}
	return float32(min(sum, top))
}

// task returns which of text.weight output k belongs to.
func task(k int) int {
	if k < sentiments {
		return 0
	}
	return 1
}
