package quantify

import "math/rand/v2"

// A bag is a sample prepared for estimation: the number of posts per key.
type bag struct {
	categories int
	keys       []string // see appendKey
	posts      []float64
	total      float64

	// target is the subset of posts whose prevalence is estimated. The other posts only help to fit
	// the mix. nil means all posts.
	target      []float64
	targetTotal float64

	index     map[string]int // key -> index in keys
	predicted [][]float64    // see predictions; nil until needed
}

// newBag returns the bag of a sample.
func (e *Estimator) newBag(sample []Group) bag {
	b := bag{categories: e.categories, index: make(map[string]int, len(sample))}
	b.add(sample, 1)
	return b
}

// add adds the posts of a sample with a weight. It skips groups without posts and merges groups
// with equal keys.
func (b *bag) add(sample []Group, weight float64) {
	var key []byte
	for _, g := range sample {
		if !(g.Posts > 0) || len(g.Scores) != b.categories {
			continue
		}
		b.total += g.Posts * weight
		key = appendKey(key[:0], g.Scores)
		i, ok := b.index[string(key)]
		if !ok {
			i = len(b.posts)
			b.keys = append(b.keys, string(key))
			b.posts = append(b.posts, 0)
			b.index[b.keys[i]] = i
		}
		b.posts[i] += g.Posts * weight
	}
}

// appendKey appends the level of each score, followed by the indexes of the largest scores.
func appendKey(key []byte, scores []float32) []byte {
	top := scores[0]
	for _, s := range scores {
		key = append(key, Level(s))
		top = max(top, s)
	}
	for k, s := range scores {
		if s == top {
			key = append(key, byte(k))
		}
	}
	return key
}

// assigned returns the one-hot prediction of a key. Categories with equal top scores share it.
func assigned(key string, categories int) []float64 {
	out := make([]float64, categories)
	for _, k := range []byte(key[categories:]) {
		out[k] = 1
	}
	return normalize(out)
}

// levels returns the score levels of group i.
func (b *bag) levels(i int) string { return b.keys[i][:b.categories] }

// scores returns the scores of each group, decoded from its levels.
func (b *bag) scores() [][]float64 {
	out := make([][]float64, len(b.keys))
	for i := range out {
		out[i] = dequantize(b.levels(i))
	}
	return out
}

// assigned returns the one-hot prediction of each group.
func (b *bag) assigned() [][]float64 {
	out := make([][]float64, len(b.keys))
	for i, key := range b.keys {
		out[i] = assigned(key, b.categories)
	}
	return out
}

// mean returns the mean of the groups' predictions, weighted by posts.
func (b *bag) mean(predictions [][]float64) []float64 { return mean(predictions, b.posts) }

func mean(predictions [][]float64, posts []float64) []float64 {
	sum := make([]float64, len(predictions[0]))
	for i, values := range predictions {
		for k, v := range values {
			sum[k] += v * posts[i]
		}
	}
	return normalize(sum)
}

// estimate returns the prevalence, given the likelihoods of each group, with an anchor of the given
// weight at the predicted categories. If the bag has target posts, it is their posterior under the
// mix of all posts.
func (b *bag) estimate(likelihoods [][]float64, from []float64, weight, tolerance float64) []float64 {
	mix := maximize(likelihoods, b.posts, from, b.anchorAt(b.posts, weight), tolerance)
	if b.target == nil {
		return mix
	}
	prevalence := make([]float64, len(mix))
	emStep(likelihoods, b.target, mix, prevalence)
	b.anchorAt(b.target, weight).pull(prevalence)
	return prevalence
}

// anchorAt returns an anchor at the predicted categories of posts.
func (b *bag) anchorAt(posts []float64, weight float64) anchor {
	if weight == 0 {
		return anchor{}
	}
	return anchor{mean(b.predictions(), posts), weight}
}

// predictions returns the prediction of each group from its levels, computed once.
func (b *bag) predictions() [][]float64 {
	if b.predicted == nil {
		b.predicted = make([][]float64, len(b.keys))
		for i := range b.keys {
			b.predicted[i] = predict(b.levels(i))
		}
	}
	return b.predicted
}

// predict returns the one-hot prediction of levels. Categories with equal top levels share it, even
// if their scores differ, so stored and fresh scores give the same prediction.
func predict(levels string) []float64 {
	out, top := make([]float64, len(levels)), levels[0]
	for _, level := range []byte(levels) {
		top = max(top, level)
	}
	for k, level := range []byte(levels) {
		if level == top {
			out[k] = 1
		}
	}
	return normalize(out)
}

// counted returns the shares of the predicted categories of the target posts.
func (b *bag) counted() []float64 {
	if b.target != nil {
		return mean(b.predictions(), b.target)
	}
	return mean(b.predictions(), b.posts)
}

// subsample returns a representative bag of about maxGroups groups, drawn in proportion to their
// posts. Groups with target posts are always included.
func (b *bag) subsample(maxGroups int, random *rand.Rand) bag {
	if len(b.posts) <= maxGroups {
		return *b
	}
	out := bag{categories: b.categories, total: b.total, targetTotal: b.targetTotal}
	step := (b.total - b.targetTotal) / float64(maxGroups)
	next := random.Float64() * step
	for i, p := range b.posts {
		if b.target != nil && b.target[i] > 0 {
			out.keys, out.posts, out.target = append(out.keys, b.keys[i]), append(out.posts, p), append(out.target, b.target[i])
			continue
		}
		times := 0.0
		for ; next < p; next += step {
			times++
		}
		next -= p
		if times > 0 {
			out.keys, out.posts = append(out.keys, b.keys[i]), append(out.posts, times*step)
			if b.target != nil {
				out.target = append(out.target, 0)
			}
		}
	}
	return out
}
