package sentiment

import "earshot/internal/model/classify"

// logits returns the logits of all classes. It prefetches all table rows that it reads.
func (m *Model) logits(w *scratch, place int, d Domain) Row {
	var out Row
	filtered := m.head.Trained[place]&TrainedFilters != 0
	m.collectNGrams(w)
	w.prefetched += m.words.Prefetch(w.Words) + m.ngrams.Prefetch(w.ngrams)
	if filtered {
		w.prefetched += m.filters.Find(w.Tokens, &w.rows)
	}
	m.addWords(&out, w)
	m.addNGrams(&out, w)
	if filtered {
		m.addFilters(&out, w)
	}
	for i, signal := range w.Signals {
		if signal != 0 {
			out.add(&m.head.Signals[place][i], signal)
		}
	}
	w.doubt(&out)
	out.add(&m.head.Bias[place][d], 1)
	return out
}

// doubt moves the logits toward each other, by the share of words that the model does not know.
func (w *scratch) doubt(out *Row) {
	if w.unknown == 0 {
		return
	}
	share := float32(w.unknown) / float32(w.words+2)
	for k := range out {
		out[k] /= 1 + share
	}
}

// collectNGrams collects the character n-grams of unknown words and sums those of known words,
// which are precomputed.
func (m *Model) collectNGrams(w *scratch) {
	w.ngrams, w.wordNGrams, w.ngramCount, w.words, w.unknown = w.ngrams[:0], classify.Sum{}, 0, 0, 0
	for _, tok := range w.Tokens {
		if tok.Kind != classify.Word {
			continue
		}
		w.words++
		form := w.Form(tok)
		w.ngramCount += classify.CountNGrams(form)
		if row := m.wordNGrams.Row(tok.Hash); row != nil {
			w.wordNGrams.AddRow(row)
		} else {
			w.unknown++
			w.ngrams = classify.AppendNGrams(w.ngrams, form)
		}
	}
}

// add adds by × weights to r. It is unrolled for speed.
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

// addSum adds by × a sum of table rows to r.
func (r *Row) addSum(s *classify.Sum, scales []float32, by float32) {
	for k, scale := range scales[:outputs] {
		r[k] += float32(float32(s[k]) * float32(scale*by))
	}
}

func (m *Model) addWords(out *Row, w *scratch) {
	var s classify.Sum
	s.Add(m.words, w.Words)
	out.addSum(&s, m.words.Scales, WordScale(len(w.Words)))
}

func (m *Model) addNGrams(out *Row, w *scratch) {
	var s classify.Sum
	s.Add(m.ngrams, w.ngrams)
	out.addSum(&w.wordNGrams, m.wordNGrams.Scales, NGramScale(w.ngramCount))
	out.addSum(&s, m.ngrams.Scales, NGramScale(w.ngramCount))
}

// addFilters adds the pooled filters. It accumulates in local variables because adding in memory
// takes twice as long.
func (m *Model) addFilters(out *Row, w *scratch) {
	m.filters.Pool(&w.rows, &w.pool)
	scale := FilterScale(min(len(w.Tokens), classify.MaxPoolTokens))
	o0, o1, o2, o3, o4, o5, o6, o7, o8, o9 := out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8], out[9]
	for f, fired := range w.pool.Max[:Filters] {
		if fired == 0 { // the sum is 0 too
			continue
		}
		most, sum := float32(fired), float32(float32(w.pool.Sum[f])*scale)
		a, b := &m.head.Max[f], &m.head.Sum[f]
		o0 += float32(most*a[0]) + float32(sum*b[0])
		o1 += float32(most*a[1]) + float32(sum*b[1])
		o2 += float32(most*a[2]) + float32(sum*b[2])
		o3 += float32(most*a[3]) + float32(sum*b[3])
		o4 += float32(most*a[4]) + float32(sum*b[4])
		o5 += float32(most*a[5]) + float32(sum*b[5])
		o6 += float32(most*a[6]) + float32(sum*b[6])
		o7 += float32(most*a[7]) + float32(sum*b[7])
		o8 += float32(most*a[8]) + float32(sum*b[8])
		o9 += float32(most*a[9]) + float32(sum*b[9])
	}
	*out = Row{o0, o1, o2, o3, o4, o5, o6, o7, o8, o9}
}
