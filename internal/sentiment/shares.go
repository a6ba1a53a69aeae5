package sentiment

import (
	"math"

	"earshot/internal/classify"
)

// A work is what one call of Shares needs.
type work struct {
	Input
	pool  classify.Pool
	parts []uint64
	keys  []uint64
	warm  byte // see classify.Table.Warm
}

// Shares returns what Analyse does before rounding: calibrated probabilities that add
// up to 1. Emotions are all 0 where they are not known.
func (m *Model) Shares(text, language string) (s [3]float32, e [7]float32) {
	w := m.spare.Get().(*work)
	defer m.spare.Put(w)
	w.Split(text, MaxBytes)
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
			if m.filters.Knows(tok.Hash) {
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
	w.warm += m.filters.Warm(w.keys) + m.spelt.Warm(w.keys)
	var warm byte
	w.keys, warm = m.lexicon.warm(w.keys[:0], w.Tokens, language)
	w.warm += warm
}

// outputs adds up what speaks for each class.
func (m *Model) outputs(w *work, place, lexicon int) Row {
	out := m.head.Bias[place]
	w.warm += m.words.Warm(w.Words)
	m.addWords(&out, w)
	m.addParts(&out, w)
	if m.head.Learnt[place]&LearntFilters != 0 {
		m.addFilters(&out, w)
	}
	for i, signal := range w.Signals {
		if signal != 0 {
			out.add(&m.head.Signals[lexicon][i], signal)
		}
	}
	return out
}

// add adds weights times by. It is written out because it takes a third of the time.
func (r *Row) add(weights *Row, by float32) {
	r[0] += float32(by * weights[0])
	r[1] += float32(by * weights[1])
	r[2] += float32(by * weights[2])
	r[3] += float32(by * weights[3])
	r[4] += float32(by * weights[4])
	r[5] += float32(by * weights[5])
	r[6] += float32(by * weights[6])
	r[7] += float32(by * weights[7])
	r[8] += float32(by * weights[8])
	r[9] += float32(by * weights[9])
}

// A sums adds up rows of a table.
type sums [outputs]int32

func (s *sums) add(row []byte) {
	if row == nil {
		return
	}
	for k, weight := range row[:outputs] {
		s[k] += int32(int8(weight))
	}
}

func (s *sums) addTo(out *Row, scales []float32, by float32) {
	for k, scale := range scales[:outputs] {
		out[k] += float32(float32(s[k]) * float32(scale*by))
	}
}

func (m *Model) addWords(out *Row, w *work) {
	var s sums
	for _, feature := range w.Words {
		s.add(m.words.Row(feature))
	}
	s.addTo(out, m.words.Scales, WordScale(len(w.Words)))
}

// addParts adds the weights of letters. Those of known words were added up beforehand.
func (m *Model) addParts(out *Row, w *work) {
	var known, other sums
	n := 0
	for _, tok := range w.Tokens {
		if tok.Kind != classify.Word {
			continue
		}
		form := w.Form(tok)
		n += classify.CountParts(form)
		if row := m.spelt.Row(tok.Hash); row != nil {
			known.add(row)
			continue
		}
		w.parts = classify.AppendParts(w.parts[:0], form)
		for _, feature := range w.parts {
			other.add(m.parts.Row(feature))
		}
	}
	known.addTo(out, m.spelt.Scales, PartScale(n))
	other.addTo(out, m.parts.Scales, PartScale(n))
}

func (m *Model) addFilters(out *Row, w *work) {
	m.filters.Pool(w.Tokens, &w.pool)
	scale := FilterScale(min(len(w.Tokens), classify.PoolTokens))
	for f, most := range w.pool.Most[:Filters] {
		if most != 0 { // else the sum is 0 too
			out.add(&m.head.Most[f], float32(most))
			out.add(&m.head.Sum[f], float32(float32(w.pool.Sum[f])*scale))
		}
	}
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
