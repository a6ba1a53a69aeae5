package train

import "sync"

// A team is several nets that answer together, by the mean of their outputs. What is
// the same for all, they share: a mean of weights costs no more than one of them. The
// filters of all are put side by side.
type team struct {
	*vocabulary
	words, parts, biases weights // means of the nets'
	members              []*net
}

// newTeam returns nets that have learnt from examples, side by side. They are put
// together in the order of their numbers, whichever is ready first.
func newTeam(v *vocabulary, known vectors, examples []example, s settings) *team {
	learners := make([]*net, nets)
	var all sync.WaitGroup
	for i := range learners {
		learners[i] = newNet(i, v, known, s)
		all.Go(func() { learners[i].learn(examples) })
	}
	all.Wait()
	t := &team{vocabulary: v}
	for _, n := range learners {
		t.join(n)
	}
	return t
}

// join adds a net that has learnt.
func (t *team) join(n *net) {
	t.members = append(t.members, n)
	mean(&t.words, &n.wordWeights, len(t.members))
	mean(&t.parts, &n.partWeights, len(t.members))
	mean(&t.biases, &n.biasWeights, len(t.members))
}

// mean moves m, the mean of count-1 tables, to the mean of count.
func mean(m, next *weights, count int) {
	if count == 1 {
		*m = newWeights(len(next.values)/next.row, next.row)
	}
	for i, x := range next.values {
		m.values[i] += (x - m.values[i]) / float32(count)
	}
}
