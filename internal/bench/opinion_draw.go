package bench

import (
	"context"
	"math/rand/v2"

	"earshot/internal/model/opinion"
	"earshot/internal/model/quantify"
)

// A draw is the contribution of one model and its bags to the results.
type draw struct {
	accuracy       float64
	errors         []float64
	covered, width float64
	atBest         [2]float64 // classify-and-count, expectation maximization
}

// draw trains on some documents and estimates bags of the others.
func (m mixExperiment) draw(ctx context.Context, random *rand.Rand) (draw, error) {
	d := draw{errors: make([]float64, len(quantify.Methods))}
	var texts []labeledText
	var classes []int
	others := make([][]labeledText, m.categories)
	for k, at := range random.Perm(len(m.names))[:m.categories] {
		all := append([]labeledText(nil), m.texts[m.names[at]]...)
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, l := range all[:m.documents] {
			texts, classes = append(texts, l), append(classes, k)
		}
		others[k] = all[m.documents:min(len(all), m.documents+mostScored)]
	}
	s, err := trainScorer(ctx, m.categories, texts, classes)
	if err != nil {
		return d, err
	}
	pool := d.score(s, others)
	for range m.bagsEach {
		posts, truth := fillBag(random, pool)
		s.errors(posts, truth, d.errors)
		d.cover(s.estimator.Intervals(posts), truth)
	}
	right := relabeled(random, pool)
	for range m.bagsEach {
		posts, truth := fillBag(random, right)
		d.atBest[0] += absoluteError(s.estimator.ByMethod(quantify.ClassifyAndCount, posts), truth)
		d.atBest[1] += absoluteError(s.estimator.ByMethod(quantify.ExpectationMaximization, posts), truth)
	}
	return d, nil
}

// score returns the shares of documents, by category.
func (d *draw) score(s *scorer, others [][]labeledText) [][][]float32 {
	pool := make([][][]float32, len(others))
	for k, texts := range others {
		right := 0
		for _, l := range texts {
			shares := s.score(l)
			if opinion.Argmax(shares) == k {
				right++
			}
			pool[k] = append(pool[k], shares)
		}
		d.accuracy += float64(right) / float64(len(texts)*len(others))
	}
	return pool
}

func (d *draw) cover(intervals []quantify.Interval, truth []float64) {
	for k, v := range intervals {
		if v.Low <= truth[k] && truth[k] <= v.High {
			d.covered++
		}
		d.width += v.High - v.Low
	}
}

// relabeled draws the category of each document from its shares. The shares are then exactly right,
// and the remaining error cannot be avoided by correcting them: it is the random variation of which
// posts a bag has.
func relabeled(random *rand.Rand, pool [][][]float32) [][][]float32 {
	out := make([][][]float32, len(pool))
	for _, documents := range pool {
		for _, shares := range documents {
			at, k := random.Float32(), 0
			for ; k < len(shares)-1 && at >= shares[k]; k++ {
				at -= shares[k]
			}
			out[k] = append(out[k], shares)
		}
	}
	return out
}

// fillBag draws a mix, uniform on the simplex, and posts according to it. It returns the posts and
// the share of each category.
func fillBag(random *rand.Rand, pool [][][]float32) ([]quantify.Group, []float64) {
	n := minBag + random.IntN(maxBag-minBag+1)
	mix, sum := make([]float64, len(pool)), 0.0
	for k := range mix {
		if len(pool[k]) > 0 {
			mix[k] = random.ExpFloat64()
			sum += mix[k]
		}
	}
	counts := make([]int, len(pool))
	for range n {
		at, k := random.Float64()*sum, 0
		for ; k < len(mix)-1 && at >= mix[k]; k++ {
			at -= mix[k]
		}
		counts[k]++
	}
	var posts []quantify.Group
	truth := make([]float64, len(pool))
	for k, count := range counts {
		truth[k] = float64(count) / float64(n)
		order := random.Perm(len(pool[k]))
		for i := range count {
			at := 0
			if count <= len(order) {
				at = order[i]
			} else {
				at = random.IntN(len(order))
			}
			posts = append(posts, quantify.Group{Scores: pool[k][at], Posts: 1})
		}
	}
	return posts, truth
}
