package opinion

import (
	"cmp"
	"fmt"
	"slices"

	"earshot"
)

// A corpus is the documents that are learnt from, as features.
type corpus struct {
	categories []earshot.CategoryID
	docs       []*Document // in an order that does not depend on the one they were given in
	texts      []text      // of each document
	counts     []int       // documents of each category
	vocabulary map[uint32]uint32
	features   []uint32 // by their place in the vocabulary
	huge       bool
	ended      func() bool // whether nobody waits for what is learnt any more
}

// A text is what is seen of a document: places of its features in the vocabulary, those
// of a block together.
type text struct {
	class    int
	features []uint32
	ends     [blocks]int // of blocks in features
	fold     int
	rank     int // among the documents of its category, in a random order
}

// newCorpus reads documents.
func newCorpus(categories []earshot.CategoryID, docs []Document) (*corpus, error) {
	c := &corpus{categories: categories, counts: make([]int, len(categories)), vocabulary: map[uint32]uint32{}, ended: func() bool { return false }}
	at, err := places(categories)
	if err != nil {
		return nil, err
	}
	c.docs = sorted(docs)
	for _, d := range c.docs {
		class, ok := at[d.Category]
		if !ok {
			return nil, fmt.Errorf("opinion: a document of category %d, which is not among the model's", d.Category)
		}
		c.counts[class]++
	}
	for class, n := range c.counts {
		if n == 0 {
			return nil, fmt.Errorf("opinion: category %d has no documents", categories[class])
		}
	}
	c.read(at)
	c.bound()
	c.huge = c.isHuge()
	return c, nil
}

// places returns the place of each category.
func places(categories []earshot.CategoryID) (map[earshot.CategoryID]int, error) {
	at := map[earshot.CategoryID]int{}
	for i, id := range categories {
		if _, twice := at[id]; twice {
			return nil, fmt.Errorf("opinion: category %d is named twice", id)
		}
		at[id] = i
	}
	return at, nil
}

// sorted returns the documents in the same order, whatever order they are given in.
func sorted(docs []Document) []*Document {
	list := make([]*Document, len(docs))
	for i := range docs {
		list[i] = &docs[i]
	}
	slices.SortStableFunc(list, func(a, b *Document) int {
		return cmp.Or(
			cmp.Compare(a.Category, b.Category),
			cmp.Compare(a.Post.URL, b.Post.URL),
			cmp.Compare(a.Post.Source, b.Post.Source),
			cmp.Compare(a.Post.ContentSource, b.Post.ContentSource),
			cmp.Compare(a.Post.GUID, b.Post.GUID),
			cmp.Compare(a.Post.Title, b.Post.Title),
			cmp.Compare(a.Post.Contents, b.Post.Contents),
			slices.Compare(a.Post.Sentiment[:], b.Post.Sentiment[:]),
			slices.Compare(a.Post.Emotion[:], b.Post.Emotion[:]),
			slices.Compare(a.Post.Interests, b.Post.Interests),
		)
	})
	return list
}

// read finds the features of all documents.
func (c *corpus) read(at map[earshot.CategoryID]int) {
	var r reader
	for _, d := range c.docs {
		r.read(&d.Post)
		t := text{class: at[d.Category]}
		for b, features := range r.features {
			for _, f := range features {
				t.features = append(t.features, c.place(f))
			}
			t.ends[b] = len(t.features)
		}
		c.texts = append(c.texts, t)
	}
}

// place returns the place of a feature in the vocabulary.
func (c *corpus) place(feature uint32) uint32 {
	at, ok := c.vocabulary[feature]
	if !ok {
		at = uint32(len(c.features))
		c.vocabulary[feature] = at
		c.features = append(c.features, feature)
	}
	return at
}
