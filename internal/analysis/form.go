package analysis

import (
	"slices"
	"strings"

	"earshot"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/ledger"
)

// A Form is a request as submitted. Missing lists are nil.
type Form struct {
	Analysis  []string
	Keywords  string
	Sources   []string
	StartDate string
	EndDate   string
	Timezone  string
	Languages *Choice // nil means any
	Locations *Choice
	Gender    *Choice

	Echo []byte // see [ledger.Request]
}

// A Choice is the part of a form that includes or excludes values.
type Choice struct {
	Type   string
	Values []string
}

// Limits of a form.
const (
	maxSources      = 100
	maxChoiceValues = 1000 // values per choice
)

// check converts a form to a request, or returns an error that explains what is invalid.
func (s *Service) check(c *earshot.Caller, f Form) (r ledger.Request, err error) {
	r.Echo, r.Keywords = f.Echo, f.Keywords
	if r.Kinds, err = parseKinds(f.Analysis); err != nil {
		return r, err
	}
	if strings.TrimSpace(f.Keywords) == "" {
		return r, earshot.InvalidBody("keywords is missing")
	}
	if r.Sources, r.Team, err = s.parseSources(c, f.Sources); err != nil {
		return r, err
	}
	if r.Start, r.End, err = parseRange(f); err != nil {
		return r, err
	}
	if r.Languages, err = languages.parse(f.Languages); err != nil {
		return r, err
	}
	if r.Places, err = locations.parse(f.Locations); err != nil {
		return r, err
	}
	if r.Genders, err = genders.parse(f.Gender); err != nil {
		return r, err
	}
	if err := needsMicroblogs(r.Kinds, r.Sources); err != nil {
		return r, err
	}
	_, err = condition(&r) // checks the keywords
	return r, err
}

// parseKinds returns the requested kinds, in the order of responses.
func parseKinds(names []string) ([]ledger.Kind, error) {
	if names == nil {
		return nil, earshot.InvalidBody("analysis is missing")
	}
	if len(names) == 0 {
		return nil, earshot.InvalidBody("analysis must list at least one of %s", kindNames())
	}
	requested := map[ledger.Kind]bool{}
	for i, name := range names {
		kind := ledger.Kind(strings.ToLower(name))
		if !slices.Contains(ledger.Kinds, kind) {
			return nil, earshot.InvalidBody("analysis[%d] '%s' is not one of %s", i, clip(name), kindNames())
		}
		if requested[kind] {
			return nil, earshot.InvalidBody("analysis[%d] '%s' is there twice", i, name)
		}
		requested[kind] = true
	}
	return slices.DeleteFunc(slices.Clone(ledger.Kinds), func(k ledger.Kind) bool { return !requested[k] }), nil
}

func kindNames() string {
	var names []string
	for _, kind := range ledger.Kinds {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

// needsMicroblogs returns an error if a kind covers only microblog posts and none of the sources is
// a microblog.
func needsMicroblogs(kinds []ledger.Kind, sources []ledger.Source) error {
	if slices.ContainsFunc(sources, func(s ledger.Source) bool { return s.Source.IsMicroblog() }) {
		return nil
	}
	for _, kind := range []ledger.Kind{ledger.Affinity, ledger.Reach} {
		if slices.Contains(kinds, kind) {
			return earshot.InvalidBody("analysis '%s' is of microblog posts; sources must list at least one of %s", kind, analysisNames(earshot.Microblogs))
		}
	}
	return nil
}

// condition returns the condition that selects the posts of a request.
func condition(r *ledger.Request) (*watchlist.Condition, error) {
	criteria := earshot.Criteria{Keywords: r.Keywords, Languages: r.Languages, Places: r.Places}
	for _, source := range r.Sources {
		criteria.Sources = append(criteria.Sources, string(source.Source))
	}
	c, err := watchlist.Compile(r.Team, criteria)
	if err != nil {
		return nil, err
	}
	return c.WithGenders(r.Genders), nil
}

// clip shortens a value for an error message.
func clip(s string) string { return earshot.Clip(s, 60) }
