package insight

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// Exclusions are ways to exclude posts from a monitor that are not relevant.
type Exclusions struct {
	Days    earshot.Days    // whose posts would be removed
	Posts   int64           // the other posts of these days
	Terms   []ExclusionTerm // that remove many of the posts and few others; best first
	Query   string          // of the monitor, with the exclusions that were asked for
	Removal                 // by Query
}

// An ExclusionTerm is a term of a query form, for example #sale, "free shipping" or author:ann.
type ExclusionTerm struct {
	Term string `json:"term"`
	Removal
}

// A Removal counts the posts that a query no longer selects because of an exclusion.
type Removal struct {
	Selected int   `json:"selected"` // of the posts that are not relevant
	Others   int64 `json:"others"`   // of the other posts
}

// Limits of exclusions.
const (
	exclusionDays      = 30 // before today; more if a post is older
	exclusionSample    = 2000
	maxCountedTerms    = 24
	maxExclusionTerms  = 8
	minExclusionLift   = 4   // how much larger the share of the posts must be than that of the others
	maxExclusionOthers = 0.2 // share of the other posts that a term may remove
)

// SuggestExclusions suggests terms to exclude posts of m that are not relevant. It takes at most ten
// seconds.
func (s *Service) SuggestExclusions(ctx context.Context, m *earshot.Monitor, posts []*earshot.Post) (e Exclusions, err error) {
	ctx, cancel := context.WithTimeout(ctx, suggestionTimeout)
	defer cancel()
	defer func() {
		if errors.Is(err, context.DeadlineExceeded) {
			err = earshot.Errorf(earshot.Unavailable, "The suggestions took too long; select fewer posts")
		}
	}()
	leave, err := s.contrasts.enter(ctx)
	if err != nil {
		return e, err
	}
	defer leave()
	x := newExclusion(s, m, posts)
	if e, err = x.others(ctx); err != nil {
		return e, err
	}
	terms, err := x.candidates(ctx, e.Posts)
	if err != nil {
		return e, err
	}
	for _, term := range terms {
		found := ExclusionTerm{Term: term}
		if found.Removal, err = x.count(ctx, []string{term}); err != nil {
			return e, err
		}
		if found.Selected > 0 && float64(found.Others) <= maxExclusionOthers*float64(e.Posts) {
			e.Terms = append(e.Terms, found)
		}
	}
	slices.SortStableFunc(e.Terms, func(a, b ExclusionTerm) int {
		return cmp.Compare(x.gain(b.Selected, b.Others, e.Posts), x.gain(a.Selected, a.Others, e.Posts))
	})
	e.Terms = e.Terms[:min(len(e.Terms), maxExclusionTerms)]
	return e, nil
}

// Exclude returns the query of m without posts that have one of the terms, and what it removes.
func (s *Service) Exclude(ctx context.Context, m *earshot.Monitor, posts []*earshot.Post, terms []string) (e Exclusions, err error) {
	x := newExclusion(s, m, posts)
	if e, err = x.others(ctx); err != nil {
		return e, err
	}
	if e.Query, err = query.Exclude(m.Criteria.Keywords, terms); err != nil {
		return e, err
	}
	e.Removal, err = x.count(ctx, terms)
	return e, err
}

// An exclusion looks for terms to exclude posts of a monitor.
type exclusion struct {
	*Service
	monitor *earshot.Monitor
	posts   []*earshot.Post
	days    earshot.Days
	sel     poststore.Selection
}

func newExclusion(s *Service, m *earshot.Monitor, posts []*earshot.Post) *exclusion {
	end := earshot.DateOf(s.Now().In(m.Location())).AddDays(1)
	days := earshot.Days{Start: end.AddDays(-exclusionDays), End: end}
	for _, p := range posts {
		if day := earshot.DateOf(p.Time.In(m.Location())); day.Before(days.Start) {
			days.Start = day
		}
	}
	return &exclusion{s, m, posts, days, selection(m, days)}
}

// others returns the days and counts their other posts.
func (x *exclusion) others(ctx context.Context) (Exclusions, error) {
	total, err := x.countSelected(ctx, x.sel)
	return Exclusions{Days: x.days, Posts: max(0, total-int64(len(x.posts)))}, err
}

// gain is how much larger the share of the posts that a term removes is than that of the others.
func (x *exclusion) gain(selected int, others, of int64) float64 {
	return float64(selected)/float64(len(x.posts)) - float64(others)/float64(max(of, 1))
}

// candidates returns the terms with the largest gain, going by a sample of the other posts.
func (x *exclusion) candidates(ctx context.Context, posts int64) ([]string, error) {
	c := newContrast(x.monitor, 1)
	var err error
	if c.stop, err = x.stopWords(ctx, x.sel, max(posts, 1)); err != nil {
		return nil, err
	}
	var doc query.Document
	selected, others := map[string]int{}, map[string]int64{}
	keys := map[earshot.PostKey]bool{}
	for _, p := range x.posts {
		keys[p.Key()] = true
		for term := range c.termsOf(p, &doc) {
			selected[term]++
		}
	}
	sampled := int64(0)
	if _, err := x.Store.Sample(ctx, x.sel, exclusionSample, func(p *earshot.Post) {
		if keys[p.Key()] {
			return
		}
		sampled++
		for term := range c.termsOf(p, &doc) {
			if selected[term] > 0 {
				others[term]++
			}
		}
	}); err != nil {
		return nil, err
	}
	var terms []string
	for term, n := range selected {
		common := n >= min(2, len(x.posts))
		rare := float64(others[term])*minExclusionLift*float64(len(x.posts)) <= float64(n)*float64(max(sampled, 1))
		if _, tagged := selected["#"+term]; common && rare && !(tagged && selected["#"+term] == n) {
			terms = append(terms, term)
		}
	}
	slices.SortFunc(terms, func(a, b string) int {
		return cmp.Or(cmp.Compare(x.gain(selected[b], others[b], sampled), x.gain(selected[a], others[a], sampled)), strings.Compare(a, b))
	})
	return terms[:min(len(terms), maxCountedTerms)], nil
}

// termsOf returns the words, phrases, hashtags and the author of a post, as terms of a query form.
func (c *contrast) termsOf(p *earshot.Post, doc *query.Document) map[string]bool {
	terms := map[string]bool{}
	t := c.read(p, 0, doc)
	for _, k := range t.words {
		if word := c.words.words[k]; c.isTopical(word, 1) {
			terms[word] = true
		}
	}
	for _, k := range t.others[0] {
		if phrase := c.phrases.words[k]; !slices.ContainsFunc(strings.Fields(phrase), func(word string) bool { return c.searched[word] }) {
			terms[phrase] = true
		}
	}
	for _, tag := range p.Hashtags {
		if tag = strings.ToLower(tag); !c.searched[tag] {
			terms["#"+tag] = true
		}
	}
	if author := enginekit.AuthorKey(p); author != "" {
		terms["author:"+author] = true
	}
	return terms
}

// count counts the posts that have one of the terms.
func (x *exclusion) count(ctx context.Context, terms []string) (r Removal, err error) {
	keywords, err := query.Build(query.Form{Any: [][]string{terms}})
	if err != nil {
		return r, err
	}
	if keywords == "" {
		return r, earshot.InvalidBody("terms must name at least one term")
	}
	where, err := watchlist.Compile(x.monitor.Team, earshot.Criteria{Keywords: keywords})
	if err != nil {
		return r, err
	}
	for _, p := range x.posts {
		if where.Match(query.NewDocument(p)) {
			r.Selected++
		}
	}
	sel := x.sel
	sel.Where = where
	all, err := x.countSelected(ctx, sel)
	r.Others = max(0, all-int64(r.Selected))
	return r, err
}
