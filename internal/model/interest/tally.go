package interest

import (
	"math/bits"

	"earshot"
)

// Strength is how strongly a term indicates an interest.
type Strength uint8

const (
	Strong Strength = iota // sufficient alone
	Weak                   // ambiguous; two different ones are needed
	Bio                    // sufficient alone in a bio, ignored in a post
)

// A tally counts the terms in one text. Each term counts once, however often and in whichever
// spelling it occurs.
type tally struct {
	points [Bio + 1]uint8                     // points for a term of each strength
	terms  [len(list)][maxTermsCounted]uint16 // numbers of the terms found; 0 marks a free entry
	score  [len(list)]uint8
	found  [(len(list) + 63) / 64]uint64 // bit set of the interests that have a score
}

// maxTermsCounted is the maximum number of terms counted per interest. This many weak terms are
// enough for the longest text.
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

// count adds points to an interest for a term, unless the term was counted before.
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

// append appends the interests that have the required points, sorted.
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
