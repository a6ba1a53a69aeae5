package watchlist

import (
	"slices"
	"strings"

	"earshot"
	"earshot/internal/query"
)

// A Condition is a compiled [earshot.Criteria]. It is immutable and safe for concurrent use.
type Condition struct {
	team       earshot.TeamID
	attributes *attributeFilter // nil if there are none
	account    *account         // only for a SOCIAL monitor
	keywords   *query.Query     // nil means all posts
	within     *Condition       // must also hold; for a filter, the condition of its monitor
}

// An attributeFilter is the part of the criteria that concerns attributes other than the text. Most
// criteria have none, so it is a separate type that keeps conditions small.
type attributeFilter struct {
	sources   []earshot.Source // empty means all
	languages languageChoice
	places    placeChoice
	genders   genderChoice
}

// Compile validates and compiles criteria on behalf of a team. Posts of another team never match.
// The error is a [*query.ParseError] for keywords that do not parse, and of kind [earshot.Invalid]
// for an unknown place or gender.
func Compile(team earshot.TeamID, c earshot.Criteria) (*Condition, error) {
	places, err := newPlaceChoice(c.Places)
	if err != nil {
		return nil, err
	}
	var keywords *query.Query
	if strings.TrimSpace(c.Keywords) != "" {
		if keywords, err = query.Parse(c.Keywords); err != nil {
			return nil, err
		}
	}
	if c.Gender != "" && c.Gender != earshot.Male && c.Gender != earshot.Female {
		return nil, earshot.Errorf(earshot.Invalid, "Invalid gender '%s': must be M or F", c.Gender)
	}
	made := &Condition{team: team, keywords: keywords}
	if len(c.Sources)+len(c.Languages.Values)+len(c.Places.Values) > 0 || c.Gender != "" {
		made.attributes = &attributeFilter{
			sources:   convertStrings[earshot.Source](c.Sources),
			languages: newLanguageChoice(c.Languages),
			places:    places,
			genders:   newGenderChoice(c.Gender),
		}
	}
	return made, nil
}

// WithGenders returns the condition with another choice of genders, M and F. An inclusion rejects
// posts whose author's gender is unknown. An exclusion accepts them.
func (c *Condition) WithGenders(choice earshot.Choice) *Condition {
	made := *c
	made.attributes = new(attributeFilter)
	if c.attributes != nil {
		*made.attributes = *c.attributes
	}
	made.attributes.genders = genderChoice{exclude: choice.Exclude, list: convertStrings[earshot.Gender](choice.Values)}
	return &made
}

// CompileMonitor compiles the condition that selects a monitor's posts.
func CompileMonitor(m *earshot.Monitor) (*Condition, error) {
	c, err := Compile(m.Team, m.Criteria)
	if err != nil || m.Type != earshot.Social {
		return c, err
	}
	c.account, err = newAccount(m.Account)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// CompileFilter compiles the condition that selects the posts of a filter of m: both the monitor's
// criteria and the filter's own must hold.
func CompileFilter(m *earshot.Monitor, f *earshot.Filter) (*Condition, error) {
	within, err := CompileMonitor(m)
	if err != nil {
		return nil, err
	}
	c, err := Compile(m.Team, f.Criteria)
	if err != nil {
		return nil, err
	}
	c.within = within
	return c, nil
}

// Within returns a condition that matches the posts that both conditions match. c must not be the
// condition of a filter. A nil other condition matches all posts.
func (c *Condition) Within(other *Condition) *Condition {
	made := *c
	made.within = other
	return &made
}

// OwnPosts returns a condition that is restricted to posts the account of a SOCIAL monitor wrote
// itself. It also works for a filter of such a monitor. For other monitors it returns an equal
// condition.
func (c *Condition) OwnPosts() *Condition {
	made := *c
	if c.account != nil {
		account := *c.account
		account.ownOnly = true
		made.account = &account
	}
	if c.within != nil {
		made.within = c.within.OwnPosts()
	}
	return &made
}

// Match reports whether the post meets the criteria. It checks the cheapest criteria first.
func (c *Condition) Match(d *query.Document) bool {
	p := d.Post
	return c.allowTeam(p) &&
		(c.attributes == nil || c.attributes.allow(p)) &&
		(c.account == nil || c.account.matches(p)) &&
		(c.keywords == nil || c.keywords.Match(d)) &&
		(c.within == nil || c.within.Match(d))
}

// Costs of conditions, in the unit of [query.Query.Cost].
const (
	costAccount     = 50 // to search a text for mentions
	valuesPerLookup = 8  // sources or places that are compared in the time of looking up a word
)

// Cost returns what it takes to match the condition with a long post, like [query.Query.Cost].
func (c *Condition) Cost() int {
	cost := 1
	if c.attributes != nil {
		cost += (len(c.attributes.sources) + len(c.attributes.places.parts)) / valuesPerLookup
	}
	if c.account != nil {
		cost += costAccount
	}
	if c.keywords != nil {
		cost += c.keywords.Cost()
	}
	return cost
}

// MostExpensive returns the most expensive part of the keywords, like [query.Query.MostExpensive].
func (c *Condition) MostExpensive() (part string, cost int) {
	if c.keywords == nil {
		return "", 0
	}
	return c.keywords.MostExpensive()
}

func (c *Condition) allowTeam(p *earshot.Post) bool { return p.Team == 0 || p.Team == c.team }

func (f *attributeFilter) allow(p *earshot.Post) bool {
	return f.allowSource(p.Source) &&
		f.genders.allow(p.Gender) &&
		f.languages.allow(p.Language) &&
		f.places.allow(p.Place)
}

func (f *attributeFilter) allowSource(s earshot.Source) bool {
	return len(f.sources) == 0 || slices.Contains(f.sources, s)
}

// Spans returns the words of d to highlight, like [query.Query.Spans]: those that match the
// keywords and, for a filter, also those that match its monitor's keywords. A nil condition has
// none.
func (c *Condition) Spans(d *query.Document) []query.Span {
	var spans []query.Span
	for ; c != nil; c = c.within {
		if c.keywords != nil {
			spans = query.MergeSpans(spans, c.keywords.Spans(d))
		}
	}
	return spans
}

// Terms returns the words that the keywords look for, like [query.Query.Terms], and, for a filter,
// also those of its monitor's keywords. A nil condition has none.
func (c *Condition) Terms() (terms []string) {
	for ; c != nil; c = c.within {
		if c.keywords != nil {
			terms = append(terms, c.keywords.Terms()...)
		}
	}
	return terms
}
