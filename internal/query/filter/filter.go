// Package filter is the language in which people, rules, cards, reports and links select posts of a
// monitor: pairs of a field and a value, such as "source:Twitter|author:ann,bob".
//
// Filters are stored and sent as text. Functions such as [Field.Is] and [And] write it, and a
// [Service] turns it into a selection of the post store on behalf of someone. Nothing else puts
// filters together or takes them apart, except the web app (web/src/lib/filter.ts).
//
// The public API accepts the fields of a [Filter]. A [Refinement] has more of them, and pairs that
// leave posts out. See docs/decisions/0011-post-filter.md and
// docs/decisions/0055-overview-and-refinements.md.
package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/query"
)

// A Filter is the value of the filter parameter of the public API: pairs field:value separated by
// "|". A leading or trailing "|" is allowed. The zero value selects all posts.
type Filter struct {
	given      bool
	criteria   earshot.Criteria
	sites      []string
	authors    []string
	categories []string    // IDs of categories and emotions
	more       *refinement // nil: what only a [Refinement] accepts is an error
}

// UnmarshalText parses a filter. The error says which fields or values are allowed.
func (f *Filter) UnmarshalText(b []byte) error {
	f.given = true
	text := strings.TrimPrefix(string(b), "|")
	for more := true; more; {
		var field Field
		var value string
		field, value, text, more = cutPair(text)
		if value == "" {
			return fmt.Errorf("pairs field:value separated by |, with the fields %s", f.fields())
		}
		if err := f.Add(field, value); err != nil {
			return err
		}
		if text == "" {
			break // perhaps after a trailing separator
		}
	}
	return nil
}

// cutPair splits text after its first pair. value is empty if the pair has no value.
func cutPair(text string) (field Field, value, rest string, more bool) {
	pair, rest, more := strings.Cut(text, "|")
	name, value, _ := strings.Cut(pair, ":")
	field = Field(strings.ToLower(strings.TrimSpace(name)))
	if (field == Keywords || field == "-"+Keywords) && strings.Contains(pair, ":") { // a quoted phrase may contain the separator
		_, text, _ = strings.Cut(text, ":")
		value, rest, more = query.Cut(text, '|')
	}
	return field, strings.TrimSpace(value), rest, more
}

// maxValues is the maximum number of values in a filter. Posts are compared with all of them.
const maxValues = 1000

// Add adds a pair. The error says what is allowed.
func (f *Filter) Add(field Field, value string) error {
	f.given = true
	if err := f.put(field, value); err != nil {
		return err
	}
	if f.len() > maxValues {
		return fmt.Errorf("at most %d values", maxValues)
	}
	return nil
}

// len returns the number of values in lists.
func (f *Filter) len() int {
	c := &f.criteria
	return len(f.sites) + len(f.authors) + len(f.categories) + len(c.Sources) + len(c.Places.Values) + len(c.Languages.Values) + f.more.len()
}

func (f *Filter) put(field Field, value string) error {
	values := splitList(value, field.Separator())
	switch field {
	case Site:
		for _, site := range values {
			f.sites = append(f.sites, strings.TrimPrefix(strings.ToLower(site), "www."))
		}
	case Author:
		f.authors = append(f.authors, values...)
	case Keywords:
		if f.criteria.Keywords != "" {
			return errors.New("keywords is there twice; join the two with AND")
		}
		f.criteria.Keywords = value
	case Geolocation:
		for _, id := range values {
			place, ok := geo.Find(id)
			if !ok {
				return fmt.Errorf("'%s' is not a geography id like USA, USA.CA or USA.CA.San Diego", id)
			}
			f.criteria.Places.Values = append(f.criteria.Places.Values, place.ID())
		}
	case Language:
		for _, code := range values {
			language, ok := earshot.FindLanguage(code)
			if !ok {
				return fmt.Errorf("'%s' is not a supported language", code)
			}
			f.criteria.Languages.Values = append(f.criteria.Languages.Values, language)
		}
	case Source:
		f.criteria.Sources = append(f.criteria.Sources, values...)
	case Gender:
		if f.criteria.Gender != "" {
			return errors.New("gender appears twice")
		}
		f.criteria.Gender = earshot.Gender(strings.ToUpper(value))
		if f.criteria.Gender != earshot.Male && f.criteria.Gender != earshot.Female {
			return errors.New("gender must be M or F")
		}
	case Category:
		f.categories = append(f.categories, values...)
	default:
		if known, err := f.more.add(field, value); known {
			return err
		}
		return fmt.Errorf("there is no field '%s'; the fields are %s", field, f.fields())
	}
	return nil
}

// fields lists the fields that the filter accepts, for error messages.
func (f *Filter) fields() string {
	if f.more == nil {
		return joinFields(Fields)
	}
	return joinFields(slices.Concat(Fields, refinementFields))
}

// Key returns a string that two filters share only if they select the same posts as long as the same
// model categorizes them.
func (f *Filter) Key() string {
	return fmt.Sprintf("%#v %q %q %q", f.criteria, f.sites, f.authors, f.categories)
}

func splitList(value, separator string) []string {
	parts := strings.Split(value, separator)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}
