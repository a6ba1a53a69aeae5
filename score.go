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

// NewSentiment converts three nonnegative weights to percentages of their sum, as [RoundShares] does.
func NewSentiment(shares [3]float32) (s Sentiment) {
	RoundShares(s[:], shares[:])
	return s
}

// NewEmotion converts seven nonnegative weights to percentages of their sum, as [RoundShares] does.
func NewEmotion(shares [7]float32) (e Emotion) {
	RoundShares(e[:], shares[:])
	return e
}

// Assigned returns the index of the largest score, or -1 if the sentiment is unknown. Among equal
// scores, the first wins. Rounding does not make them equal, see [RoundShares].
func (s Sentiment) Assigned() int { return assigned(s[:]) }

// Assigned returns the index of the largest score, or -1 if the emotion is unknown. Among equal
// scores, the first wins. Rounding does not make them equal, see [RoundShares].
func (e Emotion) Assigned() int { return assigned(e[:]) }

func assigned(scores []Percent) int {
	top := slices.Max(scores)
	if top == 0 {
		return -1
	}
	return slices.Index(scores, top)
}

// RoundShares converts nonnegative shares to percentages that add up to 100, using the largest
// remainder method. Rounding keeps the winner: no other percentage reaches that of the largest share.
// Where the method makes the two largest equal (46, 46, 8 from 0.459, 0.456, 0.085), the larger one
// takes a point from the other (47, 45, 8). Among exactly equal shares, the first wins. If the sum
// of the shares is zero, infinite or not a number, the scores stay 0.
func RoundShares(scores []Percent, shares []float32) {
	var sum float64
	for _, share := range shares {
		sum += float64(share)
	}
	if !(sum > 0) || sum > 1e30 {
		return
	}
	var few [7]float64 // avoids an allocation
	remainders := few[:0]
	missing := 100
	for i, share := range shares {
		exact := 100 * float64(share) / sum
		scores[i] = Percent(exact)
		remainders = append(remainders, exact-float64(scores[i]))
		missing -= int(scores[i])
	}
	for range missing {
		largest := slices.Index(remainders, slices.Max(remainders))
		scores[largest]++
		remainders[largest]--
	}
	separateTop(scores, shares)
}

// separateTop moves a point to the largest share if the percentage of a smaller share equals its own.
// It takes the point from the smallest of them, so all others keep their order.
func separateTop(scores []Percent, shares []float32) {
	top := slices.Index(shares, slices.Max(shares))
	equal := -1
	for i, share := range shares {
		if scores[i] == scores[top] && share < shares[top] && (equal < 0 || share <= shares[equal]) {
			equal = i
		}
	}
	if equal >= 0 {
		scores[top]++
		scores[equal]--
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
