package earshot

import "slices"

// A ScoreCell is a set of similar scores. To estimate how many posts have a sentiment, it is not
// enough to know the most likely sentiment of each; counting posts by cell shows how sure the model
// was, with far fewer numbers than counting by score. Cells are stored, so they must not change.
//
// Cell 0 is that of unknown scores. The following ones are those of certain scores, which are 100:
// only people are certain, models never are. The others follow.
type ScoreCell uint8

// Certain returns the index of the only score that is not 0, or -1 if the cell is not that of a
// certain sentiment or emotion. scores is their number.
func (c ScoreCell) Certain(scores int) int {
	if c == 0 || int(c) > scores {
		return -1
	}
	return int(c) - 1
}

const (
	// SentimentCells is the number of cells of a [Sentiment].
	SentimentCells = 1 + 3 + sentimentLevels*sentimentLevels

	// EmotionCells is the number of cells of an [Emotion].
	EmotionCells = 1 + 7 + 7*emotionLevels*2

	sentimentLevels = 8
	emotionLevels   = 4
)

// Bounds of levels of scores. A score is at level n if it is not less than n of them.
var (
	sentimentBounds = [sentimentLevels - 1]Percent{3, 10, 22, 38, 55, 72, 88}
	emotionBounds   = [emotionLevels - 1]Percent{35, 50, 70}
)

// neutralBound is the score of [NoEmotion] from which another emotion is in a different cell.
const neutralBound = 20

// Cell returns the cell of a sentiment. It depends on the levels of the positive and the negative
// score.
func (s Sentiment) Cell() ScoreCell {
	if cell, done := plainCell(s[:]); done {
		return cell
	}
	return ScoreCell(1 + len(s) + levelOf(s[Positive], sentimentBounds[:])*sentimentLevels + levelOf(s[Negative], sentimentBounds[:]))
}

// Cell returns the cell of an emotion. It depends on the most likely emotion, the level of its
// score, and whether there may be no emotion.
func (e Emotion) Cell() ScoreCell {
	if cell, done := plainCell(e[:]); done {
		return cell
	}
	top := e.Assigned()
	cell := (top*emotionLevels + levelOf(e[top], emotionBounds[:])) * 2
	if e[NoEmotion] >= neutralBound {
		cell++
	}
	return ScoreCell(1 + len(e) + cell)
}

// Inferred returns scores as a model states them: at most 99, because a model is never certain.
func (s Sentiment) Inferred() Sentiment {
	doubt(s[:], Neutral)
	return s
}

// Inferred returns scores as a model states them: at most 99, because a model is never certain.
func (e Emotion) Inferred() Emotion {
	doubt(e[:], NoEmotion)
	return e
}

// doubt moves a point from a certain score to the score of an unclear post, or to the first one.
func doubt(scores []Percent, unclear int) {
	top := slices.Index(scores, 100)
	switch {
	case top < 0:
		return
	case top == unclear:
		unclear = 0
	}
	scores[top], scores[unclear] = 99, 1
}

// plainCell returns the cell of unknown or certain scores.
func plainCell(scores []Percent) (cell ScoreCell, ok bool) {
	switch top := assigned(scores); {
	case top < 0:
		return 0, true
	case scores[top] >= 100:
		return ScoreCell(1 + top), true
	}
	return 0, false
}

func levelOf(score Percent, bounds []Percent) int {
	level, _ := slices.BinarySearch(bounds, score+1)
	return level
}
