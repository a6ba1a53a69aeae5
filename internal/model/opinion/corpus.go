package opinion

import (
	"cmp"
	"fmt"
	"slices"

	"earshot"
)

// A corpus is a set of training documents converted to features.
type corpus struct {
	categories []earshot.CategoryID
	docs       []*Document // in a canonical order, independent of the input order
	examples   []example   // parallel to docs
	counts     []int       // documents per category
	vocabulary map[uint32]uint32
	features   []uint32    // by index in the vocabulary
	huge       bool        // so large that each fit is slow
	canceled   func() bool // reports whether the caller has given up
}

// An example is a document as vocabulary indexes of its features, grouped by block.
type example struct {
	class    int
	features []uint32
	ends     [blocks]int // end of each block in features
	fold     int
	rank     int // rank among the documents of its category, in random order
}

// Limits on the cost of training. Typical training sets stay far below them.
const (
	maxWeights      = 1 << 23 // features times categories, with at least minWidth categories
	minWidth        = 8
	maxUsualEntries = 1 << 27 // features of all documents times categories; above it, use hugeFolds
	hugeFolds       = 3
)

// newCorpus extracts the features of documents.
func newCorpus(categories []earshot.CategoryID, docs []Document) (*corpus, error) {
	c := &corpus{categories: categories, counts: make([]int, len(categories)), vocabulary: map[uint32]uint32{}, canceled: func() bool { return false }}
	classes := map[earshot.CategoryID]int{}
	for i, id := range categories {
		if _, twice := classes[id]; twice {
			return nil, fmt.Errorf("opinion: category %d is listed twice", id)
		}
		classes[id] = i
	}
	c.docs = sorted(docs)
	for _, d := range c.docs {
		class, ok := classes[d.Category]
		if !ok {
			return nil, fmt.Errorf("opinion: a document has category %d, which is not a category of the model", d.Category)
		}
		c.counts[class]++
	}
	for class, n := range c.counts {
		if n == 0 {
			return nil, fmt.Errorf("opinion: category %d has no documents", categories[class])
		}
	}
	var x extractor
	for _, d := range c.docs {
		x.extract(&d.Post)
		e := example{class: classes[d.Category]}
		for b, features := range x.features {
			for _, f := range features {
				e.features = append(e.features, c.featureIndex(f))
			}
			e.ends[b] = len(e.features)
		}
		c.examples = append(c.examples, e)
	}
	c.limitFeatures()
	entries := 0
	for i := range c.examples {
		entries += len(c.examples[i].features)
	}
	c.huge = entries*len(c.categories) > maxUsualEntries
	return c, nil
}

// sorted returns the documents in a canonical order, independent of the input order.
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

// featureIndex returns the index of a feature in the vocabulary and adds the feature if it is new.
func (c *corpus) featureIndex(feature uint32) uint32 {
	index, ok := c.vocabulary[feature]
	if !ok {
		index = uint32(len(c.features))
		c.vocabulary[feature] = index
		c.features = append(c.features, feature)
	}
	return index
}

// limitFeatures drops the features with the lowest document frequencies until the weights fit into
// maxWeights. It drops either all or none of the features with the same frequency.
func (c *corpus) limitFeatures() {
	width := max(len(c.categories), minWidth)
	if len(c.features)*width <= maxWeights {
		return
	}
	frequency := make([]int, len(c.features)) // number of documents with the feature
	for _, e := range c.examples {
		for _, f := range e.features {
			frequency[f]++
		}
	}
	histogram := make([]int, len(c.examples)+1) // number of features by frequency
	for _, n := range frequency {
		histogram[n]++
	}
	limit, count := len(c.examples), 0
	for ; limit > 1 && (count+histogram[limit])*width <= maxWeights; limit-- {
		count += histogram[limit]
	}
	old := c.features
	c.features, c.vocabulary = nil, map[uint32]uint32{}
	for i := range c.examples {
		e := &c.examples[i]
		selected, start := e.features[:0], 0
		for b, end := range e.ends {
			for _, f := range e.features[start:end] {
				if frequency[f] > limit {
					selected = append(selected, c.featureIndex(old[f]))
				}
			}
			e.ends[b], start = len(selected), end
		}
		e.features = selected
	}
}
