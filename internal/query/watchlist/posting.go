package watchlist

import (
	"cmp"
	"slices"

	"earshot/internal/query"
)

// A posting lists an entry under one of its features. It contains as many of the entry's other
// clauses as fit, so that most postings can be rejected without reading the entry.
type posting struct {
	slot       uint32            // slot of the entry
	truthTable uint16            // bit n: the clauses hold for a post with the guards in bitmap n
	guards     [maxGuards]uint16 // Bloom filter bits of features
}

// maxGuards trades the size of postings against the number of postings rejected early.
const maxGuards = 4

// newPosting returns a posting that checks as many of the clauses as fit, in order, and the kinds
// of features that those clauses use.
func newPosting(clauses []clause) (p posting, kinds featureKinds) {
	var masks []uint // guards of each clause, as a bitmap
	used := 0
	for _, c := range clauses {
		if used+len(c.features) > maxGuards {
			continue
		}
		kinds |= c.kinds
		var mask uint
		for _, f := range c.features {
			p.guards[used] = bloomBit(f)
			mask |= 1 << used
			used++
		}
		masks = append(masks, mask)
	}
	for guards := range uint(1 << maxGuards) {
		if !slices.ContainsFunc(masks, func(mask uint) bool { return guards&mask == 0 }) {
			p.truthTable |= 1 << guards
		}
	}
	return p, kinds
}

// A bloomFilter is a Bloom filter of the features of a post.
type bloomFilter [1 << 16 / 64]uint64

func bloomBit(f feature) uint16 { return uint16(f) }

func (b *bloomFilter) add(f feature)     { b[bloomBit(f)/64] |= 1 << (bloomBit(f) % 64) }
func (b *bloomFilter) bit(n uint16) uint { return uint(b[n/64] >> (n % 64) & 1) }

// clear empties a filter that contains only these features.
func (b *bloomFilter) clear(features []feature) {
	for _, f := range features {
		b[bloomBit(f)/64] = 0
	}
}

// admits reports whether the clauses of the posting may hold for the post.
func (b *bloomFilter) admits(p *posting) bool {
	guards := b.bit(p.guards[0]) | b.bit(p.guards[1])<<1 | b.bit(p.guards[2])<<2 | b.bit(p.guards[3])<<3
	return p.truthTable>>guards&1 != 0
}

// A clause lists features. A post must have at least one of them to match a condition.
type clause struct {
	features []feature
	kinds    featureKinds
	cost     int // estimated number of posts that have one of the features, out of estimateBase
}

// indexTerms are the features and the posting under which an entry is indexed.
type indexTerms struct {
	features []feature
	kinds    featureKinds // kinds of features and of the posting's guards
	posting  posting      // with slot unset
}

// indexTerms returns the terms for a condition: its rarest clause, and a posting that checks the
// others. A condition without clauses is checked for every post.
func (c *Condition) indexTerms(s *frequencySketch) indexTerms {
	var clauses []clause
	if c.keywords != nil {
		for _, literals := range c.keywords.Prefilter(s.estimateLiteral) {
			clauses = append(clauses, literalClause(literals, s))
		}
	}
	if c.account != nil {
		if f, kind, ok := c.account.feature(); ok {
			clauses = append(clauses, clause{[]feature{f}, 1 << kind, s.estimate(f, kind)})
		}
	}
	if a := c.attributes; a != nil {
		if len(a.sources) > 0 {
			clauses = append(clauses, nameClause(kindSource, a.sources, s))
		}
		if a.languages.isSet() && !a.languages.exclude && !a.languages.all {
			clauses = append(clauses, nameClause(kindLanguage, a.languages.codes, s))
		}
	}
	if len(clauses) == 0 {
		clauses = []clause{{features: []feature{anyPost}}}
	}
	slices.SortStableFunc(clauses, func(a, b clause) int { return cmp.Compare(a.cost, b.cost) })
	posting, kinds := newPosting(clauses[1:])
	return indexTerms{features: clauses[0].features, kinds: clauses[0].kinds | kinds, posting: posting}
}

func literalClause(literals query.Clause, s *frequencySketch) clause {
	var c clause
	for _, l := range literals {
		f, kinds := literalFeature(l)
		c.features = append(c.features, f)
		c.kinds |= kinds
		c.cost += s.estimateLiteral(l)
	}
	return c.dedupe()
}

func nameClause[T ~string](kind featureKind, names []T, s *frequencySketch) clause {
	c := clause{kinds: 1 << kind}
	for _, name := range names {
		f := textFeature(kind, string(name))
		c.features = append(c.features, f)
		c.cost += s.estimate(f, kind)
	}
	return c.dedupe()
}

// dedupe returns c without duplicate features.
func (c clause) dedupe() clause {
	slices.Sort(c.features)
	c.features = slices.Compact(c.features)
	return c
}

// feature returns a feature of all posts that match the account. It returns false for handles with
// non-ASCII letters, which have no such feature.
func (a *account) feature() (feature, featureKind, bool) {
	if a.pageID != "" {
		return textFeature(kindPage, a.pageID), kindPage, true
	}
	if !isASCII(a.handle) {
		return 0, 0, false
	}
	f, ok := handleFeature(a.handle)
	return f, kindHandle, ok
}
