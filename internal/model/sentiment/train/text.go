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
	mix      [2]string        // the sets whose mix of classes what is wanted follows, if any
	right    [outputs]bool    // the labels, any of which is right
}

// wantSentiment sets the sentiment of t.
func (t *text) wantSentiment(label string, weight float64) {
	k := slices.Index(outputNames[:sentiments], label)
	t.want[k], t.right[k] = 1, true
	t.weight[0] = float32(weight)
}

// wantEmotions sets the emotions of t, separated by commas, to equal shares.
func (t *text) wantEmotions(labels string, weight float64) {
	list := strings.Split(labels, ",")
	for _, label := range list {
		k := sentiments + slices.Index(outputNames[sentiments:], label)
		t.want[k], t.right[k] = 1/float32(len(list)), true
	}
	t.weight[1] = float32(weight)
}

// balance makes rare classes count more, set by set: with power 1 all classes of a set
// count the same. A text that may be one thing or another is weighed as each of them.
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
		if c := counts[t.mix[0]]; c != nil {
			t.weight[0] *= weigh(t.want[:sentiments], c[:sentiments], s.BalanceSentiment, 4)
		}
		if c := counts[t.mix[1]]; c != nil {
			t.weight[1] *= weigh(t.want[sentiments:], c[sentiments:], s.BalanceEmotion, 6)
		}
	}
}

// weigh multiplies shares by how rare their classes are, at most top, and makes them add
// up to 1 again. It returns what they added up to.
func weigh(want []float32, counts []float64, power, top float64) float32 {
	var all float64
	for _, n := range counts {
		all += n
	}
	var sum float32
	for k := range want {
		if want[k] > 0 && counts[k] > 0 {
			rarity := math.Pow(all/float64(len(counts))/counts[k], power)
			want[k] *= float32(min(rarity, top))
		}
		sum += want[k]
	}
	if sum > 0 {
		for k := range want {
			want[k] /= sum
		}
	}
	return sum
}

// task returns which of text.weight output k belongs to.
func task(k int) int {
	if k < sentiments {
		return 0
	}
	return 1
}
