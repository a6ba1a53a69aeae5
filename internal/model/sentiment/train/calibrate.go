package train

import (
	"math"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
)

// splitValidation separates the texts that are held out for calibration.
func splitValidation(texts []text) (training, validation []text) {
	for _, t := range texts {
		if t.held {
			validation = append(validation, t)
		} else {
			training = append(training, t)
		}
	}
	return training, validation
}

// minValidation is the number of texts that a language or domain needs to be calibrated on its own.
const minValidation = 150

// calibrate fits parameters to the validation texts, for each language and domain: the biases, so
// that all classes have a similar recall, and the scales, so that the mean confidence equals the
// accuracy. Social is also the domain of texts of unknown origin, so it is fitted to all texts.
// Languages with few validation texts get the median scale of the others.
func calibrate(files map[string][]byte, validation []text) error {
	head, err := sentiment.OpenHead(files["head.bin"])
	if err != nil {
		return err
	}
	m, err := sentiment.Open(files)
	if err != nil {
		return err
	}
	texts := map[string][]text{}
	for _, t := range validation {
		texts[t.language] = append(texts[t.language], t)
	}
	for task, trained := range []uint8{sentiment.TrainedSentiment, sentiment.TrainedEmotion} {
		var scales []float32
		var left []int
		for place, code := range earshot.Languages {
			if head.Trained[place]&trained == 0 {
				continue
			}
			c := calibrator{task: task, bias: &head.Bias[place], scale: &head.Scale[place], strength: 1}
			if task == 1 && code == "EN" {
				c.strength = englishEmotions
			}
			for _, t := range texts[strings.ToLower(code)] {
				c.add(m, t)
			}
			if c.fit() {
				scales = append(scales, head.Scale[place][sentiment.Social][task])
			} else {
				left = append(left, place)
			}
		}
		if len(scales) > 0 {
			slices.Sort(scales)
			for _, place := range left {
				for d := range head.Scale[place] {
					head.Scale[place][d][task] = scales[len(scales)/2]
				}
			}
		}
	}
	files["head.bin"], err = head.Encode()
	return err
}

// englishEmotions is a compromise between the precision of emotions in comments, which are mostly
// neutral or joyful, and the recall of rare emotions in tweets.
const englishEmotions = 0.2

// A judged text is the outcome of a validation text for a task.
type judged struct {
	classify.Outcome
	set     string
	domain  sentiment.Domain
	classes []int // classes of the set, in its first text
}

// A calibrator fits the bias and scale of a language for a task.
type calibrator struct {
	task  int
	bias  *[sentiment.Domains]sentiment.Row
	scale *[sentiment.Domains][2]float32
	all   []judged

	strength float32 // share of the shift that balances the recall
}

// add adds a text, if it has labels for the task. The model is not calibrated yet.
func (c *calibrator) add(m *sentiment.Model, t text) {
	s, e := m.Probabilities(t.text, t.language, sentiment.Social)
	o := classify.Outcome{Scores: s[:], Correct: t.labels[:sentiments]}
	if c.task == 1 {
		o = classify.Outcome{Scores: e[:], Correct: t.labels[sentiments:]}
	}
	if slices.Contains(o.Correct, true) {
		c.all = append(c.all, judged{Outcome: o, set: t.set, domain: t.domain})
	}
}

// fit fits the parameters of all domains and reports whether there are enough texts.
func (c *calibrator) fit() bool {
	if len(c.all) < minValidation {
		return false
	}
	classes := presentClasses(c.all)
	for d := range c.bias {
		texts := c.all
		if d != int(sentiment.Social) {
			texts = slices.DeleteFunc(slices.Clone(texts), func(j judged) bool { return int(j.domain) != d })
		}
		if len(texts) < minValidation || !slices.Equal(presentClasses(texts), classes) {
			texts = c.all
		}
		shift := balanceBias(texts, classes)
		for k := range shift {
			shift[k] *= c.strength
		}
		for k, by := range shift {
			c.bias[d][c.task*sentiments+k] += by
		}
		c.scale[d][c.task] = classify.FitScale(shiftedOutcomes(texts, classes, shift))
	}
	return true
}

// presentClasses returns the classes that at least one in 200 texts has.
func presentClasses(texts []judged) []int {
	var classes []int
	for k := range outputs {
		n := 0
		for _, j := range texts {
			if k < len(j.Correct) && j.Correct[k] {
				n++
			}
		}
		if 200*n > len(texts) {
			classes = append(classes, k)
		}
	}
	return classes
}

// shiftedOutcomes returns outcomes whose scores are restricted to the given classes, after adding
// shift to their logits.
func shiftedOutcomes(texts []judged, classes []int, shift []float32) []classify.Outcome {
	list := make([]classify.Outcome, 0, len(texts))
	for _, j := range texts {
		shifted := classify.Outcome{Scores: make([]float32, len(classes)), Correct: make([]bool, len(classes))}
		var sum float32
		for i, k := range classes {
			shifted.Scores[i] = (j.Scores[k] + 1e-9) * float32(math.Exp(float64(shift[k])))
			shifted.Correct[i] = j.Correct[k]
			sum += shifted.Scores[i]
		}
		for i := range shifted.Scores {
			shifted.Scores[i] /= sum
		}
		if slices.Contains(shifted.Correct, true) {
			list = append(list, shifted)
		}
	}
	return list
}

// balanceBias returns the shift of the logits that balances the recall of the given classes: the one
// with the best mean soft recall, found by changing one class at a time. Classes that do not occur
// stay at 0.
func balanceBias(texts []judged, classes []int) []float32 {
	const reach, step, rounds = 2.5, 0.1, 5
	sets := bySet(texts)
	shift := make([]float32, len(texts[0].Scores))
	best := softRecall(sets, shift)
	for range rounds {
		for _, k := range classes {
			top := shift[k]
			for by := -reach; by <= reach; by += step {
				shift[k] = float32(by)
				if recall := softRecall(sets, shift); recall > best+1e-9 {
					best, top = recall, shift[k]
				}
			}
			shift[k] = top
		}
	}
	var mean float32
	for _, k := range classes {
		mean += shift[k] / float32(len(classes))
	}
	for _, k := range classes {
		shift[k] -= mean
	}
	return shift
}

// softRecall returns a mean over the sets and their classes of the mean probability of the correct
// class, after shifting and squaring, among the classes that the set has. Squaring is a compromise
// between probabilities and hard decisions, so that individual texts matter less. The mean is that of
// square roots, so that no class is given up for the others. A set counts by the square root of its
// texts. Large shifts cost a little.
func softRecall(sets [][]judged, shift []float32) float64 {
	var factors [outputs]float64
	var sum, weights float64
	for k, by := range shift {
		factors[k] = math.Exp(2 * float64(by))
		sum -= 0.002 * float64(by*by)
	}
	var recall float64
	for _, texts := range sets {
		weight := math.Sqrt(float64(len(texts)))
		recall += weight * setRecall(texts, &factors)
		weights += weight
	}
	return sum + recall/max(weights, 1)
}

// setRecall returns the mean of the square roots of the soft recalls of the classes of a set.
func setRecall(texts []judged, factors *[outputs]float64) float64 {
	var all, right [outputs]float64
	classes := texts[0].classes
	for i := range texts {
		j := &texts[i]
		var sum float64
		for _, k := range classes {
			p := float64(j.Scores[k]) + 1e-9
			sum += p * p * factors[k]
		}
		for _, k := range classes {
			if j.Correct[k] {
				p := float64(j.Scores[k]) + 1e-9
				all[k]++
				right[k] += p * p * factors[k] / sum
			}
		}
	}
	var mean float64
	for _, k := range classes {
		mean += math.Sqrt(right[k]/max(all[k], 1)) / float64(len(classes))
	}
	return mean
}

// bySet separates texts by set and notes the classes of each set.
func bySet(texts []judged) [][]judged {
	var names []string
	var sets [][]judged
	for _, j := range texts {
		at := slices.Index(names, j.set)
		if at < 0 {
			at = len(names)
			names, sets = append(names, j.set), append(sets, nil)
		}
		sets[at] = append(sets[at], j)
	}
	for _, set := range sets {
		set[0].classes = presentClasses(set)
	}
	return slices.DeleteFunc(sets, func(set []judged) bool { return len(set[0].classes) < 2 })
}
