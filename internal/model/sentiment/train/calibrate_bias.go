package train

import (
	"math"
	"slices"

	"earshot/internal/model/classify"
)

// chooseShift returns the shift of the logits. It balances the recall of the classes. If the
// probabilities are not calibrated then, it moves toward the class mix of the texts until they are,
// provided that it keeps most of the recall: predictions of a class that is rare are mostly wrong,
// however low their confidence.
func (c *calibrator) chooseShift(texts []judged, classes []int) []float32 {
	balanced := balanceBias(texts, classes, c.utility)
	if c.strength < 1 {
		for k := range balanced {
			balanced[k] *= c.strength
		}
		return balanced
	}
	natural := naturalBias(texts, classes)
	sets := bySet(texts)
	recall := hardRecall(sets, balanced)
	for part := 10; part >= 0; part-- {
		shift := make([]float32, len(balanced))
		for k := range shift {
			shift[k] = (float32(part)*balanced[k] + float32(10-part)*natural[k]) / 10
		}
		if hardRecall(sets, shift) < minRecall*recall {
			break
		}
		if _, e := fitScale(texts, shift); e <= maxError {
			return shift
		}
	}
	return balanced
}

// maxError is the calibration error at which a shift is good enough, beyond chance; minRecall is the
// part of the recall that it keeps.
const (
	maxError  = 0.02
	minRecall = 0.95
)

// chance is about the calibration error that a calibrated model shows on n texts.
func chance(n int) float64 { return 0.6 / math.Sqrt(float64(n)) }

// hardRecall returns the mean macro recall of the sets.
func hardRecall(sets [][]judged, shift []float32) float64 {
	var mean float64
	for _, set := range sets {
		var all, right [outputs]float64
		for _, o := range shiftedOutcomes(set, set[0].classes, shift) {
			best := slices.Index(o.Scores, slices.Max(o.Scores))
			k := best
			if !o.Correct[best] {
				k = slices.Index(o.Correct, true)
			} else {
				right[k]++
			}
			all[k]++
		}
		for k := range set[0].classes {
			mean += right[k] / max(all[k], 1) / float64(len(set[0].classes)*len(sets))
		}
	}
	return mean
}

// fitScale returns the scale at which the mean confidence is nearly the accuracy, after adding shift to
// the logits, and the calibration error, less chance. The predictions of a set are among the classes
// that it has.
func fitScale(texts []judged, shift []float32) (scale float32, e float64) {
	var outcomes []classify.Outcome
	for _, set := range bySet(texts) {
		outcomes = append(outcomes, shiftedOutcomes(set, set[0].classes, shift)...)
	}
	scale = classify.FitScale(outcomes)
	return scale, classify.CalibrationError(sharpen(outcomes, float64(scale))) - chance(len(outcomes))
}

// sharpen raises scores to a power and normalizes them.
func sharpen(outcomes []classify.Outcome, power float64) []classify.Outcome {
	list := make([]classify.Outcome, len(outcomes))
	for i, o := range outcomes {
		list[i] = classify.Outcome{Scores: make([]float32, len(o.Scores)), Correct: o.Correct}
		var sum float32
		for k, x := range o.Scores {
			list[i].Scores[k] = float32(math.Pow(float64(x), power))
			sum += list[i].Scores[k]
		}
		for k := range o.Scores {
			list[i].Scores[k] /= sum
		}
	}
	return list
}

// naturalBias returns the shift with the least log loss, together with some scale. A text is only
// compared with the classes that its set has.
func naturalBias(texts []judged, classes []int) []float32 {
	const rounds, rate = 200, 2.0
	sets := bySet(texts)
	shift, scale := make([]float64, len(texts[0].Scores)), 1.0
	for range rounds {
		gradient, scaleGradient := make([]float64, len(shift)), 0.0
		for _, set := range sets {
			for i := range set {
				scaleGradient += set[i].lossGradient(set[0].classes, shift, scale, gradient)
			}
		}
		for k := range shift {
			shift[k] -= rate * gradient[k] / float64(len(texts))
		}
		scale = min(max(scale-0.2*scaleGradient/float64(len(texts)), 0.2), 3)
	}
	var mean float64
	for _, k := range classes {
		mean += shift[k] / float64(len(classes))
	}
	all := make([]float32, len(shift))
	for _, k := range classes {
		all[k] = float32(shift[k] - mean)
	}
	return all
}

// lossGradient adds the gradient of the log loss with respect to the shift to gradient, and returns
// that with respect to the scale.
func (j *judged) lossGradient(classes []int, shift []float64, scale float64, gradient []float64) (byScale float64) {
	var p, logits [outputs]float64
	var sum, right float64
	for _, k := range classes {
		logits[k] = math.Log(float64(j.Scores[k])+1e-9) + shift[k]
		p[k] = math.Exp(scale * logits[k])
		sum += p[k]
		if j.Correct[k] {
			right += p[k]
		}
	}
	if right == 0 {
		return 0
	}
	for _, k := range classes {
		g := p[k] / sum
		if j.Correct[k] {
			g -= p[k] / right
		}
		gradient[k] += scale * g
		byScale += g * logits[k]
	}
	return byScale
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
// with the best mean utility of the soft recalls, found by changing one class at a time. The utility is
// concave, so that no class is given up for the others. Classes that do not occur stay at 0.
func balanceBias(texts []judged, classes []int, utility func(float64) float64) []float32 {
	const reach, step, rounds = 2.5, 0.1, 5
	sets := bySet(texts)
	shift := make([]float32, len(texts[0].Scores))
	best := softRecall(sets, shift, utility)
	for range rounds {
		for _, k := range classes {
			top := shift[k]
			for by := -reach; by <= reach; by += step {
				shift[k] = float32(by)
				if recall := softRecall(sets, shift, utility); recall > best+1e-9 {
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
// their utility. A set counts by the square root of its texts. Large shifts cost a little.
func softRecall(sets [][]judged, shift []float32, utility func(float64) float64) float64 {
	var factors [outputs]float64
	var sum, weights float64
	for k, by := range shift {
		factors[k] = math.Exp(2 * float64(by))
		sum -= 0.002 * float64(by*by)
	}
	var recall float64
	for _, texts := range sets {
		weight := math.Sqrt(float64(len(texts)))
		recall += weight * setRecall(texts, &factors, utility)
		weights += weight
	}
	return sum + recall/max(weights, 1)
}

// setRecall returns the mean utility of the soft recalls of the classes of a set.
func setRecall(texts []judged, factors *[outputs]float64, utility func(float64) float64) float64 {
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
		mean += utility(right[k]/max(all[k], 1)) / float64(len(classes))
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
