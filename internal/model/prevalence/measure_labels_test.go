package prevalence_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"earshot"
	"earshot/internal/model/prevalence"
)

// A LabelAccuracy is the accuracy of shares that are estimated with some labels, with a mix of classes.
type LabelAccuracy struct {
	Mix      string  `json:"mix"`
	Labels   int     `json:"labels"`
	Error    float64 `json:"error"`
	Coverage float64 `json:"intervalCoverage"`
	Width    float64 `json:"intervalWidth"`
}

// measureLabels draws 2,000 posts with a mix of classes: that of the set, an even one, and mixes with 5%
// to 80% of one class. Of each, it estimates the shares with some labels.
func (of *SharesOf) measureLabels(texts []feltText, emotion bool, bags int) {
	estimator, classes := prevalence.Sentiments(), len(earshot.BasicCategories)
	if emotion {
		estimator, classes = prevalence.Emotions(), len(earshot.BasicEmotions)
	}
	byClass := make([][]feltText, classes)
	for _, t := range texts {
		byClass[t.label] = append(byClass[t.label], t)
	}
	random := rand.New(rand.NewPCG(2, uint64(len(texts))))
	mixes := map[string]func() []float64{
		"natural": func() []float64 { return mixOf(byClass, func(k, n int) float64 { return float64(n) }) },
		"even":    func() []float64 { return mixOf(byClass, func(int, int) float64 { return 1 }) },
		"shifted": func() []float64 {
			// the share of the last class is 5% to 80%, and that of the others as in the set
			to := 0.05 + 0.75*random.Float64()
			rest := float64(len(texts) - len(byClass[classes-1]))
			if emotion {
				return mixOf(byClass, func(int, int) float64 { return random.ExpFloat64() })
			}
			return mixOf(byClass, func(k, n int) float64 {
				if k == classes-1 {
					return to
				}
				return (1 - to) * float64(n) / rest
			})
		},
	}
	for _, name := range []string{"natural", "even", "shifted"} {
		for _, labels := range []int{0, 30, 50, 100, 200} {
			a := LabelAccuracy{Mix: name, Labels: labels}
			for range bags {
				mix := mixes[name]()
				sample := make([]feltText, 2000)
				for j := range sample {
					list := byClass[drawIndex(mix, random)]
					sample[j] = list[random.IntN(len(list))]
				}
				a.add(sample, labels, estimator, classes, float64(bags), random)
			}
			of.Labels = append(of.Labels, a)
		}
	}
}

func mixOf(byClass [][]feltText, weight func(k, n int) float64) []float64 {
	mix := make([]float64, len(byClass))
	for k, list := range byClass {
		if len(list) > 0 {
			mix[k] = weight(k, len(list))
		}
	}
	return mix
}

// add adds one of n samples.
func (a *LabelAccuracy) add(sample []feltText, labels int, estimator *prevalence.Estimator, classes int, n float64, random *rand.Rand) {
	truth := make([]float64, classes)
	var groups []prevalence.Group
	for _, t := range sample {
		groups = append(groups, t.group)
		truth[t.label] += 1 / float64(len(sample))
	}
	var labeled []prevalence.Label
	slices.SortStableFunc(sample, func(a, b feltText) int { return int(a.group.Cell) - int(b.group.Cell) })
	step := float64(len(sample)) / float64(max(1, labels))
	start := random.Float64()
	for i := range labels {
		t := sample[int((float64(i)+start)*step)]
		labeled = append(labeled, prevalence.Label{Language: t.group.Language, Domain: t.group.Domain, Cell: t.group.Cell, Models: t.group.Models, Class: t.label, Weight: 1})
	}
	shares := estimator.Estimate(groups)
	if labels > 0 {
		shares = estimator.Calibrate(groups, labeled, float64(len(sample)))
	}
	each := 1 / (n * float64(classes))
	for k, share := range shares {
		a.Error += each * math.Abs(share.Share-truth[k])
		a.Width += each * (share.High - share.Low)
		if share.Low <= truth[k] && truth[k] <= share.High {
			a.Coverage += each
		}
	}
}
