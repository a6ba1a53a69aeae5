package watchlist

import (
	"cmp"
	"slices"

	"earshot/internal/query"
)

// A group is numbers of which a post needs one to meet a condition.
type group struct {
	numbers []number
	traits  traits
	cost    int // how often a post has one of them, estimated
}

// A filing says where an entry stands in the index.
type filing struct {
	numbers []number // it has the posting under each
	traits  traits   // what those numbers and the posting's are made of
	posting posting  // without the slot
}

// file chooses where a condition is filed: under its rarest group, with a posting
// that asks for the others. One without any group comes up for every post.
func (c *Condition) file(f *frequency) filing {
	groups := c.groups(f)
	if len(groups) == 0 {
		groups = []group{{numbers: []number{everything}}}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.cost, b.cost) })
	posting, asks := newPosting(groups[1:])
	return filing{numbers: groups[0].numbers, traits: groups[0].traits | asks, posting: posting}
}

// groups returns what the condition needs of a post, as far as numbers can tell.
func (c *Condition) groups(f *frequency) []group {
	var groups []group
	if c.keywords != nil {
		for _, g := range c.keywords.Prefilter(f.ofKey) {
			groups = append(groups, ofKeys(g, f))
		}
	}
	if c.account != nil {
		if n, t, ok := c.account.number(); ok {
			groups = append(groups, group{[]number{n}, 1 << t, f.of(n, t)})
		}
	}
	if c.limits != nil {
		groups = append(groups, c.limits.groups(f)...)
	}
	return groups
}

func (l *limits) groups(f *frequency) []group {
	var groups []group
	if len(l.sources) > 0 {
		groups = append(groups, ofNames(ofSource, l.sources, f))
	}
	if l.languages.isSet() && !l.languages.exclude && !l.languages.all {
		groups = append(groups, ofNames(ofLanguage, l.languages.codes, f))
	}
	return groups
}

func ofKeys(keys query.Clause, f *frequency) group {
	var g group
	for _, k := range keys {
		n, traits := keyed(k)
		g.numbers = append(g.numbers, n)
		g.traits |= traits
		g.cost += f.ofKey(k)
	}
	return g.distinct()
}

func ofNames[T ~string](t trait, names []T, f *frequency) group {
	g := group{traits: 1 << t}
	for _, name := range names {
		n := named(t, string(name))
		g.numbers = append(g.numbers, n)
		g.cost += f.of(n, t)
	}
	return g.distinct()
}

// distinct returns g with each of its numbers once.
func (g group) distinct() group {
	slices.Sort(g.numbers)
	g.numbers = slices.Compact(g.numbers)
	return g
}

// number returns what the posts that concern the account have. A handle with
// letters outside of ASCII has no number.
func (a *account) number() (number, trait, bool) {
	if a.pageID != "" {
		return named(ofPage, a.pageID), ofPage, true
	}
	if !isASCII(a.handle) {
		return 0, 0, false
	}
	n, ok := handled(a.handle)
	return n, ofHandle, ok
}

func (f filing) equal(g filing) bool {
	return slices.Equal(f.numbers, g.numbers) && f.posting == g.posting
}
