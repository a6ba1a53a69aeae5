package train

import (
	"math"

	"earshot/internal/model/sentiment"
)

// activations are the values computed in the forward pass of one example.
type activations struct {
	words, ngrams         []int32 // after dropout
	wordScale, ngramScale float32
	tokens                []int32
	projections           []float32 // of token vectors onto filters, width values per token
	fired                 []float32 // activation of each filter at each token
	argmax                [filters]int
	inputs                [inputs]float32
	out                   [outputs]float32 // probabilities
	gradients             []float32        // gradients of projections
	vector                [dims]float32    // gradient of a word vector
}

// forward runs the forward pass of e in training mode and stores the activations in p.
func (n *net) forward(e *example, p *activations) {
	p.words, p.ngrams = n.dropout(p.words[:0], e.words), n.dropout(p.ngrams[:0], e.ngrams)
	left := float32(1 - n.DropFeatures)
	p.wordScale, p.ngramScale = e.wordScale/left, e.ngramScale/left
	n.filter(e, p)
	p.out = [outputs]float32{}
	for i, x := range p.inputs {
		if x != 0 {
			add(&p.out, n.head.at(int32(i)), x)
		}
	}
	for _, set := range e.signalSets {
		for i, x := range e.signals {
			if x != 0 {
				add(&p.out, n.signals.at(set*sentiment.Signals+int32(i)), x)
			}
		}
	}
	for _, i := range p.words {
		add(&p.out, n.wordWeights.at(i), p.wordScale)
	}
	for _, i := range p.ngrams {
		add(&p.out, n.ngramWeights.at(i), p.ngramScale)
	}
	for k := range p.out {
		p.out[k] += n.biasWeights.at(e.bias[task(k)])[k]
	}
	softmax(p.out[:sentiments])
	softmax(p.out[sentiments:])
}

// dropout appends the features that are not dropped.
func (n *net) dropout(dst, features []int32) []int32 {
	for _, f := range features {
		if n.random.Float64() >= n.DropFeatures {
			dst = append(dst, f)
		}
	}
	return dst
}

func add(out *[outputs]float32, row []float32, by float32) {
	row = row[:outputs]
	for k := range out {
		out[k] += float32(by * row[k])
	}
}

// filter sets p.inputs to the pooled filters over the tokens of e.
func (n *net) filter(e *example, p *activations) {
	p.tokens = append(p.tokens[:0], e.tokens...)
	for i := range p.tokens {
		if n.random.Float64() < n.DropWords {
			p.tokens[i] = -1
		}
	}
	n.convolve(p)
	scale := sentiment.FilterScale(len(p.tokens))
	for f := range filters {
		var most, sum float32
		p.argmax[f] = -1
		for t := range p.tokens {
			if x := p.fired[t*filters+f]; x > 0 {
				sum += x
				if x > most {
					most, p.argmax[f] = x, t
				}
			}
		}
		p.inputs[f], p.inputs[filters+f] = most, float32(sum*scale)
	}
	left := float32(1 - n.DropFilters)
	for i := range 2 * filters {
		p.inputs[i] /= left
		if n.random.Float64() < n.DropFilters {
			p.inputs[i] = 0
		}
	}
}

// convolve sets p.projections and p.fired.
func (n *net) convolve(p *activations) {
	p.projections = grow(p.projections, len(p.tokens)*width)
	p.fired = grow(p.fired, len(p.tokens)*filters)
	for t, tok := range p.tokens {
		seen := p.projections[t*width : (t+1)*width]
		if tok < 0 {
			clear(seen)
			continue
		}
		n.project(seen, tok)
	}
	for t := range p.tokens {
		fired := p.fired[t*filters : (t+1)*filters]
		copy(fired, n.threshold.values)
		for f := range fired {
			if t > 0 {
				fired[f] += p.projections[(t-1)*width+f]
			}
			fired[f] += p.projections[t*width+filters+f]
			if t+1 < len(p.tokens) {
				fired[f] += p.projections[(t+1)*width+2*filters+f]
			}
		}
	}
}

// project stores the projections of a word's vector in dst.
func (n *net) project(dst []float32, tok int32) {
	vector := n.vectors.at(tok)
	for k := 0; k < len(dst); k += 4 {
		dots(dst[k:k+4], n.filters.values[k*dims:(k+4)*dims], vector)
	}
}

func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

func softmax(x []float32) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum float32
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v - top)))
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}
