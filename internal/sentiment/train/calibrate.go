package train

import (
	"math"
	"slices"

	"earshot"
	"earshot/internal/classify"
	"earshot/internal/sentiment"
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
		classify.Sharpness(slices.Concat(moods["semeval"], moods["umsab"])),
		classify.Sharpness(emotions),
	}
	files["head.bin"], err = head.Encode()
	return err
}

// judge asks the model in files about kept texts: for sentiment by set, for emotion.
func judge(files map[string][]byte, kept []text) (moods map[string][]classify.Judgement, emotions []classify.Judgement, err error) {
	m, err := sentiment.Open(files)
	if err != nil {
		return nil, nil, err
	}
	moods = map[string][]classify.Judgement{}
	for _, t := range kept {
		s, e := m.Shares(t.text, t.language)
		if t.set == "goemotions" {
			emotions = append(emotions, classify.Judgement{Shares: e[:], Right: t.right[sentiments:]})
		} else {
			moods[t.set] = append(moods[t.set], classify.Judgement{Shares: s[:], Right: t.right[:sentiments]})
		}
	}
	return moods, emotions, nil
}

// evenShift returns what to add to the outputs of sentiment for the best mean recall of
// the classes.
func evenShift(judgements []classify.Judgement) (best [sentiments]float32) {
	top := 0.0
	for neutral := -6; neutral <= 6; neutral++ {
		for negative := -6; negative <= 6; negative++ {
			shift := [sentiments]float32{0, float32(neutral) / 10, float32(negative) / 10}
			if recall := meanRecall(judgements, shift); recall > top {
				top, best = recall, shift
			}
		}
	}
	return best
}

func meanRecall(judgements []classify.Judgement, shift [sentiments]float32) float64 {
	var all, right [sentiments]float64
	for _, j := range judgements {
		said, top := 0, math.Inf(-1)
		for k, share := range j.Shares {
			if x := math.Log(float64(share)+1e-9) + float64(shift[k]); x > top {
				said, top = k, x
			}
		}
		for k, is := range j.Right {
			if is {
				all[k]++
			}
		}
		if j.Right[said] {
			right[said]++
		}
	}
	var sum float64
	for k := range all {
		sum += right[k] / max(all[k], 1)
	}
	return sum / sentiments
}
