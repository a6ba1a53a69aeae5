package interest

import (
	"math/bits"

	"earshot"
)

// Strength is how strongly a term indicates an interest.
type Strength uint8

const (
	Strong Strength = iota // enough alone
	Weak                   // means other things too: two different ones are needed
	Bio                    // enough alone in a bio, nothing in a post
)

// A tally counts the terms of one text. Each term counts once, however often and in
// whichever spelling it stands there.
type tally struct {
	points [Bio + 1]uint8                     // that a term of each strength gives
	terms  [len(list)][maxTermsCounted]uint16 // the numbers of the terms found, 0 where there is none yet
	score  [len(list)]uint8
	found  [(len(list) + 63) / 64]uint64 // a set of the places that have a score
}

// maxTermsCounted is how many terms of an interest are counted. More are never needed:
// this many weak ones are enough for the longest text.
const maxTermsCounted = 4

// add counts the postings of a phrase.
func (t *tally) add(in *table, v value) {
	if v&hasPostings == 0 {
		return
	}
	for i := v >> valueBits; ; i++ {
		p := in.postings[i]
		if points := t.points[p.strength()]; points > 0 && p.interestIndex() != nowhere {
			t.count(p.interestIndex(), p.term(), points)
		}
		if p&lastPosting != 0 {
			return
		}
	}
}

// count gives an interest points for a term, unless it was counted before.
func (t *tally) count(place int, term uint16, points uint8) {
	for i := range t.terms[place] {
		switch t.terms[place][i] {
		case term:
			return
		case 0:
			t.terms[place][i] = term
			t.score[place] += points
			t.found[place/64] |= 1 << (place % 64)
			return
		}
	}
}

// append appends the interests that have the points needed, ascending.
func (t *tally) append(ids []earshot.InterestID, needed uint8) []earshot.InterestID {
	for i, set := range t.found {
		for ; set != 0; set &= set - 1 {
			if place := 64*i + bits.TrailingZeros64(set); t.score[place] >= needed {
				ids = append(ids, list[place].ID)
			}
		}
	}
	return ids
}
