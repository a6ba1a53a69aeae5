package watchlist

import (
	"slices"
	"strings"

	"earshot"
	"earshot/internal/query"
)

// A Condition is a compiled earshot.Criteria. It is immutable and safe for parallel use.
type Condition struct {
	team       earshot.TeamID
	attributes *attributeFilter // nil: none
	account    *account         // of a SOCIAL monitor
	keywords   *query.Query     // nil: all posts
	within     *Condition       // must hold too; of a filter: its monitor's
}

// An attributeFilter is the criteria for attributes other than the text. Most criteria have
// none, so it is apart, to keep conditions small.
type attributeFilter struct {
	sources   []earshot.Source // none: all
	languages languageChoice
	places    placeChoice
	genders   genderChoice
}

// Compile checks and compiles criteria on behalf of a team: posts that belong to another
// team never match. The error is a *query.ParseError for keywords that do not parse, and
// Invalid for an unknown place.
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
		return nil, earshot.Errorf(earshot.Invalid, "Invalid gender '%s': M or F", c.Gender)
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

// WithGenders returns the condition with another choice of genders, M and F. An inclusion
// rejects posts whose author has none; an exclusion accepts them.
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

// CompileFilter compiles the condition that selects the posts of a filter of m: the
// monitor's criteria and its own.
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

// OwnPosts returns the condition for the posts of a SOCIAL monitor, or of a filter of one,
// that its account wrote itself. For other monitors it returns an equal condition.
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

// Match reports whether the post meets the criteria. It checks the cheapest ones first.
func (c *Condition) Match(d *query.Document) bool {
	p := d.Post
	return c.allowTeam(p) &&
		(c.attributes == nil || c.attributes.allow(p)) &&
		(c.account == nil || c.account.matches(p)) &&
		(c.keywords == nil || c.keywords.Match(d)) &&
		(c.within == nil || c.within.Match(d))
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

// Spans returns the words of d to highlight, as query.Query.Spans does: those that match
// the keywords and, for a filter, those of its monitor. A nil condition has none.
func (c *Condition) Spans(d *query.Document) []query.Span {
	var spans []query.Span
	for ; c != nil; c = c.within {
		if c.keywords != nil {
			spans = query.MergeSpans(spans, c.keywords.Spans(d))
		}
	}
	return spans
}
