package train

import (
	"math"
	"slices"
	"strings"

	"earshot/internal/model/sentiment"
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
	set      string // set of training texts
	source   string // where the set has it from; each source has its own mix of classes
	language string
	domain   sentiment.Domain
	text     string
	target   [outputs]float32 // distributions of sentiments and of emotions
	weight   [2]float32       // weights of the sentiment and emotion targets; 0 if unknown
	labels   [outputs]bool    // any of these is correct
	held     bool             // for validation, not for training
	part     bool             // it has only soft labels, being a post or a fragment
	fragment bool             // it is a fragment of another text
}

// group returns the group of texts that t belongs to for a task. The model has one bias for each
// group, so that its class distribution does not distort the weights of words.
func (t *text) group(task int) string {
	if t.language == "en" && (t.set == "posts" || t.set == "phrases" || t.set == "sarcasm") {
		return tweets[task]
	}
	if t.set == "more sentiment" {
		return t.language + " more"
	}
	return t.language + " " + t.source
}

// mix returns the group whose class distribution the target of a task follows, or "" if it follows
// none. The teachers expect that of English tweets and comments in posts.
func (t *text) mix(task int) string {
	switch t.set {
	case "phrases", "sarcasm":
		return ""
	case "posts":
		return tweets[task]
	}
	return t.group(task)
}

// tweets are the groups with the most texts, for sentiment and emotion.
var tweets = [2]string{"en semeval", "en goemotions"}

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

// classMixes counts the classes of each group, by task.
type classMixes [2]map[string]*[outputs]float64

// countClasses counts the classes of the texts that have labels.
func countClasses(texts []text) classMixes {
	mixes := classMixes{{}, {}}
	for i := range texts {
		t := &texts[i]
		if t.part {
			continue
		}
		for k, probability := range t.target {
			if t.weight[task(k)] == 0 {
				continue
			}
			mix := t.mix(task(k))
			if mixes[task(k)][mix] == nil {
				mixes[task(k)][mix] = new([outputs]float64)
			}
			mixes[task(k)][mix][k] += float64(probability)
		}
	}
	return mixes
}

// balanceClasses gives rare classes more weight, separately for each group. With power 1, all
// classes of a group have the same total weight. A text with several labels is weighted by each of
// them.
func balanceClasses(texts []text, mixes classMixes, s settings) {
	for i := range texts {
		t := &texts[i]
		if c := mixes[0][t.mix(0)]; c != nil && t.mix(0) != "" {
			t.weight[0] *= reweight(t.target[:sentiments], c[:sentiments], s.BalanceSentiment, 4)
		}
		if c := mixes[1][t.mix(1)]; c != nil && t.mix(1) != "" {
			t.weight[1] *= reweight(t.target[sentiments:], c[sentiments:], s.BalanceEmotion, 6)
		}
	}
}

// reweight multiplies a target by class weights of at most top, and normalizes it. It returns the
// sum before normalization.
func reweight(target []float32, counts []float64, power, top float64) float32 {
	var all, present float64
	for _, n := range counts {
		all += n
		if n > 0 {
			present++
		}
	}
	var sum float32
	for k := range target {
		if target[k] > 0 && counts[k] > 0 {
			rarity := math.Pow(all/present/counts[k], power)
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
