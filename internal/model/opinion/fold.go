package opinion

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// Documents are divided into folds; a fold is told by a model of all others. With more
// folds, that is closer to what will be told of new posts; large sets need it less.
const (
	leastFolds = 5
	mostFolds  = 20
	largeSet   = 1000 // documents
	largeFolds = 10   // of a large set
)

// folds returns how many folds there are: as many as a usual category has documents, so
// that leaving out a fold takes as much from one category as from another.
func (c *corpus) folds() int {
	if c.huge {
		return hugeFolds
	}
	if len(c.texts) >= largeSet {
		return largeFolds
	}
	counts := slices.Sorted(slices.Values(c.counts))
	return min(max(counts[len(counts)/2], leastFolds), mostFolds)
}

// divide gives each text its fold and its rank. Documents of a category are spread
// evenly over folds. Those with the same contents come to the same fold, so a model that
// has not seen a document has not seen its copies.
func (c *corpus) divide() {
	next, ranks := make([]int, len(c.categories)), make([]int, len(c.categories))
	folds := map[uint64]int{}
	for _, i := range c.shuffled() {
		t := &c.texts[i]
		t.rank = ranks[t.class]
		ranks[t.class]++
		key := contentsHash(c.docs[i])
		fold, ok := folds[key]
		if !ok {
			fold = next[t.class] % c.folds()
			next[t.class]++
			folds[key] = fold
		}
		t.fold = fold
	}
}

// shuffled returns the places of texts, one category after another, and within a
// category in a random order, which is always the same.
func (c *corpus) shuffled() []int {
	order := rand.New(rand.NewPCG(7, 0)).Perm(len(c.texts))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(c.texts[i].class, c.texts[j].class) })
	return order
}

func contentsHash(d *Document) uint64 {
	h := fnv.New64a()
	h.Write([]byte(d.Post.Title))
	h.Write([]byte{0})
	h.Write([]byte(d.Post.Contents))
	return h.Sum64()
}
