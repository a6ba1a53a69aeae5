package train

import "earshot/internal/model/sentiment"

// learn goes through the examples again and again, each time in another order.
func (n *net) learn(examples []example) {
	order := n.random.Perm(len(examples))
	var p pass
	for epoch := range n.Epochs {
		n.random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for i, at := range order {
			done := (float64(epoch) + float64(i)/float64(len(order))) / float64(n.Epochs)
			n.forward(&examples[at], &p)
			n.backward(&examples[at], &p, 1-0.95*done)
		}
	}
	n.polish(examples)
}

// polish goes through the phrases alone once more, many times. Only what words tell of
// sentiment moves, and of that what is rare most: "not bad" is learnt without harm to "bad".
func (n *net) polish(examples []example) {
	const rounds = 15
	var p pass
	for range rounds {
		for i := range examples {
			e := &examples[i]
			if e.set != "phrases" {
				continue
			}
			n.forward(e, &p)
			g, _, _ := gradient(e, &p)
			for k := range sentiments {
				n.moveWords(&p, k, g[k], float32(n.RateWeights))
			}
		}
	}
}

// backward moves the network towards what e wants. Rates are multiplied by slow.
func (n *net) backward(e *example, p *pass, slow float64) {
	g, from, to := gradient(e, p)
	n.moveFeatures(e, p, g[:], from, to, float32(n.RateWeights*slow))
	back := n.moveHead(p, g[:], from, to, float32(n.RateHead*slow))
	if len(p.tokens) > 0 {
		n.moveFilters(p, back, slow)
	}
}

// gradient returns that of the outputs, of which from ... to-1 are known of e.
func gradient(e *example, p *pass) (g [outputs]float32, from, to int) {
	for k := range g {
		g[k] = e.weight[task(k)] * (p.out[k] - e.want[k])
	}
	from, to = 0, outputs
	if e.weight[0] == 0 {
		from = sentiments
	}
	if e.weight[1] == 0 {
		to = sentiments
	}
	return g, from, to
}

// moveFeatures moves weights of words, letters and biases for outputs from ... to-1.
func (n *net) moveFeatures(e *example, p *pass, g []float32, from, to int, rate float32) {
	for k := from; k < to; k++ {
		n.moveWords(p, k, g[k], rate)
		gp := float32(g[k] * p.partScale)
		for _, i := range p.parts {
			n.partWeights.move(int(i)*outputs+k, gp, rate)
		}
		n.biasWeights.move(int(e.bias[task(k)])*outputs+k, g[k], rate)
	}
}

// moveWords moves weights of words for output k, whose gradient is g.
func (n *net) moveWords(p *pass, k int, g, rate float32) {
	g = float32(g * p.wordScale)
	for _, i := range p.words {
		n.wordWeights.move(int(i)*outputs+k, g, rate)
	}
}

// moveHead moves the last layer and returns the gradient of what filters put into it.
func (n *net) moveHead(p *pass, g []float32, from, to int, rate float32) *[2 * filters]float32 {
	var back [2 * filters]float32
	for i, x := range p.inputs {
		if x == 0 {
			continue
		}
		row := n.head.at(int32(i))
		for k := from; k < to; k++ {
			if i < 2*filters {
				back[i] += float32(g[k] * row[k])
			}
			n.head.move(i*outputs+k, float32(g[k]*x), rate)
		}
	}
	return &back
}

// moveFilters moves filters, their thresholds and the vectors of the words they saw.
func (n *net) moveFilters(p *pass, back *[2 * filters]float32, slow float64) {
	p.back = grow(p.back, len(p.seen))
	clear(p.back)
	scale := sentiment.FilterScale(len(p.tokens))
	left := float32(1 - n.DropFilters)
	for t := range p.tokens {
		for f := range filters {
			if p.fired[t*filters+f] <= 0 {
				continue
			}
			g := float32(back[filters+f] * scale)
			if p.best[f] == t {
				g += back[f]
			}
			if g != 0 {
				n.spread(p, t, f, g/left, float32(n.RateHead*slow))
			}
		}
	}
	for t, tok := range p.tokens {
		if tok >= 0 {
			n.moveWord(p, t, tok, float32(n.RateVectors*slow))
		}
	}
	n.filters.step(n.RateFilters * slow)
}

// spread hands the gradient of filter f at token t on to the three tokens it saw.
func (n *net) spread(p *pass, t, f int, g, rate float32) {
	if t > 0 {
		p.back[(t-1)*width+f] += g
	}
	p.back[t*width+filters+f] += g
	if t+1 < len(p.tokens) {
		p.back[(t+1)*width+2*filters+f] += g
	}
	n.threshold.move(f, g, rate)
}

// moveWord adds to the gradient of the filters what the word at t has, and moves its
// vector.
func (n *net) moveWord(p *pass, t int, tok int32, rate float32) {
	vector := n.vectors.at(tok)
	p.vector = [dims]float32{}
	for k, g := range p.back[t*width : (t+1)*width] {
		if g == 0 {
			continue
		}
		axpy(n.filters.gradient[k*dims:(k+1)*dims], g, vector)
		axpy(p.vector[:], g, n.filters.values[k*dims:(k+1)*dims])
	}
	for d, g := range p.vector {
		n.vectors.move(int(tok)*dims+d, g, rate)
	}
}
