package train

import (
	"math"
	"slices"

	"earshot"
	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
)

// splitValidation holds out one in 20 texts of validationSets for calibration.
func splitValidation(texts []text) (training, validation []text) {
	for i, t := range texts {
		if i%20 == 7 && slices.Contains(validationSets, t.set) {
			validation = append(validation, t)
		} else {
			training = append(training, t)
		}
	}
	return training, validation
}

var validationSets = []string{"semeval", "umsab", "goemotions"}

// calibrate fits two parameters to the validation texts: the bias of English sentiment, so that all
// classes have a similar recall, and the scale, so that the mean confidence equals the accuracy.
func calibrate(files map[string][]byte, validation []text) error {
	head, err := sentiment.OpenHead(files["head.bin"])
	if err != nil {
		return err
	}
	tweets, _, err := evaluate(files, validation)
	if err != nil {
		return err
	}
	shift := balanceBias(tweets["semeval"])
	english := slices.Index(earshot.Languages, "EN")
	for k, by := range shift {
		head.Bias[english][k] += by
	}
	if files["head.bin"], err = head.Encode(); err != nil {
		return err
	}
	sentimentBySet, emotions, err := evaluate(files, validation)
	if err != nil {
		return err
	}
	head.Scale = [2]float32{
		classify.FitScale(slices.Concat(sentimentBySet["semeval"], sentimentBySet["umsab"])),
		classify.FitScale(emotions),
	}
	files["head.bin"], err = head.Encode()
	return err
}

// evaluate runs the model in files on validation texts. It returns the outcomes for sentiment by
// set, and those for emotion.
func evaluate(files map[string][]byte, validation []text) (sentimentBySet map[string][]classify.Outcome, emotions []classify.Outcome, err error) {
	m, err := sentiment.Open(files)
	if err != nil {
		return nil, nil, err
	}
	sentimentBySet = map[string][]classify.Outcome{}
	for _, t := range validation {
		s, e := m.Probabilities(t.text, t.language)
		if t.set == "goemotions" {
			emotions = append(emotions, classify.Outcome{Scores: e[:], Correct: t.labels[sentiments:]})
		} else {
			sentimentBySet[t.set] = append(sentimentBySet[t.set], classify.Outcome{Scores: s[:], Correct: t.labels[:sentiments]})
		}
	}
	return sentimentBySet, emotions, nil
}

// balanceBias returns the bias that balances the recall of the sentiment classes: the one with the
// best mean soft recall on a grid. Nearly correct texts count partly, so that individual texts
// matter less.
func balanceBias(outcomes []classify.Outcome) (best [sentiments]float32) {
	const reach = 12 // grid steps in each direction
	top := 0.0
	for neutral := -reach; neutral <= reach; neutral++ {
		for negative := -reach; negative <= reach; negative++ {
			shift := [sentiments]float32{0, float32(neutral) / 20, float32(negative) / 20}
			if recall := softRecall(outcomes, shift); recall > top {
				top, best = recall, shift
			}
		}
	}
	return best
}

// softRecall returns the mean over the classes of the mean probability of the correct class after
// shifting and sharpening.
func softRecall(outcomes []classify.Outcome, shift [sentiments]float32) float64 {
	var all, right [sentiments]float64
	for _, j := range outcomes {
		class := slices.Index(j.Correct, true)
		all[class]++
		right[class] += shifted(j.Scores, shift)[class]
	}
	var sum float64
	for k := range all {
		sum += right[k] / max(all[k], 1)
	}
	return sum / sentiments
}

// shifted returns the probabilities after adding shift to their logits, squared and normalized.
// Squaring is a compromise between probabilities and hard decisions.
func shifted(probabilities []float32, shift [sentiments]float32) (out [sentiments]float64) {
	var sum float64
	for k, probability := range probabilities {
		x := (float64(probability) + 1e-9) * math.Exp(float64(shift[k]))
		out[k] = float64(x * x)
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}
