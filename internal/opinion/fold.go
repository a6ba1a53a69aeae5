package opinion

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// How many folds documents are divided into. With more, what is told of a document that
// was left out is closer to what will be told of new posts; large sets need it less.
const (
	leastFolds = 5
	mostFolds  = 20
	fewFolds   = 10
	largeSet   = 1000 // documents from which few folds do
	foldsSeed  = 7
	mixedTwice = 0x9e3779b97f4a7c15
)

// divide gives each text a fold and a rank. Documents of a category are spread evenly
// over folds, those with the same contents come to the same fold, and so a model that
// has not seen a document has not seen its copies.
func (c *corpus) divide() int {
	folds := c.folds()
	order := c.shuffled()
	fold := map[uint64]int{}
	next := make([]int, len(c.categories))
	ranks := make([]int, len(c.categories))
	for _, i := range order {
		t := &c.texts[i]
		t.rank = ranks[t.class]
		ranks[t.class]++
		key := contentsHash(c.docs[i])
		at, ok := fold[key]
		if !ok {
			at = next[t.class] % folds
			next[t.class]++
			fold[key] = at
		}
		t.fold = at
	}
	return folds
}

// folds returns how many folds there are: as many as a usual category has documents, so
// that leaving out a fold takes as much from one category as from another.
func (c *corpus) folds() int {
	if len(c.texts) >= largeSet {
		return fewFolds
	}
	counts := slices.Sorted(slices.Values(c.counts))
	return min(max(counts[len(counts)/2], leastFolds), mostFolds)
}

// shuffled returns the places of texts, one category after another, and within a
// category in a random order that stays the same.
func (c *corpus) shuffled() []int {
	order := make([]int, len(c.texts))
	for i := range order {
		order[i] = i
	}
	random := rand.New(rand.NewPCG(foldsSeed, mixedTwice))
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
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
