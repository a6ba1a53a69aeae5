package earshot

import "slices"

// A Percent is a score in hundredths, as it is stored and shown.
type Percent uint8

// A Sentiment has the scores of BasicCategories, in their order. They add up to
// 100; all of them are 0 when the sentiment of a post is unknown.
type Sentiment [3]Percent

// An Emotion has the scores of BasicEmotions, in their order. They add up to 100;
// all of them are 0 when the emotion of a post is unknown.
type Emotion [7]Percent

// Indexes of scores in a Sentiment.
const (
	Positive = iota
	Neutral
	Negative
)

// Indexes of scores in an Emotion.
const (
	Joy = iota
	Sadness
	NoEmotion
	Disgust
	Anger
	Surprise
	Fear
)

// NewSentiment rounds three nonnegative shares of their sum.
func NewSentiment(shares [3]float32) (s Sentiment) {
	roundShares(s[:], shares[:])
	return s
}

// NewEmotion rounds seven nonnegative shares of their sum.
func NewEmotion(shares [7]float32) (e Emotion) {
	roundShares(e[:], shares[:])
	return e
}

// Assigned returns the index of the largest score, the first of equal ones, or -1 when
// the sentiment is unknown.
func (s Sentiment) Assigned() int { return assigned(s[:]) }

// Assigned returns the index of the largest score, the first of equal ones, or -1 when
// the emotion is unknown.
func (e Emotion) Assigned() int { return assigned(e[:]) }

func assigned(scores []Percent) int {
	top := slices.Max(scores)
	if top == 0 {
		return -1
	}
	return slices.Index(scores, top)
}

// roundShares rounds shares so that they add up to 100, by the largest remainder method.
// Shares whose sum is zero, infinite or not a number give no scores.
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

// Inferred says which fields of a post were inferred by models rather than stated; newer
// models may replace them.
type Inferred uint8

const (
	InferredLanguage Inferred = 1 << iota
	InferredGender
	InferredPlace
	InferredImages // brands and objects of all its images
)

// An InterestID names an interest of internal/model/interest. 0 is none.
type InterestID uint16

// An AgeGroup is one of the brackets that ages are counted by. 0 means that the age
// is unknown.
type AgeGroup uint8

const (
	UnderEighteen AgeGroup = iota + 1
	EighteenToTwentyFour
	TwentyFiveToThirtyFour
	ThirtyFiveAndOver
)

// AgeGroups lists the names of the brackets, youngest first.
var AgeGroups = []string{"ZERO_TO_SEVENTEEN", "EIGHTEEN_TO_TWENTYFOUR", "TWENTYFIVE_TO_THIRTYFOUR", "THIRTYFIVE_AND_OVER"}

// AgeGroupOf returns the bracket of an age in years.
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

// String returns the name of the bracket, "" for none.
func (g AgeGroup) String() string {
	if g == 0 || int(g) > len(AgeGroups) {
		return ""
	}
	return AgeGroups[g-1]
}
