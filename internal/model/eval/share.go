package eval

import (
	"math"
	"slices"
)

// Shares compare the shares of the classes among the rows with what a monitor would report. Counted
// and MeanScore are mean absolute errors over the classes.
type Shares struct {
	Counted   float64          `json:"counted"`   // counting predicted classes
	MeanScore float64          `json:"meanScore"` // averaging scores
	PerClass  map[string]Share `json:"perClass"`
}

// A Share is the true share of a class, and by how much predictions are above it.
type Share struct {
	True          float64 `json:"true"`
	CountedBias   float64 `json:"countedBias"`
	MeanScoreBias float64 `json:"meanScoreBias"`
}

// shares compares shares of the allowed classes. A row with several labels counts for each of them
// in equal parts, and a row without a prediction only in the true shares.
func (t task) shares(outcomes []outcome, allowed []string) *Shares {
	var answered float64
	truth, counted, scored := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for i := range outcomes {
		o := &outcomes[i]
		for _, name := range o.gold {
			truth[name] += 1 / float64(len(o.gold))
		}
		if o.prediction.label == "" {
			continue
		}
		answered++
		counted[o.prediction.label]++
		for name, p := range t.distribution(o.prediction.scores, allowed) {
			scored[name] += p
		}
	}
	s := &Shares{PerClass: map[string]Share{}}
	for _, name := range allowed {
		share := truth[name] / float64(len(outcomes))
		byCount, byScore := ratio(counted[name], answered)-share, ratio(scored[name], answered)-share
		s.Counted += math.Abs(byCount) / float64(len(allowed))
		s.MeanScore += math.Abs(byScore) / float64(len(allowed))
		s.PerClass[name] = Share{rounded(share), rounded(byCount), rounded(byScore)}
	}
	s.Counted, s.MeanScore = rounded(s.Counted), rounded(s.MeanScore)
	return s
}

// distribution returns the probabilities of the allowed classes, which add up to 1.
func (t task) distribution(scores []float32, allowed []string) map[string]float64 {
	p, sum := map[string]float64{}, 0.0
	for i, name := range t.classes {
		if i < len(scores) && slices.Contains(allowed, name) {
			p[name] = float64(scores[i])
			sum += p[name]
		}
	}
	for name := range p {
		p[name] = ratio(p[name], sum)
	}
	return p
}
