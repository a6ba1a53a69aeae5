package quantify

import "math/rand/v2"

// A bag is a sample that is ready for counting: the posts of each key.
type bag struct {
	categories int
	keys       []string // see appendKey
	posts      []float64
	total      float64

	// own is how many of the posts the proportions are asked of; the others only help to find
	// the mix. nil: all of them.
	own   []float64
	owned float64

	places map[string]int // of keys
}

// read makes a bag of a sample.
func (e *Estimator) read(sample []Group) bag {
	b := bag{categories: e.categories, places: make(map[string]int, len(sample))}
	b.add(sample, 1)
	return b
}

// add adds posts, of which each counts so much. Groups without posts are left out; those
// with the same key are put together.
func (b *bag) add(sample []Group, worth float64) {
	var key []byte
	for _, g := range sample {
		if !(g.Posts > 0) || len(g.Shares) != b.categories {
			continue
		}
		b.total += g.Posts * worth
		key = appendKey(key[:0], g.Shares)
		at, ok := b.places[string(key)]
		if !ok {
			at = len(b.posts)
			b.keys = append(b.keys, string(key))
			b.posts = append(b.posts, 0)
			b.places[b.keys[at]] = at
		}
		b.posts[at] += g.Posts * worth
	}
}

// appendKey appends the levels of shares, and after them the places of those that are the
// largest.
func appendKey(key []byte, shares []float32) []byte {
	most := shares[0]
	for _, s := range shares {
		key = append(key, Level(s))
		most = max(most, s)
	}
	for k, s := range shares {
		if s == most {
			key = append(key, byte(k))
		}
	}
	return key
}

// assigned gives all to the largest share of a key; several that are equal divide it.
func assigned(key string, categories int) []float64 {
	out := make([]float64, categories)
	for _, k := range []byte(key[categories:]) {
		out[k] = 1
	}
	return normalise(out)
}

// levels returns the levels of a group.
func (b *bag) levels(i int) string { return b.keys[i][:b.categories] }

// shares returns the shares of each group, as their levels tell them.
func (b *bag) shares() [][]float64 {
	out := make([][]float64, len(b.keys))
	for i := range out {
		out[i] = coarse(b.levels(i))
	}
	return out
}

// assigned returns what category each group is assigned to.
func (b *bag) assigned() [][]float64 {
	out := make([][]float64, len(b.keys))
	for i, key := range b.keys {
		out[i] = assigned(key, b.categories)
	}
	return out
}

// average returns the mean of what is told of every group.
func (b *bag) average(told [][]float64) []float64 {
	sum := make([]float64, b.categories)
	for i, values := range told {
		for k, v := range values {
			sum[k] += v * b.posts[i]
		}
	}
	return normalise(sum)
}

// estimate returns the proportions, given the likelihoods of every group. Of some of the
// posts they are what these have where the mix is the one of all.
func (b *bag) estimate(likelihoods [][]float64, from []float64, least float64) []float64 {
	mix := maximise(likelihoods, b.posts, from, least)
	if b.own == nil {
		return mix
	}
	shares := make([]float64, len(mix))
	explain(likelihoods, b.own, mix, shares)
	return shares
}

// thin returns a bag of hardly more than so many groups that stands for the whole: each is
// drawn as likely as it has posts. Groups with posts that are asked of are all kept.
func (b *bag) thin(most int, random *rand.Rand) bag {
	if len(b.posts) <= most {
		return *b
	}
	out := bag{categories: b.categories, total: b.total, owned: b.owned}
	step := (b.total - b.owned) / float64(most)
	next := random.Float64() * step
	for i, p := range b.posts {
		if b.own != nil && b.own[i] > 0 {
			out.keys, out.posts, out.own = append(out.keys, b.keys[i]), append(out.posts, p), append(out.own, b.own[i])
			continue
		}
		times := 0.0
		for ; next < p; next += step {
			times++
		}
		next -= p
		if times > 0 {
			out.keys, out.posts = append(out.keys, b.keys[i]), append(out.posts, times*step)
			if b.own != nil {
				out.own = append(out.own, 0)
			}
		}
	}
	return out
}
