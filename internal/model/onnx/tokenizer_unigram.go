package onnx

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"
)

// unigrams are the pieces of SentencePiece. Each has a score, and a word is split so that the sum
// of the scores is maximal.
type unigrams struct {
	numbers map[string]int64
	scores  []float64
	unknown int64
	penalty float64 // score of a character that is in no piece
	longest int     // maximum length of a piece in bytes
}

// unigrams reads a vocabulary: a list of pieces with their scores.
func (m *modelStage) unigrams() (*unigrams, error) {
	var vocabulary [][2]any
	if err := json.Unmarshal(m.Vocab, &vocabulary); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	u := &unigrams{numbers: make(map[string]int64, len(vocabulary)), unknown: m.UnknownID}
	lowest := 0.0
	for i, entry := range vocabulary {
		piece, ok := entry[0].(string)
		score, alsoOK := entry[1].(float64)
		if !ok || !alsoOK {
			return nil, fmt.Errorf("vocabulary: entry %d is not a piece and its score", i)
		}
		u.numbers[piece] = int64(i)
		u.scores = append(u.scores, score)
		u.longest = max(u.longest, min(len(piece), 128))
		lowest = min(lowest, score)
	}
	if u.unknown < 0 || u.unknown >= int64(len(u.scores)) {
		return nil, fmt.Errorf("vocabulary: the id %d of the unknown piece is not below %d", u.unknown, len(u.scores))
	}
	u.penalty = lowest - 10
	return u, nil
}

func (u *unigrams) number(piece string) (int64, bool) {
	id, ok := u.numbers[piece]
	return id, ok
}

// A segmentation is the best way to split a prefix of a word.
type segmentation struct {
	score float64
	from  int // start of its last piece
	id    int64
}

func (u *unigrams) encode(to []int64, word string) []int64 {
	best := make([]segmentation, len(word)+1) // by length of the prefix
	for i := range best[1:] {
		best[i+1].score = math.Inf(-1)
	}
	for from, c := range word {
		known := false
		for n := 1; n <= min(u.longest, len(word)-from); n++ {
			if id, ok := u.numbers[word[from:from+n]]; ok && id != u.unknown {
				known = known || n == utf8.RuneLen(c)
				better(&best[from+n], segmentation{best[from].score + u.scores[id], from, id})
			}
		}
		if !known {
			better(&best[from+utf8.RuneLen(c)], segmentation{best[from].score + u.penalty, from, u.unknown})
		}
	}
	return u.collect(to, best)
}

func better(old *segmentation, c segmentation) {
	if c.score > old.score {
		*old = c
	}
}

// collect appends the pieces of the best segmentation, which it finds from back to front.
// Consecutive unknown characters become one unknown piece.
func (u *unigrams) collect(to []int64, best []segmentation) []int64 {
	var backwards []int64
	for at := len(best) - 1; at > 0; at = best[at].from {
		id, n := best[at].id, len(backwards)
		if id != u.unknown || n == 0 || backwards[n-1] != u.unknown {
			backwards = append(backwards, id)
		}
	}
	for i := len(backwards) - 1; i >= 0; i-- {
		to = append(to, backwards[i])
	}
	return to
}
