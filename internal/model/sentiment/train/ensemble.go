package train

import (
	"context"

	"earshot/internal/parallel"
)

// An ensemble averages the outputs of several nets. Linear weights are averaged, which costs no
// more than a single net. The filters of all nets are concatenated.
type ensemble struct {
	*vocabulary
	words, ngrams, biases weights // means over the nets
	members               []*net
}

// trainEnsemble trains nets concurrently and adds them in a fixed order.
func trainEnsemble(v *vocabulary, known vectors, examples []example, s settings) *ensemble {
	members := make([]*net, nets)
	_ = parallel.For(context.Background(), nets, nets, func(_ context.Context, i int) error {
		members[i] = newNet(i, v, known, s)
		members[i].train(examples)
		return nil
	})
	t := &ensemble{vocabulary: v}
	for _, n := range members {
		t.add(n)
	}
	return t
}

// add adds a trained net.
func (t *ensemble) add(n *net) {
	t.members = append(t.members, n)
	mean(&t.words, &n.wordWeights, len(t.members))
	mean(&t.ngrams, &n.ngramWeights, len(t.members))
	mean(&t.biases, &n.biasWeights, len(t.members))
}

// mean updates m from the mean of count-1 tables to the mean of count tables.
func mean(m, next *weights, count int) {
	if count == 1 {
		*m = newWeights(len(next.values)/next.row, next.row)
	}
	for i, x := range next.values {
		m.values[i] += (x - m.values[i]) / float32(count)
	}
}
