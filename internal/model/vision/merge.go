package vision

import (
	"math"
	"slices"

	"earshot"
)

// A Seen is a class that an image shows according to its pixels. The score is the estimated
// probability that it does.
type Seen struct {
	Class Class
	Score float64
}

// maxScore is the maximum score of a merged class: two sources that agree may still err together.
const maxScore = 0.99

// Merge combines what alt text says with what a network sees in the pixels. Either source is enough
// for a class. If both have it, the score is the probability that not both err, 1-(1-a)(1-b), up to
// 0.99. The classes of the alt text come first, in their order, then the others in the order of
// seen. Scores have two decimal places.
//
// Logos are ignored: they come from texts and from models that operators supply.
func Merge(alt []earshot.ImageObject, seen []Seen) []earshot.ImageObject {
	merged := slices.Clone(alt)
	for _, s := range seen {
		if s.Class.Type == Logo {
			continue
		}
		at := slices.IndexFunc(merged, func(o earshot.ImageObject) bool { return o.ClassID == s.Class.ID })
		if at < 0 {
			merged = append(merged, earshot.ImageObject{Score: roundScore(s.Score), ClassID: s.Class.ID, ClassName: s.Class.Name})
			continue
		}
		both := 1 - (1-merged[at].Score)*(1-s.Score)
		merged[at].Score = max(merged[at].Score, min(roundScore(both), maxScore))
	}
	return merged
}

func roundScore(score float64) float64 { return math.Round(score*100) / 100 }
