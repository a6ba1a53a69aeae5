package quantify_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"earshot/internal/model/opinion"
	"earshot/internal/model/quantify"
)

// A draw is the contribution of one model and its bags to the results.
type draw struct {
	right          float64 // accuracy of the classifier
	errors         []float64
	bags, shares   float64
	covered, width float64
	atBest         [2]float64 // classify-and-count, expectation maximization
}

// A pool contains the scores of documents, by category and label.
type pool [][][][]float32

// draw trains on some documents and estimates bags of the others.
func (m mixExperiment) draw(ctx context.Context, random *rand.Rand) (draw, error) {
	d := draw{errors: make([]float64, len(quantify.Methods))}
	var texts []labeledText
	var classes []int
	others := make([][][]labeledText, m.categories)
	names := random.Perm(len(m.names))
	for k := range others {
		for _, at := range names[k*m.labels : (k+1)*m.labels] {
			all := slices.Clone(m.texts[m.names[at]])
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			others[k] = append(others[k], all)
		}
		for _, l := range m.takeDocuments(random, others[k]) {
			texts, classes = append(texts, l), append(classes, k)
		}
	}
	s, err := trainScorer(ctx, m.categories, texts, classes)
	if err != nil {
		return d, err
	}
	if m.replaced > 0 {
		m.replaceWords(random, others)
	}
	pool := d.score(s, others)
	for range m.bagsEach {
		d.add(s, fillBag(random, pool))
	}
	right := relabeled(random, pool)
	for range m.bagsEach {
		b := fillBag(random, right)
		d.atBest[0] += absoluteError(s.estimator.ByMethod(quantify.ClassifyAndCount, b.posts), b.truth)
		d.atBest[1] += absoluteError(s.estimator.ByMethod(quantify.ExpectationMaximization, b.posts), b.truth)
	}
	return d, nil
}

// takeDocuments removes the training documents of a category from its labels and returns them. It
// leaves at least half of each label for bags.
func (m mixExperiment) takeDocuments(random *rand.Rand, labels [][]labeledText) (taken []labeledText) {
	proportions, room := uneven(random, len(labels)), make([]int, len(labels))
	for i, texts := range labels {
		room[i] = max(len(texts)/2, len(texts)-mostScored)
		if len(labels) == 1 {
			room[i] = len(texts) - 1
		}
	}
	for range m.documents {
		i := pick(random, proportions)
		for room[i] == 0 {
			i = random.IntN(len(labels))
		}
		room[i]--
		taken, labels[i] = append(taken, labels[i][0]), labels[i][1:]
	}
	return taken
}

// replaceWords replaces words of posts by words of other posts, at a rate that is different for each
// category.
func (m mixExperiment) replaceWords(random *rand.Rand, categories [][][]labeledText) {
	var words []string
	for _, labels := range categories {
		for _, l := range labels[0][:min(len(labels[0]), mostScored)] {
			words = append(words, strings.Fields(l.text)...)
		}
	}
	for _, labels := range categories {
		rate := random.Float64() * m.replaced
		for i, texts := range labels {
			texts = slices.Clone(texts[:min(len(texts), mostScored)])
			for j := range texts {
				fields := strings.Fields(texts[j].text)
				for at := range fields {
					if random.Float64() < rate {
						fields[at] = words[random.IntN(len(words))]
					}
				}
				texts[j].text = strings.Join(fields, " ")
			}
			enrichTexts(texts)
			labels[i] = texts
		}
	}
}

// score returns the scores of documents and sets the accuracy of the classifier.
func (d *draw) score(s *scorer, others [][][]labeledText) pool {
	scores := make(pool, len(others))
	for k, labels := range others {
		right, all := 0, 0
		for _, texts := range labels {
			var list [][]float32
			for _, l := range texts[:min(len(texts), mostScored)] {
				list = append(list, s.score(l))
				if opinion.Argmax(list[len(list)-1]) == k {
					right++
				}
			}
			all += len(list)
			scores[k] = append(scores[k], list)
		}
		d.right += float64(right) / float64(all*len(others))
	}
	return scores
}

// add estimates a bag and adds the errors.
func (d *draw) add(s *scorer, b bag) {
	s.errors(b.posts, b.truth, d.errors)
	for k, v := range s.estimator.Intervals(b.posts) {
		if v.Low <= b.truth[k] && b.truth[k] <= v.High {
			d.covered++
		}
		d.width += v.High - v.Low
		d.shares++
	}
	d.bags++
}

// accuracies returns the accuracy of the default method.
func (d *draw) accuracies() Accuracy {
	return Accuracy{
		Counting: d.errors[slices.Index(quantify.Methods, quantify.ClassifyAndCount)] / d.bags,
		Default:  d.errors[slices.Index(quantify.Methods, quantify.Default)] / d.bags,
		Coverage: d.covered / d.shares,
		Width:    d.width / d.shares,
	}
}

// relabeled draws the category of each document from its shares. The shares are then exactly right,
// and the remaining error cannot be avoided by correcting them: it is the random variation of which
// posts a bag has.
func relabeled(random *rand.Rand, scores pool) pool {
	out := make(pool, len(scores))
	for k := range out {
		out[k] = make([][][]float32, 1)
	}
	for _, labels := range scores {
		for _, shares := range slices.Concat(labels...) {
			at, k := random.Float32(), 0
			for ; k < len(shares)-1 && at >= shares[k]; k++ {
				at -= shares[k]
			}
			out[k][0] = append(out[k][0], shares)
		}
	}
	return out
}

// A bag is posts with the true share of each category.
type bag struct {
	posts []quantify.Group
	truth []float64
}

// fillBag draws a mix of categories, uniform on the simplex, and posts according to it. The labels of
// a category have random proportions.
func fillBag(random *rand.Rand, scores pool) bag {
	n := minBag + random.IntN(maxBag-minBag+1)
	mix := make([]float64, len(scores))
	for k, labels := range scores {
		if len(slices.Concat(labels...)) > 0 {
			mix[k] = random.ExpFloat64()
		}
	}
	b := bag{truth: make([]float64, len(scores))}
	counts := make([]int, len(scores))
	for range n {
		k := pick(random, mix)
		counts[k]++
		b.truth[k] += 1 / float64(n)
	}
	for k, labels := range scores {
		for i, count := range apportion(random, counts[k], labels) {
			order := random.Perm(len(labels[i]))
			for j := range count {
				at := random.IntN(len(order))
				if count <= len(order) {
					at = order[j]
				}
				b.posts = append(b.posts, quantify.Group{Scores: labels[i][at], Posts: 1})
			}
		}
	}
	return b
}

// apportion divides n posts among the labels of a category in random proportions.
func apportion(random *rand.Rand, n int, labels [][][]float32) []int {
	counts := make([]int, len(labels))
	proportions := uneven(random, len(labels))
	for range n {
		counts[pick(random, proportions)]++
	}
	return counts
}

// uneven returns n random weights. Most of their sum belongs to a few of them.
func uneven(random *rand.Rand, n int) []float64 {
	weights := make([]float64, n)
	for i := range weights {
		x := random.NormFloat64()
		weights[i] = x * x // a gamma variable, so that the proportions have a Dirichlet(½) distribution
	}
	return weights
}

// pick returns a random index in proportion to the weights.
func pick(random *rand.Rand, weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	at, i := random.Float64()*sum, 0
	for ; i < len(weights)-1 && at >= weights[i]; i++ {
		at -= weights[i]
	}
	return i
}
