package sentiment

import (
	"math"

	"earshot/internal/model/classify"
)

// Signals is how many figures sum a text up, beside its words.
const Signals = 24

// Places of signals that are read on their own.
const (
	signalEmojiGood = 12
	signalEmojiBad  = 13
	signalCalls     = 14
	signalUnrated   = 23 // no word, emoji or emoticon of the text has a rating
)

// How ratings change with what stands around them, after the rules of VADER.
const (
	negationSpan  = 4     // tokens that a negation reaches
	negatedBy     = -0.74 // a negated rating is weaker, and turned
	capsBy        = 1.25
	beforeBut     = 0.6 // what was said before "but" counts less
	afterBut      = 1.3 // and what comes after it more
	fadingBooster = 0.3 // of a strengthening word two words before
)

// A tally adds up the ratings of a text.
type tally struct {
	good, bad, secondGood, secondBad        float32
	highest, lowest, first, last            float32
	goodWords, badWords                     float32
	emoji, emojiGood, emojiBad              float32
	words, caps, calls, asks, dots, mention float32
	negated, drawn, link, but               bool
	boost                                   float32
}

// measure fills in.Signals and marks the tokens that are negated.
func (l *Lexicon) measure(in *Input, language string) {
	key, spaced := classify.Hash(language), Spaced(language)
	var t tally
	reach := 0
	for i := range in.Tokens {
		tok := &in.Tokens[i]
		if tok.Has(classify.ClauseStart) || tok.Kind == classify.Punctuation {
			reach = 0
		}
		if reach > 0 {
			tok.Attr |= classify.Negated
			reach--
		}
		t.look(*tok, in.Form(*tok))
		entry, found := l.entry(in.Tokens, i, key, spaced)
		if entry.Negates > 0 {
			reach = negationSpan
		}
		t.rate(*tok, entry, found)
	}
	t.signals(&in.Signals)
}

// look counts how a token is written.
func (t *tally) look(tok classify.Token, form []byte) {
	switch tok.Kind {
	case classify.Word:
		t.words++
	case classify.Link:
		t.link = true
	case classify.Mention:
		t.mention++
	case classify.Punctuation:
		t.mark(form)
	}
	if tok.Has(classify.Caps) {
		t.caps++
	}
	t.drawn = t.drawn || tok.Has(classify.Elongated)
	t.negated = t.negated || tok.Has(classify.Negated)
	if tok.Hash == butWord {
		t.but = true
		t.good *= beforeBut
		t.bad *= beforeBut
	}
}

func (t *tally) mark(form []byte) {
	switch {
	case form[0] == '.':
		t.dots++
	case form[0] == '!':
		t.calls++
	default:
		t.asks++
		if form[len(form)-1] == '!' {
			t.calls++
		}
	}
}

var butWord = classify.Hash("but")

// rate adds the rating of a token, changed by what stands around it.
func (t *tally) rate(tok classify.Token, e Entry, found bool) {
	if !found || e.Valence == 0 && e.Second == 0 {
		t.boost = e.Strength + fadingBooster*t.boost
		return
	}
	first, second := t.turn(tok, e.Valence), t.turn(tok, e.Second)
	t.boost = e.Strength
	if first == 0 {
		first = second
	}
	t.add(first)
	t.secondGood += max(second, 0)
	t.secondBad -= min(second, 0)
	if tok.Kind == classify.Emoji || tok.Kind == classify.Emoticon {
		t.addEmoji(e.Valence)
	}
}

// turn returns a rating strengthened, weakened or turned.
func (t *tally) turn(tok classify.Token, rating float32) float32 {
	switch {
	case rating > 0:
		rating += t.boost
	case rating < 0:
		rating -= t.boost
	}
	if tok.Has(classify.Caps) {
		rating *= capsBy
	}
	if t.but {
		rating *= afterBut
	}
	if tok.Has(classify.Negated) {
		rating *= negatedBy
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

// signals brings what was added up near to -1...1.
func (t *tally) signals(out *[Signals]float32) {
	n := t.words + 3
	*out = [Signals]float32{
		squash(t.good - t.bad), squash(t.good), squash(t.bad),
		t.highest / 4, t.lowest / 4, t.last / 4, t.first / 4,
		squash(t.secondGood - t.secondBad), (t.good - t.bad) / n,
		2 * t.goodWords / n, 2 * t.badWords / n,
		squash(t.emoji), t.emojiGood, t.emojiBad,
		min(t.calls, 3) / 3, min(t.asks, 2) / 2, t.caps / n,
		one(t.negated), one(t.drawn), one(t.link), min(t.mention, 2) / 2, min(t.dots, 2) / 2,
		float32(math.Log(float64(n))) / 4, one(t.goodWords+t.badWords == 0),
	}
}

// squash maps a sum of ratings to -1...1, as VADER does.
func squash(x float32) float32 { return x / float32(math.Sqrt(float64(x*x)+15)) }

func one(yes bool) float32 {
	if yes {
		return 1
	}
	return 0
}
