package earshot

import "slices"

// A Percent is a score from 0 to 100, as stored and displayed.
type Percent uint8

// A Sentiment contains the scores of [BasicCategories], in the same order. They add up to 100, or
// are all 0 if the sentiment is unknown.
type Sentiment [3]Percent

// An Emotion contains the scores of [BasicEmotions], in the same order. They add up to 100, or are
// all 0 if the emotion is unknown.
type Emotion [7]Percent

// Indexes of the scores in a [Sentiment].
const (
	Positive = iota
	Neutral
	Negative
)

// Indexes of the scores in an [Emotion].
const (
	Joy = iota
	Sadness
	NoEmotion
	Disgust
	Anger
	Surprise
	Fear
)

// NewSentiment converts three nonnegative weights to percentages of their sum.
func NewSentiment(shares [3]float32) (s Sentiment) {
	roundShares(s[:], shares[:])
	return s
}

// NewEmotion converts seven nonnegative weights to percentages of their sum.
func NewEmotion(shares [7]float32) (e Emotion) {
	roundShares(e[:], shares[:])
	return e
}

// Assigned returns the index of the largest score, or -1 if the sentiment is unknown. Among equal
// scores, the first wins.
func (s Sentiment) Assigned() int { return assigned(s[:]) }

// Assigned returns the index of the largest score, or -1 if the emotion is unknown. Among equal
// scores, the first wins.
func (e Emotion) Assigned() int { return assigned(e[:]) }

func assigned(scores []Percent) int {
	top := slices.Max(scores)
	if top == 0 {
		return -1
	}
	return slices.Index(scores, top)
}

// roundShares converts shares to percentages that add up to 100, using the largest remainder
// method. If the sum of the shares is zero, infinite or not a number, the scores stay 0.
func roundShares(scores []Percent, shares []float32) {
	var sum float64
	for _, share := range shares {
		sum += float64(share)
	}
	if !(sum > 0) || sum > 1e30 {
		return
	}
	var remainders [7]float64
	missing := 100
	for i, share := range shares {
		exact := 100 * float64(share) / sum
		scores[i] = Percent(exact)
		remainders[i] = exact - float64(scores[i])
		missing -= int(scores[i])
	}
	for range missing {
		largest := 0
		for i := range shares {
			if remainders[i] > remainders[largest] {
				largest = i
			}
		}
		scores[largest]++
		remainders[largest]--
	}
}

// Inferred is a bit set of the fields that models inferred because the post did not state them.
// Newer models may replace these fields.
type Inferred uint8

const (
	InferredLanguage Inferred = 1 << iota
	InferredGender
	InferredPlace
	InferredImages // brands and objects in all images
)

// An InterestID identifies an interest defined in internal/model/interest. 0 means none.
type InterestID uint16

// An AgeGroup is one of the age brackets that responses count authors by. 0 means that the age is
// unknown.
type AgeGroup uint8

const (
	UnderEighteen AgeGroup = iota + 1
	EighteenToTwentyFour
	TwentyFiveToThirtyFour
	ThirtyFiveAndOver
)

// AgeGroups lists the bracket names, youngest first.
var AgeGroups = []string{"ZERO_TO_SEVENTEEN", "EIGHTEEN_TO_TWENTYFOUR", "TWENTYFIVE_TO_THIRTYFOUR", "THIRTYFIVE_AND_OVER"}

// AgeGroupOf returns the bracket that contains an age in years.
func AgeGroupOf(years int64) AgeGroup {
	switch {
	case years < 18:
		return UnderEighteen
	case years < 25:
		return EighteenToTwentyFour
	case years < 35:
		return TwentyFiveToThirtyFour
	}
	return ThirtyFiveAndOver
}

// String returns the bracket name, or "" if the age is unknown.
func (g AgeGroup) String() string {
	if g == 0 || int(g) > len(AgeGroups) {
		return ""
	}
	return AgeGroups[g-1]
}
