package clickhouse

import (
	"slices"
	"strings"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// A selector compiles a selection to a condition on rows of table posts. The rows are the copies in
// the selection's set, which are next to each other, or all posts if there are none.
type selector struct {
	view        *view
	args        *chhttp.Args
	set         poststore.SetID // whose copies are selected; 0 for rows with the text
	of          *poststore.Selection
	corrections corrections
	prepared

	// wanted, if not nil, is called with the prefixes that the condition looks for in all words.
	wanted func(prefix string)
}

// copiesOf returns the set whose copies contain all selected posts, or 0. Category sets have none.
func copiesOf(of *poststore.Selection) poststore.SetID {
	if of.Set.IsCategory() {
		return 0
	}
	return of.Set
}

// newSelector returns a selector for the copies in a set, or for all posts. The set must contain the
// selected posts.
func newSelector(v *view, of *poststore.Selection, set poststore.SetID, p prepared, a *chhttp.Args) *selector {
	return &selector{view: v, args: a, set: set, of: of, corrections: newCorrections(of.Corrections), prepared: p}
}

// compile returns a condition that all selected posts satisfy, and whether no others do.
func (s *selector) compile() (cond string, exact bool) {
	conds, exact := s.conditions(s.of)
	return strings.Join(append([]string{s.visible()}, conds...), " AND "), exact
}

// visible returns the condition for the visible copies in the set. It reads only the part of table gone
// that the time range of the selection needs: when models have run again, all posts are there.
func (s *selector) visible() string {
	return s.view.copies(s.set, s.args) + " AND row NOT IN (SELECT row FROM gone WHERE " + s.view.committed("commit", s.args) + s.aroundSeconds() + ")"
}

// conditions returns conditions that all posts that a selection picks satisfy, and whether no others
// satisfy all of them.
func (s *selector) conditions(of *poststore.Selection) (conds []string, exact bool) {
	add := func(cond string) { conds = append(conds, cond) }
	exact = true
	conds = append(conds, s.within(of)...)
	if of.Set != 0 && of.Set != s.set {
		add(s.in(of.Set))
	}
	if of.Keys != nil {
		add(oneOf(of.Keys.Len(), func() string { return s.args.InKeys("key", of.Keys.Sums()) }))
	}
	if of.FromPost != nil {
		add(s.fromPost(of.FromPost))
	}
	if of.After > 0 {
		add("position > " + s.args.Uint(uint64(of.After)))
	}
	sites, sitesExact := s.origin(of, add)
	if sites != "" {
		add(sites)
	}
	exact = exact && sitesExact
	if !of.Categories.IsZero() {
		add(s.categories(&of.Categories))
	}
	for i := range of.Having {
		cond, ok := s.having(&of.Having[i])
		add(cond)
		exact = exact && ok
	}
	for i := range of.Ranges {
		add(s.inRange(&of.Ranges[i]))
	}
	if of.Where != nil {
		cond, ok := (&compiler{args: s.args, prefixes: s.prefixes, wanted: s.wanted}).where(of.Where)
		if cond != "1" {
			add(s.text(cond))
		}
		exact = exact && ok
	}
	for i := range of.Except {
		others, ok := s.conditions(&of.Except[i])
		if ok {
			add("NOT " + all(others))
		}
		exact = exact && ok
	}
	return conds, exact
}

// within returns conditions for the time range of a selection.
func (s *selector) within(of *poststore.Selection) (conds []string) {
	if !of.From.IsZero() {
		conds = append(conds, notBefore(of.From, s.args))
	}
	if !of.To.IsZero() {
		conds = append(conds, before(of.To, s.args))
	}
	return conds
}

// text returns a condition for rows that satisfy a condition on columns that only rows in set 0 have.
func (s *selector) text(cond string) string {
	if s.set == 0 {
		return "(" + cond + ")"
	}
	conds := append([]string{s.view.copies(0, s.args)}, s.within(s.of)...)
	return "row IN (SELECT row FROM posts WHERE " + strings.Join(append(conds, "("+cond+")"), " AND ") + ")"
}

// in returns the condition that a post is in a set, after corrections.
func (s *selector) in(id poststore.SetID) string {
	before := s.stored(id)
	if !id.IsCategory() || !s.of.Corrections.HasCategories() {
		return before
	}
	if category, assigned := id.Category(); assigned {
		is, corrected := s.corrections.inCategory(category, s.args)
		return "(" + is + " OR NOT " + corrected + " AND " + before + ")"
	}
	for _, category := range s.corrections.categories {
		if id == poststore.CorrectedSet(category) {
			is, _ := s.corrections.inCategory(category, s.args)
			return "(" + is + " OR " + before + ")"
		}
	}
	return before
}

// stored returns the condition that a post is in a set, before corrections.
func (s *selector) stored(id poststore.SetID) string {
	if id.IsCategory() {
		return "post IN (" + s.labeled(id) + ")"
	}
	conds := append([]string{s.view.copies(id, s.args)}, s.within(s.of)...)
	return "row IN (SELECT row FROM posts WHERE " + strings.Join(conds, " AND ") + ")"
}

// labeled returns a subquery for the posts in a category set within the time range of the selection.
func (s *selector) labeled(id poststore.SetID) string {
	return s.view.labeled(id, s.args) + s.aroundSeconds()
}

// aroundSeconds returns conditions for the seconds that the time range of the selection touches, for
// tables that have only these. Each begins with AND.
func (s *selector) aroundSeconds() (conds string) {
	if !s.of.From.IsZero() {
		conds += " AND sec >= " + s.args.Int(s.of.From.Unix())
	}
	if !s.of.To.IsZero() {
		conds += " AND sec <= " + s.args.Int(s.of.To.Unix())
	}
	return conds
}

// fromPost returns the condition that a post is not before p in the order of earshot.ComparePosts.
func (s *selector) fromPost(p *earshot.Post) string {
	sec, nanos := s.args.Int(p.Time.Unix()), s.args.Int(int64(p.Time.Nanosecond()))
	same := "sec = " + sec + " AND nanos = " + nanos
	rest := "(guid, source, contentSource) >= (" + s.args.String(p.GUID) + ", " + s.args.String(string(p.Source)) + ", " + s.args.Int(int64(p.ContentSource)) + ")"
	if s.set != 0 { // copies have no guid
		rest = "row IN (SELECT row FROM posts WHERE " + s.view.copies(0, s.args) + " AND " + same + " AND " + rest + ")"
	}
	return "(" + before(p.Time, s.args) + " OR " + same + " AND " + rest + ")"
}

// categories returns the condition that a post has one of the sentiments or emotions, or is in one of
// the sets.
func (s *selector) categories(f *poststore.CategoryFilter) string {
	var conds []string
	for _, c := range []struct {
		column string
		bits   uint8
	}{{s.corrections.sentiment("sentiment", s.args), f.Sentiments}, {s.corrections.emotion("emotion", s.args), f.Emotions}} {
		var values []uint64
		for i := range 8 {
			if c.bits>>i&1 != 0 {
				values = append(values, uint64(i+1)) // 0 is unknown
			}
		}
		if len(values) > 0 {
			conds = append(conds, c.column+" IN "+s.args.Uints(values))
		}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(f.Sets))) {
		conds = append(conds, s.in(id))
	}
	return "(" + strings.Join(conds, " OR ") + ")"
}

const (
	// maxSum is the largest int64 as a larger type.
	maxSum = "toInt128(9223372036854775807)"
	// never is a condition that no row satisfies.
	never = "0"
)

// oneOfStrings returns the condition that a column has one of the values that are not empty.
func (s *selector) oneOfStrings(column string, values []string) string {
	values = nonempty(values)
	return oneOf(len(values), func() string { return s.args.InStrings(column, values) })
}

// anyOfStrings returns the condition that an array has one of the values that are not empty.
func (s *selector) anyOfStrings(column string, values []string) string {
	if values = nonempty(values); len(values) == 0 {
		return never
	}
	return "hasAny(" + column + ", " + s.args.Strings(values) + ")"
}

// oneOf returns a condition that compares with n values, or never if there are none.
func oneOf(n int, cond func() string) string {
	if n == 0 {
		return never
	}
	return cond()
}

// all returns the conjunction of conditions in parentheses.
func all(conds []string) string {
	if len(conds) == 0 {
		return "1"
	}
	return "(" + strings.Join(conds, " AND ") + ")"
}

// nonempty returns the distinct values that are not empty, sorted.
func nonempty(values []string) []string {
	sorted := slices.Compact(slices.Sorted(slices.Values(values)))
	return slices.DeleteFunc(sorted, func(v string) bool { return v == "" })
}
