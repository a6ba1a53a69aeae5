package train

import (
	"slices"

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

// calibrate sets the sharpness of the model in files so that its mean confidence in what
// it says of kept texts is how often it is right.
func calibrate(files map[string][]byte, kept []text) error {
	m, err := sentiment.Open(files)
	if err != nil {
		return err
	}
	var moods, emotions []classify.Judgement
	for _, t := range kept {
		s, e := m.Shares(t.text, t.language)
		if t.set == "goemotions" {
			emotions = append(emotions, judge(e[:], t.want[sentiments:]))
		} else {
			moods = append(moods, judge(s[:], t.want[:sentiments]))
		}
	}
	head, err := sentiment.OpenHead(files["head.bin"])
	if err != nil {
		return err
	}
	head.Sharpness = [2]float32{classify.Sharpness(moods), classify.Sharpness(emotions)}
	files["head.bin"], err = head.Encode()
	return err
}

func judge(shares, want []float32) classify.Judgement {
	j := classify.Judgement{Shares: shares, Right: make([]bool, len(want))}
	for k, share := range want {
		j.Right[k] = share > 0
	}
	return j
}
