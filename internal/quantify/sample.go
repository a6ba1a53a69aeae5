package quantify

import "math/rand/v2"

// A bag is a sample that is ready for counting: what is known of each group, and how many
// posts it has.
type bag struct {
	keys     []string // the levels
	shares   [][]float64
	assigned [][]float64
	posts    []float64
	total    float64
}

// read makes a bag of a sample. Groups without posts are left out, groups with the same
// levels, and the same largest share, are put together.
func (e *Estimator) read(sample []Group) bag {
	var b bag
	places := map[string]int{}
	for _, g := range sample {
		if !(g.Posts > 0) || len(g.Shares) != e.categories {
			continue
		}
		b.total += g.Posts
		key, likeliest := keyOf(g.Shares)
		if at, ok := places[key+string(likeliest)]; ok {
			b.posts[at] += g.Posts
			continue
		}
		places[key+string(likeliest)] = len(b.posts)
		b.keys = append(b.keys, key)
		b.shares = append(b.shares, coarse(g.Shares))
		b.assigned = append(b.assigned, assigned(g.Shares))
		b.posts = append(b.posts, g.Posts)
	}
	return b
}

// keyOf returns the levels of shares and which of them are the largest.
func keyOf(shares []float32) (levels string, largest []byte) {
	key := make([]byte, len(shares))
	for k, s := range shares {
		key[k] = Level(s)
	}
	for k, v := range assigned(shares) {
		if v > 0 {
			largest = append(largest, byte(k))
		}
	}
	return string(key), largest
}

// average returns the mean of what is told of every group.
func (b bag) average(told [][]float64) []float64 {
	sum := make([]float64, len(told[0]))
	for i, values := range told {
		for k, v := range values {
			sum[k] += v * b.posts[i]
		}
	}
	return normalise(sum)
}

// estimate returns the proportions of a bag, given its likelihoods.
func (b bag) estimate(likelihoods [][]float64, from []float64, least float64) []float64 {
	return maximise(likelihoods, b.posts, from, least)
}

// thin returns a bag of at most so many groups that stands for the whole: each is drawn as
// likely as it has posts.
func (b bag) thin(most int, random *rand.Rand) bag {
	if len(b.posts) <= most {
		return b
	}
	out := bag{total: b.total}
	step := b.total / float64(most)
	next := random.Float64() * step
	for i, p := range b.posts {
		times := 0.0
		for ; next < p; next += step {
			times++
		}
		next -= p
		if times > 0 {
			out.keys = append(out.keys, b.keys[i])
			out.shares = append(out.shares, b.shares[i])
			out.assigned = append(out.assigned, b.assigned[i])
			out.posts = append(out.posts, times*step)
		}
	}
	return out
}
