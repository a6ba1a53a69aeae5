package train

import (
	"math"
	"slices"

	"earshot/internal/model/langid"
)

// A regression holds the weights during logistic regression. N-grams are numbered by decreasing
// information content: the first ones have a weight for each language, the others for two
// languages.
type regression struct {
	languages int
	index     map[uint32]int // n-gram -> index
	ngrams    []uint32
	dropout   []float64  // dropout rate of each n-gram
	rows      []adaptive // one per language, for each n-gram with a row
	votes     []vote     // two for each other n-gram
}

// An adaptive is a weight with AdaGrad state. Weights that have changed more take smaller steps.
type adaptive struct {
	value   float32
	squares float32 // sum of the squared gradients so far
	sum     float32 // sum of the values after each epoch
}

type vote struct {
	adaptive
	language int
}

// newRegression starts from the priors that fit into a table.
func newRegression(p config, c *corpus, guesses []prior) *regression {
	l := &regression{languages: len(c.languages), index: make(map[uint32]int)}
	guesses = guesses[:min(len(guesses), p.buckets*4)]
	for i, g := range guesses {
		l.index[g.ngram] = i
		l.ngrams = append(l.ngrams, g.ngram)
		l.dropout = append(l.dropout, max(dropoutRate, rareDropout/float64(g.count)))
		if i >= p.rows {
			l.votes = append(l.votes, topVotes(g.weights)...)
			continue
		}
		for _, w := range g.weights {
			l.rows = append(l.rows, adaptive{value: w})
		}
	}
	return l
}

// topVotes returns the two largest weights as votes, relative to the typical weight of the other
// languages.
func topVotes(weights []float32) []vote {
	sorted := slices.Sorted(slices.Values(weights))
	usual := sorted[len(sorted)/3]
	first, second := -1, -1
	for k, w := range weights {
		if first < 0 || w > weights[first] {
			first, second = k, first
		} else if second < 0 || w > weights[second] {
			second = k
		}
	}
	return []vote{
		{adaptive{value: weights[first] - usual}, first},
		{adaptive{value: weights[second] - usual}, second},
	}
}

// score stores the logit of each language in into.
func (l *regression) score(into []float32, features []int) {
	clear(into)
	rows := len(l.rows) / l.languages
	for _, f := range features {
		if f < rows {
			for k, w := range l.rows[f*l.languages : (f+1)*l.languages] {
				into[k] += w.value
			}
			continue
		}
		f -= rows
		for _, v := range l.votes[2*f : 2*f+2] {
			into[v.language] += v.value
		}
	}
}

// update makes a gradient step for the weights of n-grams. slopes is the gradient for each
// language.
func (l *regression) update(features []int, slopes []float32, rate float32) {
	rows := len(l.rows) / l.languages
	for _, f := range features {
		if f < rows {
			row := l.rows[f*l.languages : (f+1)*l.languages]
			for k, slope := range slopes {
				if slope != 0 {
					row[k].update(slope, rate)
				}
			}
			continue
		}
		f -= rows
		for i := range 2 {
			v := &l.votes[2*f+i]
			v.update(slopes[v.language], rate)
		}
	}
}

// damping keeps the first AdaGrad steps small.
const damping = 0.1

func (a *adaptive) update(slope, rate float32) {
	a.squares += float32(slope * slope)
	step := float32(rate*slope) / float32(math.Sqrt(float64(a.squares)+damping))
	a.value -= step
}

// endEpoch accumulates the weights, which are averaged over epochs to remove noise from the last
// examples.
func (l *regression) endEpoch() {
	for i := range l.rows {
		l.rows[i].sum += l.rows[i].value
	}
	for i := range l.votes {
		l.votes[i].sum += l.votes[i].value
	}
}

func (a *adaptive) mean() float32 { return a.sum / epochs }

// features returns the indexes of a text's n-grams.
func (l *regression) features(text string) []int {
	_, grams := langid.NGrams(text)
	list := make([]int, 0, len(grams))
	for _, g := range grams {
		if i, ok := l.index[g]; ok {
			list = append(list, i)
		}
	}
	return list
}

// weights returns the trained weights.
func (l *regression) weights(p config, c *corpus) langid.Weights {
	w := langid.Weights{Script: p.script, Languages: c.languages, Buckets: p.buckets}
	for _, language := range c.languages {
		w.Bias = append(w.Bias, p.bias[language])
	}
	rows := len(l.rows) / l.languages
	for i, g := range l.ngrams {
		e := langid.Entry{NGram: g}
		if i < rows {
			for _, a := range l.rows[i*l.languages : (i+1)*l.languages] {
				e.Row = append(e.Row, a.mean())
			}
		} else {
			for j, v := range l.votes[2*(i-rows) : 2*(i-rows)+2] {
				e.Votes[j] = langid.Vote{Language: v.language, Weight: v.mean()}
			}
		}
		w.Entries = append(w.Entries, e)
	}
	return w
}
