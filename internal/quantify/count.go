package quantify

// bag is a sample that is ready for counting.
type bag struct {
	shares  [][]float64
	weights []float64 // how many posts have these shares
	total   float64
}

// read makes a bag of a sample, without groups that have no posts.
func (e *Estimator) read(sample []Group) bag {
	var b bag
	for _, g := range sample {
		if !(g.Posts > 0) || len(g.Shares) != e.categories {
			continue
		}
		b.shares = append(b.shares, coarse(g.Shares))
		b.weights = append(b.weights, g.Posts)
		b.total += g.Posts
	}
	return b
}

// counted returns what share of the posts is assigned to each category.
func (b bag) counted() []float64 { return b.average(assigned) }

// mean returns the mean of the shares.
func (b bag) mean() []float64 { return b.average(itself) }

func (b bag) average(told func([]float64) []float64) []float64 {
	sum := make([]float64, len(b.shares[0]))
	for i, s := range b.shares {
		for k, v := range told(s) {
			sum[k] += v * b.weights[i]
		}
	}
	return normalise(sum)
}

// assigned gives all to the largest share; several that are equal divide it.
func assigned(shares []float64) []float64 {
	most, times := shares[0], 0.0
	for _, s := range shares {
		switch {
		case s > most:
			most, times = s, 1
		case s == most:
			times++
		}
	}
	out := make([]float64, len(shares))
	for k, s := range shares {
		if s == most {
			out[k] = 1 / times
		}
	}
	return out
}

// itself leaves shares as they are.
func itself(shares []float64) []float64 { return shares }
