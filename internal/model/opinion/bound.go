package opinion

// Bounds of what learning takes, whatever documents there are. Those of analysts stay far
// below.
const (
	mostWeights = 1 << 23 // features times categories, of which there are leastWidth at least
	leastWidth  = 8
	hugeSet     = 1 << 27 // features of all documents, times categories: then there are fewer exams
	hugeFolds   = 3
)

// bound leaves out the features that are in the fewest documents, where there are too many
// for as many categories. It goes by how often they occur, so a part of those that occur
// equally often is never left out.
func (c *corpus) bound() {
	width := max(len(c.categories), leastWidth)
	if len(c.features)*width <= mostWeights {
		return
	}
	in := make([]int, len(c.features))
	for _, t := range c.texts {
		for _, f := range t.features {
			in[f]++
		}
	}
	often := make([]int, len(c.texts)+1) // how many features are in so many documents
	for _, n := range in {
		often[n]++
	}
	least, kept := len(c.texts), 0
	for ; least > 1 && (kept+often[least])*width <= mostWeights; least-- {
		kept += often[least]
	}
	c.keep(func(f uint32) bool { return in[f] > least })
}

// keep leaves out all features but some.
func (c *corpus) keep(wanted func(f uint32) bool) {
	old := c.features
	c.features, c.vocabulary = nil, map[uint32]uint32{}
	for i := range c.texts {
		t := &c.texts[i]
		kept, start := t.features[:0], 0
		for b, end := range t.ends {
			for _, f := range t.features[start:end] {
				if wanted(f) {
					kept = append(kept, c.place(old[f]))
				}
			}
			t.ends[b], start = len(kept), end
		}
		t.features = kept
	}
}

// isHuge reports whether every exam takes long.
func (c *corpus) isHuge() bool {
	entries := 0
	for i := range c.texts {
		entries += len(c.texts[i].features)
	}
	return entries*len(c.categories) > hugeSet
}
