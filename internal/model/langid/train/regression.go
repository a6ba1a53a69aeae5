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
	codes     []string // of the languages
	languages []documents
	ngrams    []uint32
	dropout   []float32 // dropout rate of each n-gram
	rowCount  int       // n-grams with a weight for each language
	rows      weights   // one per language, for each n-gram with a row
	votes     weights   // two for each other n-gram
	voters    []int32   // the languages of votes
}

// weights have AdaGrad state. Weights that have changed more take smaller steps.
type weights struct {
	values  []float32
	squares []float32 // sums of the squared gradients so far
	sums    []float32 // sums of the values after each epoch
}

// newRegression starts from the priors that fit into a table.
func newRegression(p config, c *corpus, n *numbering, guesses []prior) *regression {
	guesses = guesses[:min(len(guesses), p.buckets*4)]
	l := &regression{codes: c.languages, languages: n.languages, rowCount: min(p.rows, len(guesses))}
	numbers := slices.Repeat([]int32{-1}, len(n.ngrams))
	for i, g := range guesses {
		numbers[g.number] = int32(i)
		l.ngrams = append(l.ngrams, g.ngram)
		l.dropout = append(l.dropout, max(dropoutRate, rareDropout/float32(g.count)))
		if i < l.rowCount {
			l.rows.values = append(l.rows.values, g.weights...)
			continue
		}
		for _, v := range topVotes(g.weights) {
			l.votes.values = append(l.votes.values, v.Weight)
			l.voters = append(l.voters, int32(v.Language))
		}
	}
	n.keep(numbers)
	for _, w := range []*weights{&l.rows, &l.votes} {
		w.squares = make([]float32, len(w.values))
		w.sums = make([]float32, len(w.values))
	}
	return l
}

// topVotes returns the two largest weights as votes, relative to the typical weight of the other
// languages.
func topVotes(weights []float32) [2]langid.Vote {
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
	return [2]langid.Vote{
		{Language: first, Weight: weights[first] - usual},
		{Language: second, Weight: weights[second] - usual},
	}
}

// score stores the logit of each language in into.
func (l *regression) score(into []float32, ngrams []int32) {
	clear(into)
	for _, g := range ngrams {
		if int(g) < l.rowCount {
			row := l.rows.values[int(g)*len(into):][:len(into)]
			for k, w := range row {
				into[k] += w
			}
			continue
		}
		at := 2 * (int(g) - l.rowCount)
		into[l.voters[at]] += l.votes.values[at]
		into[l.voters[at+1]] += l.votes.values[at+1]
	}
}

// update makes a gradient step for the weights of n-grams. slopes is the gradient for each
// language, and steep the languages where it is not 0.
func (l *regression) update(ngrams []int32, slopes []float32, steep []int, rate float32) {
	for _, g := range ngrams {
		if int(g) < l.rowCount {
			from := int(g) * len(slopes)
			for _, k := range steep {
				l.rows.update(from+k, slopes[k], rate)
			}
			continue
		}
		at := 2 * (int(g) - l.rowCount)
		l.votes.update(at, slopes[l.voters[at]], rate)
		l.votes.update(at+1, slopes[l.voters[at+1]], rate)
	}
}

// damping keeps the first AdaGrad steps small.
const damping = 0.1

func (w *weights) update(i int, slope, rate float32) {
	w.squares[i] += float32(slope * slope)
	step := float32(rate*slope) / float32(math.Sqrt(float64(w.squares[i])+damping))
	w.values[i] -= step
}

// endEpoch accumulates the weights, which are averaged over epochs to remove noise from the last
// examples.
func (w *weights) endEpoch() {
	for i, v := range w.values {
		w.sums[i] += v
	}
}

// means returns the means of n weights over all epochs.
func (w *weights) means(from, n int) []float32 {
	list := make([]float32, n)
	for i, sum := range w.sums[from : from+n] {
		list[i] = sum / epochs
	}
	return list
}

// weights returns the trained weights.
func (l *regression) weights(p config, c *corpus) langid.Weights {
	w := langid.Weights{Script: p.script, Languages: c.languages, Buckets: p.buckets}
	for _, language := range c.languages {
		w.Bias = append(w.Bias, p.bias[language])
	}
	for i, g := range l.ngrams {
		e := langid.Entry{NGram: g}
		if i < l.rowCount {
			e.Row = l.rows.means(i*len(l.codes), len(l.codes))
		} else {
			at := 2 * (i - l.rowCount)
			for j, mean := range l.votes.means(at, 2) {
				e.Votes[j] = langid.Vote{Language: int(l.voters[at+j]), Weight: mean}
			}
		}
		w.Entries = append(w.Entries, e)
	}
	return w
}
