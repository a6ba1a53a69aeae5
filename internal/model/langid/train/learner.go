package train

import (
	"math"
	"slices"

	"earshot/internal/model/langid"
)

// A learner holds weights while they are corrected. N-grams are numbered by how much
// they tell: the first have a weight for each language, the others for two.
type learner struct {
	languages int
	at        map[uint32]int // number of an n-gram
	grams     []uint32
	leave     []float64  // how often an n-gram is left out
	rows      []adaptive // languages for each n-gram that has them
	votes     []vote     // two for each of the others
}

// An adaptive is a weight that changes less the more it has changed.
type adaptive struct {
	value   float32
	squares float32 // of all slopes so far
	sum     float32 // of the values after each round
}

type vote struct {
	adaptive
	language int
}

// newLearner starts with the guesses that fit into a table.
func newLearner(p plan, c *corpus, guesses []guess) *learner {
	l := &learner{languages: len(c.languages), at: make(map[uint32]int)}
	guesses = guesses[:min(len(guesses), p.buckets*4)]
	for i, g := range guesses {
		l.at[g.gram] = i
		l.grams = append(l.grams, g.gram)
		l.leave = append(l.leave, max(leftOut, rareLeftOut/float64(g.count)))
		if i >= p.rows {
			l.votes = append(l.votes, strongest(g.weights)...)
			continue
		}
		for _, w := range g.weights {
			l.rows = append(l.rows, adaptive{value: w})
		}
	}
	return l
}

// strongest returns the two largest weights as votes. What they are above is what
// n-grams say about most languages, by which they are nothing.
func strongest(weights []float32) []vote {
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

// score sets into to what n-grams say about each language.
func (l *learner) score(into []float32, features []int) {
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

// correct moves the weights of n-grams against the slopes, which have one for each
// language.
func (l *learner) correct(features []int, slopes []float32, rate float32) {
	rows := len(l.rows) / l.languages
	for _, f := range features {
		if f < rows {
			row := l.rows[f*l.languages : (f+1)*l.languages]
			for k, slope := range slopes {
				if slope != 0 {
					row[k].move(slope, rate)
				}
			}
			continue
		}
		f -= rows
		for i := range 2 {
			v := &l.votes[2*f+i]
			v.move(slopes[v.language], rate)
		}
	}
}

// damping keeps the first steps of a weight small.
const damping = 0.1

func (a *adaptive) move(slope, rate float32) {
	a.squares += float32(slope * slope)
	step := float32(rate*slope) / float32(math.Sqrt(float64(a.squares)+damping))
	a.value -= step
}

// endRound notes what weights are. Their mean over all rounds is what counts: it leaves
// out what a weight owes to the last examples.
func (l *learner) endRound() {
	for i := range l.rows {
		l.rows[i].sum += l.rows[i].value
	}
	for i := range l.votes {
		l.votes[i].sum += l.votes[i].value
	}
}

func (a *adaptive) mean() float32 { return a.sum / rounds }

// features returns the numbers of the n-grams of a text.
func (l *learner) features(text string) []int {
	_, grams := langid.Grams(text)
	list := make([]int, 0, len(grams))
	for _, g := range grams {
		if i, ok := l.at[g]; ok {
			list = append(list, i)
		}
	}
	return list
}

// weights returns what was learnt.
func (l *learner) weights(p plan, c *corpus) langid.Weights {
	w := langid.Weights{Script: p.script, Languages: c.languages, Buckets: p.buckets}
	for _, language := range c.languages {
		w.Bias = append(w.Bias, p.bias[language])
	}
	rows := len(l.rows) / l.languages
	for i, g := range l.grams {
		e := langid.Entry{Gram: g}
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
