package sentiment

import (
	"math"

	"earshot/internal/model/classify"
)

// A scratch is the working memory of one call to [Model.Probabilities].
type scratch struct {
	Input
	rows           classify.TokenRows
	pool           classify.Pool
	ngrams         []uint64     // n-grams of unknown words
	wordNGrams     classify.Sum // summed n-gram weights of known words
	words, unknown int
	ngramCount     int // number of n-grams in all words
	keys           []uint64
	prefetched     byte // see classify.Table.Prefetch
}

// Probabilities returns the result of [Model.Infer] before rounding: calibrated probabilities that
// sum to 1. Emotions are all 0 if unknown.
func (m *Model) Probabilities(text, language string, d Domain) (s [3]float32, e [7]float32) {
	w := m.scratches.Get().(*scratch)
	defer m.scratches.Put(w)
	w.Tokenize(text, MaxBytes)
	m.prefetchTokens(w, language)
	if m.readsAsEnglish(w, language) {
		language = "en"
	}
	m.lexicon.finish(&w.Input, language)
	place, ok := m.languages[language]
	if !ok || m.head.Trained[place] == 0 {
		return m.fallback(&w.Signals), e
	}
	out := m.logits(w, place, d)
	scale := &m.head.Scale[place][d]
	s = [3]float32(out[:3])
	softmax(s[:], scale[0])
	if m.head.Trained[place]&TrainedSentiment == 0 {
		s = average(s, m.fallback(&w.Signals))
	}
	if m.head.Trained[place]&TrainedEmotion != 0 {
		e = [7]float32(out[3:])
		softmax(e[:], scale[1])
	}
	return s, e
}

// average returns the mean of two distributions. Models trained on movie lines know more words than
// lexicons, but have seen few neutral lines.
func average(a, b [3]float32) [3]float32 {
	for k := range a {
		a[k] = (a[k] + b[k]) / 2
	}
	return a
}

// readsAsEnglish reports whether a text in another language is treated as English. Posts in romanized
// Hindi are mixed with English and have no training data. Words in Devanagari have filters too, so
// they must not count as English words.
func (m *Model) readsAsEnglish(w *scratch, language string) bool {
	switch language {
	case "en":
		return false
	case "hi":
		return !w.hasDevanagari()
	}
	return m.looksEnglish(w.Tokens, language)
}

// looksEnglish reports whether a text is English, whatever its stated language: it has at least
// four words, and nine of ten are known. If no language is stated, one word is enough and eight of
// ten must be known. In that case emoji and emoticons also count, because they are the same in all
// languages.
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

// hasDevanagari reports whether a word is written in Devanagari.
func (w *scratch) hasDevanagari() bool {
	for _, tok := range w.Tokens {
		if form := w.Form(tok); form[0] == 0xe0 && (form[1] == 0xa4 || form[1] == 0xa5) {
			return true
		}
	}
	return false
}

// prefetchTokens prefetches the table entries of single tokens.
func (m *Model) prefetchTokens(w *scratch, language string) {
	w.keys = w.keys[:0]
	for _, tok := range w.Tokens {
		w.keys = append(w.keys, tok.Hash)
	}
	w.prefetched += m.filters.Prefetch(w.keys) + m.wordNGrams.Prefetch(w.keys)
	var prefetched byte
	w.keys, prefetched = m.lexicon.prefetch(w.keys[:0], w.Tokens, language)
	w.prefetched += prefetched
}

// fallback infers sentiment from signals alone. Without any signals, the result is neutral with low
// confidence.
func (m *Model) fallback(signals *[Signals]float32) [3]float32 {
	if signals[signalUnrated] == 1 && signals[signalExclamations] == 0 {
		return [3]float32{0.25, 0.5, 0.25}
	}
	s := m.head.Fallback[Signals]
	for i, signal := range signals {
		for k, weight := range m.head.Fallback[i] {
			s[k] += float32(signal * weight)
		}
	}
	softmax(s[:], 1)
	return s
}

// softmax converts logits to probabilities in place.
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
