package sentiment

import (
	"math"

	"earshot/internal/model/classify"
)

// A work is what one call of Shares needs.
type work struct {
	Input
	places classify.TokenRows
	pool   classify.Pool
	parts  []uint64     // features of letters of words that are not spelt
	spelt  classify.Sum // of words that are
	count  int          // of features of letters of all words
	keys   []uint64
	warm   byte // see classify.Table.Prefetch
}

// Probabilities returns what Analyse does before rounding: calibrated probabilities that add
// up to 1. Emotions are all 0 where they are not known.
func (m *Model) Probabilities(text, language string) (s [3]float32, e [7]float32) {
	w := m.spare.Get().(*work)
	defer m.spare.Put(w)
	w.Tokenize(text, MaxBytes)
	m.warmTokens(w, language)
	if language != "en" && m.looksEnglish(w.Tokens, language) {
		language = "en"
	}
	m.lexicon.finish(&w.Input, language)
	place, ok := m.places[language]
	if !ok || m.head.Learnt[place] == 0 {
		return m.plain(&w.Signals), e
	}
	out := m.outputs(w, place, SignalsOf(language))
	s = [3]float32(out[:3])
	softmax(s[:], m.head.Sharpness[0])
	if m.head.Learnt[place]&LearntSentiment == 0 {
		s = between(s, m.plain(&w.Signals))
	}
	if m.head.Learnt[place]&LearntEmotion != 0 {
		e = [7]float32(out[3:])
		softmax(e[:], m.head.Sharpness[1])
	}
	return s, e
}

// between returns the mean of what lines of films teach and of what lexicons say: films
// know more words, but hardly a neutral line.
func between(a, b [3]float32) [3]float32 {
	for k := range a {
		a[k] = (a[k] + b[k]) / 2
	}
	return a
}

// looksEnglish says whether a text is English, whatever language it is said to be in:
// four words and nine of ten known make it so. Where no language is said, one word and
// eight of ten do; emoji and emoticons are read alike in all languages and count too.
func (m *Model) looksEnglish(tokens []classify.Token, language string) bool {
	words, known, signs := 0, 0, 0
	for _, tok := range tokens {
		switch tok.Kind {
		case classify.Word:
			words++
			if m.filters.Has(tok.Hash) {
				known++
			}
		case classify.Emoji, classify.Emoticon:
			signs++
		}
	}
	if language != "" {
		return words >= 4 && 10*known >= 9*words
	}
	return known+signs > 0 && 10*known >= 8*words
}

// warmTokens has memory fetch what is known of single tokens.
func (m *Model) warmTokens(w *work, language string) {
	w.keys = w.keys[:0]
	for _, tok := range w.Tokens {
		w.keys = append(w.keys, tok.Hash)
	}
	w.warm += m.filters.Prefetch(w.keys) + m.spelt.Prefetch(w.keys)
	var warm byte
	w.keys, warm = m.lexicon.warm(w.keys[:0], w.Tokens, language)
	w.warm += warm
}

// plain tells sentiment from signals alone. Where there are none, it is neutral, with
// little confidence.
func (m *Model) plain(signals *[Signals]float32) [3]float32 {
	if signals[signalUnrated] == 1 && signals[signalCalls] == 0 {
		return [3]float32{0.25, 0.5, 0.25}
	}
	s := m.head.Plain[Signals]
	for i, signal := range signals {
		for k, weight := range m.head.Plain[i] {
			s[k] += float32(signal * weight)
		}
	}
	softmax(s[:], 1)
	return s
}

// softmax makes shares of outputs.
func softmax(x []float32, sharpness float32) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum float32
	for i, v := range x {
		x[i] = float32(math.Exp(float64((v - top) * sharpness)))
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}
