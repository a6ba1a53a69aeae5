package train

import (
	"math"
	"slices"
	"strings"
)

// Outputs of the model: sentiments, then emotions, in the order of earshot.Sentiment and
// earshot.Emotion.
var outputNames = []string{
	"positive", "neutral", "negative",
	"joy", "sadness", "neutral", "disgust", "anger", "surprise", "fear",
}

const (
	outputs    = 10
	sentiments = 3 // the first outputs
)

// A text is a labeled text.
type text struct {
	set      string
	language string
	text     string
	target   [outputs]float32 // distributions of sentiments and of emotions
	weight   [2]float32       // weights of the sentiment and emotion targets; 0 if unknown
	mix      [2]string        // the sets whose class distributions the targets follow, if any
	labels   [outputs]bool    // any of these is correct
}

// setSentiment sets the sentiment of t.
func (t *text) setSentiment(label string, weight float64) {
	k := slices.Index(outputNames[:sentiments], label)
	t.target[k], t.labels[k] = 1, true
	t.weight[0] = float32(weight)
}

// setEmotions sets the comma-separated emotions of t to equal probabilities.
func (t *text) setEmotions(labels string, weight float64) {
	list := strings.Split(labels, ",")
	for _, label := range list {
		k := sentiments + slices.Index(outputNames[sentiments:], label)
		t.target[k], t.labels[k] = 1/float32(len(list)), true
	}
	t.weight[1] = float32(weight)
}

// balanceClasses gives rare classes more weight, separately for each set. With power 1, all classes
// of a set have the same total weight. A text with several labels is weighted by each of them.
func balanceClasses(texts []text, s settings) {
	counts := map[string]*[outputs]float64{}
	for i := range texts {
		t := &texts[i]
		if counts[t.set] == nil {
			counts[t.set] = new([outputs]float64)
		}
		for k, probability := range t.target {
			if t.weight[task(k)] > 0 {
				counts[t.set][k] += float64(probability)
			}
		}
	}
	for i := range texts {
		t := &texts[i]
		if c := counts[t.mix[0]]; c != nil {
			t.weight[0] *= reweight(t.target[:sentiments], c[:sentiments], s.BalanceSentiment, 4)
		}
		if c := counts[t.mix[1]]; c != nil {
			t.weight[1] *= reweight(t.target[sentiments:], c[sentiments:], s.BalanceEmotion, 6)
		}
	}
}

// reweight multiplies a target by class weights of at most top, and normalizes it. It returns the
// sum before normalization.
func reweight(target []float32, counts []float64, power, top float64) float32 {
	var all float64
	for _, n := range counts {
		all += n
	}
	var sum float32
	for k := range target {
		if target[k] > 0 && counts[k] > 0 {
			rarity := math.Pow(all/float64(len(counts))/counts[k], power)
			target[k] *= float32(min(rarity, top))
		}
		sum += target[k]
	}
	if sum > 0 {
		for k := range target {
			target[k] /= sum
		}
	}
	return sum
}

// task returns the index in text.weight for output k.
func task(k int) int {
	if k < sentiments {
		return 0
	}
	return 1
}
