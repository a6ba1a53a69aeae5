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
}

// Shares returns what Analyse does before rounding: calibrated probabilities that add
// up to 1. Emotions are all 0 where they are not known.
func (m *Model) Shares(text, language string) (s [3]float32, e [7]float32) {
	w := m.spare.Get().(*work)
	defer m.spare.Put(w)
	w.Split(text, MaxBytes)
	if language == "" && m.looksEnglish(w.Tokens) {
		language = "en"
	}
	m.lexicon.finish(&w.Input, language)
	place, ok := m.places[language]
	if !ok || m.head.Learnt[place] == 0 {
		return m.plain(&w.Signals), e
	}
	out := m.outputs(w, place)
	if m.head.Learnt[place]&LearntSentiment != 0 {
		s = [3]float32(out[:3])
		softmax(s[:], m.head.Sharpness[0])
	} else {
		s = m.plain(&w.Signals)
	}
	if m.head.Learnt[place]&LearntEmotion != 0 {
		e = [7]float32(out[3:])
		softmax(e[:], m.head.Sharpness[1])
	}
	return s, e
}

// looksEnglish says whether most words of a text whose language is not known are
// English ones. Emoji and emoticons are read alike in all languages.
func (m *Model) looksEnglish(tokens []classify.Token) bool {
	words, known := 0, 0
	for _, tok := range tokens {
		switch tok.Kind {
		case classify.Word:
			words++
			if m.filters.Knows(tok.Hash) {
				known++
			}
		case classify.Emoji, classify.Emoticon:
			known++
		}
	}
	return known > 0 && 5*known >= 4*words
}

// outputs adds up what speaks for each class.
func (m *Model) outputs(w *work, place int) Row {
	out := m.head.Bias[place]
	m.addWords(&out, w)
	m.addParts(&out, w)
	if m.head.Learnt[place]&LearntFilters != 0 {
		m.addFilters(&out, w)
	}
	for i, signal := range w.Signals {
		out.add(&m.head.Signals[i], signal)
	}
	return out
}

func (r *Row) add(weights *Row, by float32) {
	if by == 0 {
		return
	}
	for k, weight := range weights {
		r[k] += float32(by * weight)
	}
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
	for f := range Filters {
		out.add(&m.head.Most[f], float32(w.pool.Most[f]))
		out.add(&m.head.Sum[f], float32(float32(w.pool.Sum[f])*scale))
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
