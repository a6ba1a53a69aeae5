package watchlist

import (
	"cmp"
	"slices"

	"earshot/internal/query"
)

// A posting brings a monitor up under one of its numbers. Of what else the monitor
// needs it holds as much as fits, so that most are dismissed where they stand, in
// passing, without a look at the monitor.
type posting struct {
	slot       uint32 // of the entry
	truthTable uint16 // bit n: goes on when the post has the needs that n has bits of
	guards     [maxGuards]uint16
}

// maxGuards is how many numbers a posting asks for, shortened to what a sieve holds.
const maxGuards = 4

// newPosting returns a posting that asks for one of each group, as far as they
// fit, and the traits that takes. Earlier groups go first.
func newPosting(groups []clause) (p posting, asks featureKinds) {
	var fitting []uint // the groups, as bits of needs
	used := 0
	for _, g := range groups {
		if used+len(g.features) > maxGuards {
			continue
		}
		asks |= g.kinds
		var bits uint
		for _, n := range g.features {
			p.guards[used] = bloomBit(n)
			bits |= 1 << used
			used++
		}
		fitting = append(fitting, bits)
	}
	for have := range uint(1 << maxGuards) {
		if meetsAll(have, fitting) {
			p.truthTable |= 1 << have
		}
	}
	return p, asks
}

func meetsAll(have uint, groups []uint) bool {
	for _, g := range groups {
		if have&g == 0 {
			return false
		}
	}
	return true
}

// A bloomFilter is the numbers of a post, shortened. It may hold one that the post does
// not have, but never lacks one that it has.
type bloomFilter [1 << 16 / 64]uint64

func bloomBit(n feature) uint16 { return uint16(n) }

func (s *bloomFilter) add(n feature)     { s[bloomBit(n)/64] |= 1 << (bloomBit(n) % 64) }
func (s *bloomFilter) bit(n uint16) uint { return uint(s[n/64] >> (n % 64) & 1) }

// clear empties a sieve that holds nothing but these numbers.
func (s *bloomFilter) clear(numbers []feature) {
	for _, n := range numbers {
		s[bloomBit(n)/64] = 0
	}
}

// admits reports whether the post could have what the posting asks for.
func (s *bloomFilter) admits(p *posting) bool {
	have := s.bit(p.guards[0]) | s.bit(p.guards[1])<<1 | s.bit(p.guards[2])<<2 | s.bit(p.guards[3])<<3
	return p.truthTable>>have&1 != 0
}

// A clause is numbers of which a post needs one to meet a condition.
type clause struct {
	features []feature
	kinds    featureKinds
	cost     int // how often a post has one of them, estimated
}

// A indexTerms says where an entry stands in the index.
type indexTerms struct {
	features []feature    // it has the posting under each
	kinds    featureKinds // what those numbers and the posting's are made of
	posting  posting      // without the slot
}

// indexTerms chooses where a condition is filed: under its rarest group, with a posting
// that asks for the others. One without any group comes up for every post.
func (c *Condition) indexTerms(f *frequencySketch) indexTerms {
	groups := c.clauses(f)
	if len(groups) == 0 {
		groups = []clause{{features: []feature{anyPost}}}
	}
	slices.SortStableFunc(groups, func(a, b clause) int { return cmp.Compare(a.cost, b.cost) })
	posting, asks := newPosting(groups[1:])
	return indexTerms{features: groups[0].features, kinds: groups[0].kinds | asks, posting: posting}
}

// clauses returns what the condition needs of a post, as far as numbers can tell.
func (c *Condition) clauses(f *frequencySketch) []clause {
	var groups []clause
	if c.keywords != nil {
		for _, g := range c.keywords.Prefilter(f.estimateLiteral) {
			groups = append(groups, literalClause(g, f))
		}
	}
	if c.account != nil {
		if n, t, ok := c.account.feature(); ok {
			groups = append(groups, clause{[]feature{n}, 1 << t, f.estimate(n, t)})
		}
	}
	if c.attributes != nil {
		groups = append(groups, c.attributes.clauses(f)...)
	}
	return groups
}

func (l *attributeFilter) clauses(f *frequencySketch) []clause {
	var groups []clause
	if len(l.sources) > 0 {
		groups = append(groups, nameClause(kindSource, l.sources, f))
	}
	if l.languages.isSet() && !l.languages.exclude && !l.languages.all {
		groups = append(groups, nameClause(kindLanguage, l.languages.codes, f))
	}
	return groups
}

func literalClause(keys query.Clause, f *frequencySketch) clause {
	var g clause
	for _, k := range keys {
		n, traits := literalFeature(k)
		g.features = append(g.features, n)
		g.kinds |= traits
		g.cost += f.estimateLiteral(k)
	}
	return g.dedupe()
}

func nameClause[T ~string](t featureKind, names []T, f *frequencySketch) clause {
	g := clause{kinds: 1 << t}
	for _, name := range names {
		n := textFeature(t, string(name))
		g.features = append(g.features, n)
		g.cost += f.estimate(n, t)
	}
	return g.dedupe()
}

// dedupe returns g with each of its numbers once.
func (g clause) dedupe() clause {
	slices.Sort(g.features)
	g.features = slices.Compact(g.features)
	return g
}

// feature returns what the posts that concern the account have. A handle with
// letters outside of ASCII has no number.
func (a *account) feature() (feature, featureKind, bool) {
	if a.pageID != "" {
		return textFeature(kindPage, a.pageID), kindPage, true
	}
	if !isASCII(a.handle) {
		return 0, 0, false
	}
	n, ok := handleFeature(a.handle)
	return n, kindHandle, ok
}

func (f indexTerms) equal(g indexTerms) bool {
	return slices.Equal(f.features, g.features) && f.posting == g.posting
}
