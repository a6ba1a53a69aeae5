package analysis

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/state/ledger"
)

// monitorDays is how many days before today a monitor starts, unless the analysis is about an
// earlier day.
const monitorDays = 30

// Monitor returns a monitor that selects the posts that an analysis selects, of any day since its
// start. It is not stored, and nothing has an ID but its categories and emotions, which are numbered
// from 1. Its team is 0 if the analysis belongs to several teams.
func (s *Service) Monitor(r *Result) *earshot.Monitor {
	q := &r.Request
	m := &earshot.Monitor{
		Name: monitorName(q), Type: earshot.Buzz, Timezone: zoneName(q), Enabled: true,
		Criteria: earshot.Criteria{Keywords: q.Keywords, Languages: q.Languages, Places: q.Places},
	}
	if len(r.Teams) == 1 {
		m.Team = r.Teams[0]
	}
	m.Criteria.Sources = s.monitorSources(q, m.Team)
	applyGenders(&m.Criteria, q.Genders)
	m.Start = earshot.DateOf(s.Now().In(m.Location())).AddDays(-monitorDays)
	if day := earshot.DateOf(q.Start.In(m.Location())); day.Before(m.Start) {
		m.Start = day
	}
	for _, name := range earshot.BasicCategories {
		m.Categories = append(m.Categories, earshot.Category{ID: earshot.CategoryID(len(m.Categories) + 1), Name: name})
	}
	for _, name := range earshot.BasicEmotions {
		m.Emotions = append(m.Emotions, earshot.Category{ID: earshot.CategoryID(len(m.Categories) + len(m.Emotions) + 1), Name: name})
	}
	return m
}

// monitorSources returns the sources of a request, or none if these are all sources of the team.
func (s *Service) monitorSources(q *ledger.Request, team earshot.TeamID) (sources []string) {
	has := func(source earshot.Source) bool {
		return slices.ContainsFunc(q.Sources, func(s ledger.Source) bool { return s.Source == source })
	}
	all := !slices.ContainsFunc(earshot.Networks, func(n earshot.Source) bool { return !has(n) })
	for _, own := range s.Catalog.Sources.List() {
		if own.Team == team && !own.Removed && !has(earshot.Source(own.Name)) {
			all = false
		}
	}
	if all {
		return nil
	}
	for _, source := range q.Sources {
		sources = append(sources, string(source.Source))
	}
	return sources
}

// applyGenders restricts criteria to the genders of a request. A monitor has one gender; other
// choices become part of its query.
func applyGenders(c *earshot.Criteria, genders earshot.Choice) {
	both := slices.Contains(genders.Values, string(earshot.Male)) && slices.Contains(genders.Values, string(earshot.Female))
	condition := ""
	switch {
	case len(genders.Values) == 0:
		return
	case both && genders.Exclude:
		condition = " AND authorGender:unknown"
	case both:
		condition = " AND NOT authorGender:unknown"
	case genders.Exclude:
		condition = " AND NOT authorGender:" + genders.Values[0]
	default:
		c.Gender = earshot.Gender(genders.Values[0])
		return
	}
	c.Keywords = "(" + c.Keywords + ")" + condition
}

// maxNameLength is the maximum length in characters of a query that serves as a name. It fits on a
// card of the home page.
const maxNameLength = 60

// monitorName returns a name for a request: its query, or the first words that a long one looks for.
func monitorName(q *ledger.Request) string {
	query := strings.Join(strings.Fields(q.Keywords), " ")
	if len([]rune(query)) <= maxNameLength {
		return query
	}
	name := ""
	if where, err := condition(q); err == nil {
		for _, term := range where.Terms() {
			next := strings.TrimPrefix(name+", "+term, ", ")
			if len([]rune(next)) > maxNameLength {
				break
			}
			name = next
		}
	}
	if name == "" {
		name = earshot.Clip(query, maxNameLength)
	}
	return name
}

// zoneName returns the name of the time zone of a request, or UTC if it cannot be read.
func zoneName(q *ledger.Request) string {
	var echo struct{ Timezone string }
	if err := json.Unmarshal(q.Echo, &echo); err != nil {
		return time.UTC.String()
	}
	zone, err := parseZone(echo.Timezone)
	if err != nil {
		return time.UTC.String()
	}
	return zone.String()
}
