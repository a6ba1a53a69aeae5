package train

import (
	"math"
	"slices"

	"earshot"
	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
)

// split holds a twentieth of the sets that figures are about back, to calibrate on.
func split(texts []text) (learning, kept []text) {
	for i, t := range texts {
		if i%20 == 7 && slices.Contains(calibrated, t.set) {
			kept = append(kept, t)
		} else {
			learning = append(learning, t)
		}
	}
	return learning, kept
}

var calibrated = []string{"semeval", "umsab", "goemotions"}

// calibrate sets two things by kept texts: the bias of English sentiment so that all
// classes are found equally well, and the sharpness so that the mean confidence is how
// often the model is right.
func calibrate(files map[string][]byte, kept []text) error {
	head, err := sentiment.OpenHead(files["head.bin"])
	if err != nil {
		return err
	}
	tweets, _, err := judge(files, kept)
	if err != nil {
		return err
	}
	shift := evenShift(tweets["semeval"])
	english := slices.Index(earshot.Languages, "EN")
	for k, by := range shift {
		head.Bias[english][k] += by
	}
	if files["head.bin"], err = head.Encode(); err != nil {
		return err
	}
	moods, emotions, err := judge(files, kept)
	if err != nil {
		return err
	}
	head.Sharpness = [2]float32{
		classify.FitScale(slices.Concat(moods["semeval"], moods["umsab"])),
		classify.FitScale(emotions),
	}
	files["head.bin"], err = head.Encode()
	return err
}

// judge asks the model in files about kept texts: for sentiment by set, for emotion.
func judge(files map[string][]byte, kept []text) (moods map[string][]classify.Outcome, emotions []classify.Outcome, err error) {
	m, err := sentiment.Open(files)
	if err != nil {
		return nil, nil, err
	}
	moods = map[string][]classify.Outcome{}
	for _, t := range kept {
		s, e := m.Probabilities(t.text, t.language)
		if t.set == "goemotions" {
			emotions = append(emotions, classify.Outcome{Scores: e[:], Correct: t.right[sentiments:]})
		} else {
			moods[t.set] = append(moods[t.set], classify.Outcome{Scores: s[:], Correct: t.right[:sentiments]})
		}
	}
	return moods, emotions, nil
}

// evenShift returns what to add to the outputs of sentiment so that the classes are found
// equally well: the best mean recall on a grid. A text that is nearly right counts in
// part, so that single texts decide less than they would if right answers were counted.
func evenShift(judgements []classify.Outcome) (best [sentiments]float32) {
	const reach = 12 // steps of the grid either way
	top := 0.0
	for neutral := -reach; neutral <= reach; neutral++ {
		for negative := -reach; negative <= reach; negative++ {
			shift := [sentiments]float32{0, float32(neutral) / 20, float32(negative) / 20}
			if recall := softRecall(judgements, shift); recall > top {
				top, best = recall, shift
			}
		}
	}
	return best
}

// softRecall returns the mean over the classes of the mean share that the right class has
// after shifting and sharpening.
func softRecall(judgements []classify.Outcome, shift [sentiments]float32) float64 {
	var all, right [sentiments]float64
	for _, j := range judgements {
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

// shifted returns shares after shift was added to the outputs they come from, squared:
// between what is likely and what is answered.
func shifted(shares []float32, shift [sentiments]float32) (out [sentiments]float64) {
	var sum float64
	for k, share := range shares {
		x := (float64(share) + 1e-9) * math.Exp(float64(shift[k]))
		out[k] = float64(x * x)
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}
