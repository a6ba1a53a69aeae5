package sentiment

import (
	"math"

	"earshot/internal/model/classify"
)

// Signals is the number of dense features of a text.
const Signals = 32

// Indexes of signals that are referenced by name.
const (
	signalEmojiGood    = 12
	signalEmojiBad     = 13
	signalExclamations = 14
	signalUnrated      = 23 // 1 if no token of the text has a rating
)

// How context changes ratings, following the rules of VADER.
const (
	maxNegationSpan = 5     // tokens
	negationFactor  = -0.74 // a negated rating is reversed and weakened
	capsFactor      = 1.25
	beforeButFactor = 0.6 // for ratings before "but"
	afterButFactor  = 1.3 // for ratings after "but"
	boosterDecay    = 0.3 // for a booster two words before
)

// A tally accumulates the ratings of a text.
type tally struct {
	good, bad, secondGood, secondBad                    float32
	highest, lowest, first, last                        float32
	goodWords, badWords                                 float32
	emoji, emojiGood, emojiBad                          float32
	words, caps, exclamations, questions, dots, mention float32
	negated, elongated, link, but, asks                 bool
	boost                                               float32
	negatedGood, negatedBad                             float32 // before negation
	before, clause                                      float32 // before the last contrast, and in this clause
	tags                                                float32
}

// computeSignals sets in.Signals and marks negated tokens.
func (l *Lexicon) computeSignals(in *Input, language string) {
	key, spaced := classify.Hash(language), HasSpaces(language)
	var t tally
	reach := 0
	for i := range in.Tokens {
		tok := &in.Tokens[i]
		if tok.Has(classify.ClauseStart) || tok.Kind == classify.Punctuation {
			reach = 0
		}
		if tok.Has(classify.ClauseStart) && tok.Kind == classify.Word {
			t.clause = 0
		}
		if reach > 0 {
			tok.Attr |= classify.Negated
			reach--
		}
		t.countToken(*tok, in.Form(*tok))
		entry, found := l.lookup(in.Tokens, i, key, spaced)
		if entry.Negates > 0 {
			reach = maxNegationSpan
		}
		if entry.Contrast != 0 {
			t.contrast(entry.Contrast)
			reach = 0
		}
		if tok.Kind == classify.Word {
			tok.Attr |= polarity(entry)
		}
		t.addRating(*tok, entry, found)
	}
	t.signals(&in.Signals)
}

// countToken counts how a token is written.
func (t *tally) countToken(tok classify.Token, form []byte) {
	switch tok.Kind {
	case classify.Word:
		t.words++
	case classify.Link:
		t.link = true
	case classify.Mention:
		t.mention++
	case classify.Punctuation:
		t.countPunctuation(form)
	}
	if tok.Has(classify.Caps) {
		t.caps++
	}
	t.elongated = t.elongated || tok.Has(classify.Elongated)
	t.negated = t.negated || tok.Has(classify.Negated)
	if tok.Has(classify.InHashtag) {
		t.tags++
	}
	t.asks = tok.Kind == classify.Punctuation && form[0] == '?'
}

// contrast weakens the ratings before "but".
func (t *tally) contrast(kind float32) {
	if kind < 0 {
		return
	}
	t.but = true
	t.before, t.clause = t.good-t.bad, 0
	t.good *= beforeButFactor
	t.bad *= beforeButFactor
}

// polarity returns the attribute for a rated word.
func polarity(e Entry) classify.Attr {
	switch rating := e.Valence + e.AFINN; {
	case rating > 0:
		return classify.Good
	case rating < 0:
		return classify.Bad
	}
	return 0
}

func (t *tally) countPunctuation(form []byte) {
	switch {
	case form[0] == '.':
		t.dots++
	case form[0] == '!':
		t.exclamations++
	default:
		t.questions++
		if form[len(form)-1] == '!' {
			t.exclamations++
		}
	}
}

// addRating adds the rating of a token, modified by its context.
func (t *tally) addRating(tok classify.Token, e Entry, found bool) {
	if !found || e.Valence == 0 && e.AFINN == 0 {
		t.boost = e.Strength + boosterDecay*t.boost
		return
	}
	first, second := t.modify(tok, e.Valence), t.modify(tok, e.AFINN)
	t.boost = e.Strength
	if first == 0 {
		first = second
	}
	t.add(first)
	t.clause += first
	if tok.Has(classify.Negated) {
		t.negatedGood += max(e.Valence, 0)
		t.negatedBad -= min(e.Valence, 0)
	}
	t.secondGood += max(second, 0)
	t.secondBad -= min(second, 0)
	if IsSign(tok.Kind) {
		t.addEmoji(e.Valence)
	}
}

// modify returns a rating strengthened, weakened or negated by its context.
func (t *tally) modify(tok classify.Token, rating float32) float32 {
	switch {
	case rating > 0:
		rating += t.boost
	case rating < 0:
		rating -= t.boost
	}
	if tok.Has(classify.Caps) {
		rating *= capsFactor
	}
	if t.but {
		rating *= afterButFactor
	}
	if tok.Has(classify.Negated) {
		rating *= negationFactor
	}
	return rating
}

func (t *tally) add(rating float32) {
	if rating > 0 {
		t.good += rating
		t.goodWords++
	} else {
		t.bad -= rating
		t.badWords++
	}
	t.highest, t.lowest, t.last = max(t.highest, rating), min(t.lowest, rating), rating
	if t.first == 0 {
		t.first = rating
	}
}

func (t *tally) addEmoji(rating float32) {
	t.emoji += rating
	if rating > 0 {
		t.emojiGood = 1
	} else {
		t.emojiBad = 1
	}
}

// signals scales the sums to about -1...1.
func (t *tally) signals(out *[Signals]float32) {
	n := t.words + 3
	*out = [Signals]float32{
		squash(t.good - t.bad), squash(t.good), squash(t.bad),
		t.highest / 4, t.lowest / 4, t.last / 4, t.first / 4,
		squash(t.secondGood - t.secondBad), (t.good - t.bad) / n,
		2 * t.goodWords / n, 2 * t.badWords / n,
		squash(t.emoji), t.emojiGood, t.emojiBad,
		min(t.exclamations, 3) / 3, min(t.questions, 2) / 2, t.caps / n,
		toFloat(t.negated), toFloat(t.elongated), toFloat(t.link), min(t.mention, 2) / 2, min(t.dots, 2) / 2,
		float32(math.Log(float64(n))) / 4, toFloat(t.goodWords+t.badWords == 0),
		squash(t.negatedGood), squash(t.negatedBad), squash(t.before), squash(t.clause),
		toFloat(t.but), toFloat(t.asks), min(t.tags, 3) / 3, 1 / n,
	}
}

// squash maps a sum of ratings to -1...1, as VADER does.
func squash(x float32) float32 { return x / float32(math.Sqrt(float64(x*x)+15)) }

func toFloat(yes bool) float32 {
	if yes {
		return 1
	}
	return 0
}
