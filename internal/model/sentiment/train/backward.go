package train

import "earshot/internal/model/sentiment"

// train makes n.Epochs passes over the examples, each in a different order.
func (n *net) train(examples []example) {
	order := n.random.Perm(len(examples))
	var p activations
	for epoch := range n.Epochs {
		n.random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for i, at := range order {
			done := (float64(epoch) + float64(i)/float64(len(order))) / float64(n.Epochs)
			n.forward(&examples[at], &p)
			n.backward(&examples[at], &p, 1-0.95*done)
		}
	}
	n.fineTune(examples)
}

// fineTune makes additional passes over the phrases alone. Only the sentiment weights of words
// change, rare ones most, so it learns "not bad" without affecting "bad".
func (n *net) fineTune(examples []example) {
	var p activations
	for range n.FineTune {
		for i := range examples {
			e := &examples[i]
			if e.set != "phrases" {
				continue
			}
			n.forward(e, &p)
			g, _, _ := gradient(e, &p)
			n.updateWords(&p, &g, 0, sentiments, float32(n.RateWeights))
		}
	}
}

// backward updates the network toward the targets of e. It multiplies learning rates by slow.
func (n *net) backward(e *example, p *activations, slow float64) {
	g, from, to := gradient(e, p)
	n.updateFeatures(e, p, &g, from, to, float32(n.RateWeights*slow))
	n.updateSignals(e, &g, from, to, float32(n.RateHead*slow))
	if len(p.tokens) > 0 {
		n.updateFilters(p, n.updateHead(p, &g, from, to, float32(n.RateHead*slow)), slow)
	}
}

// gradient returns the gradient of the logits. e has targets for outputs from ... to-1.
func gradient(e *example, p *activations) (g [outputs]float32, from, to int) {
	for k := range g {
		g[k] = e.weight[task(k)] * (p.out[k] - e.target[k])
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

// updateFeatures updates the weights of words, n-grams and biases for outputs from ... to-1.
func (n *net) updateFeatures(e *example, p *activations, g *[outputs]float32, from, to int, rate float32) {
	n.updateWords(p, g, from, to, rate)
	for _, i := range p.ngrams {
		n.ngramWeights.updateRow(i, g, p.ngramScale, from, to, rate)
	}
	for k := from; k < to; k++ {
		n.biasWeights.update(int(e.bias[task(k)])*outputs+k, g[k], rate)
	}
}

// updateWords updates the weights of words for outputs from ... to-1.
func (n *net) updateWords(p *activations, g *[outputs]float32, from, to int, rate float32) {
	for _, i := range p.words {
		n.wordWeights.updateRow(i, g, p.wordScale, from, to, rate)
	}
}

// updateSignals updates the weights of signals.
func (n *net) updateSignals(e *example, g *[outputs]float32, from, to int, rate float32) {
	for _, set := range e.signalSets {
		for i, x := range e.signals {
			if x != 0 {
				n.signals.updateRow(set*sentiment.Signals+int32(i), g, x, from, to, rate)
			}
		}
	}
}

// updateHead updates the last layer and returns the gradient of the pooled filters.
func (n *net) updateHead(p *activations, g *[outputs]float32, from, to int, rate float32) *[inputs]float32 {
	var back [inputs]float32
	for i, x := range p.inputs {
		if x == 0 {
			continue
		}
		row := n.head.at(int32(i))
		for k := from; k < to; k++ {
			back[i] += float32(g[k] * row[k])
		}
		n.head.updateRow(int32(i), g, x, from, to, rate)
	}
	return &back
}

// updateFilters updates the filters, their thresholds and the word vectors.
func (n *net) updateFilters(p *activations, back *[inputs]float32, slow float64) {
	p.gradients = grow(p.gradients, len(p.projections))
	clear(p.gradients)
	scale := sentiment.FilterScale(len(p.tokens))
	left := float32(1 - n.DropFilters)
	for t := range p.tokens {
		for f := range filters {
			if p.fired[t*filters+f] <= 0 {
				continue
			}
			g := float32(back[filters+f] * scale)
			if p.argmax[f] == t {
				g += back[f]
			}
			if g != 0 {
				n.backpropagateFilter(p, t, f, g/left, float32(n.RateHead*slow))
			}
		}
	}
	for t, tok := range p.tokens {
		if tok >= 0 {
			n.updateVector(p, t, tok, float32(n.RateVectors*slow))
		}
	}
	n.filters.step(n.RateFilters * slow)
}

// backpropagateFilter propagates the gradient of filter f at token t to the three tokens of its
// window.
func (n *net) backpropagateFilter(p *activations, t, f int, g, rate float32) {
	if t > 0 {
		p.gradients[(t-1)*width+f] += g
	}
	p.gradients[t*width+filters+f] += g
	if t+1 < len(p.tokens) {
		p.gradients[(t+1)*width+2*filters+f] += g
	}
	n.threshold.update(f, g, rate)
}

// updateVector accumulates the filter gradients of the word at t and updates its vector.
func (n *net) updateVector(p *activations, t int, tok int32, rate float32) {
	vector := n.vectors.at(tok)
	p.vector = [dims]float32{}
	for k, g := range p.gradients[t*width : (t+1)*width] {
		if g == 0 {
			continue
		}
		axpy(n.filters.gradient[k*dims:(k+1)*dims], g, vector)
		axpy(p.vector[:], g, n.filters.values[k*dims:(k+1)*dims])
	}
	for d, g := range p.vector {
		n.vectors.update(int(tok)*dims+d, g, rate)
	}
}
