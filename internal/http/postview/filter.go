package postview

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// A Filter is the value of the filter parameter: pairs field:value separated by "|", for example
// "source:Twitter|author:ann,bob". A leading or trailing "|" is allowed. See
// docs/decisions/0011-post-filter.md.
type Filter struct {
	given      bool
	criteria   earshot.Criteria
	sites      []string
	authors    []string
	categories []string    // IDs of categories and emotions
	more       *refinement // nil: what only a [Refinement] accepts is an error
}

const filterFields = "site, keywords, geolocation, category, language, source, gender, author"

// UnmarshalText parses a filter. The error says which fields or values are allowed.
func (f *Filter) UnmarshalText(b []byte) error {
	f.given = true
	text := strings.TrimPrefix(string(b), "|")
	for more := true; more; {
		var field, value string
		field, value, text, more = cutPair(text)
		if value == "" {
			return fmt.Errorf("pairs field:value separated by |, with the fields %s", f.fields())
		}
		if err := f.set(field, value); err != nil {
			return err
		}
		if text == "" {
			break // perhaps after a trailing separator
		}
	}
	return nil
}

// cutPair splits text after its first pair. value is empty if the pair has no value.
func cutPair(text string) (field, value, rest string, more bool) {
	pair, rest, more := strings.Cut(text, "|")
	field, value, _ = strings.Cut(pair, ":")
	field = strings.ToLower(strings.TrimSpace(field))
	if strings.TrimPrefix(field, "-") == "keywords" && strings.Contains(pair, ":") { // a quoted phrase may contain the separator
		_, text, _ = strings.Cut(text, ":")
		value, rest, more = query.Cut(text, '|')
	}
	return field, strings.TrimSpace(value), rest, more
}

// A FilterBody contains the fields of a filter as keys of a JSON object, each with a value or a
// list of values. It ignores other keys, just as unknown query parameters are ignored.
type FilterBody map[string]any

// JSONShape implements [rest.JSONShaper].
func (FilterBody) JSONShape() any {
	return struct {
		Site        []string `json:"site" doc:"domains"`
		Keywords    string   `json:"keywords" doc:"boolean query"`
		Geolocation []string `json:"geolocation" doc:"geography ids"`
		Category    []string `json:"category" doc:"ids of the monitor's categories or emotions"`
		Language    []string `json:"language" doc:"2-letter codes"`
		Source      []string `json:"source" doc:"names of sources"`
		Gender      string   `json:"gender" doc:"gender of the author" values:"M,F"`
		Author      []string `json:"author" doc:"names of authors"`
	}{}
}

// AddTo adds the fields of the body to f. The error names the invalid field.
func (b FilterBody) AddTo(f *Filter) error {
	for key, value := range b {
		field := strings.ToLower(key)
		if !slices.Contains(strings.Split(filterFields, ", "), field) {
			continue
		}
		if field == "category" {
			value = formatNumbers(value)
		}
		text, ok := joinValues(value, separators[field])
		if !ok {
			return earshot.InvalidBody("%s must be a string or a list of strings", key)
		}
		if text == "" {
			continue
		}
		if err := f.set(field, text); err != nil {
			return earshot.InvalidBody("%s: %v", key, err)
		}
		f.given = true
	}
	return nil
}

// separators maps fields to the separator of their values. The default is ",".
var separators = map[string]string{"geolocation": ";"}

// formatNumbers converts numeric IDs to text.
func formatNumbers(value any) any {
	switch v := value.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		return rest.Map(v, formatNumbers)
	}
	return value
}

func joinValues(value any, separator string) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			text, ok := v[i].(string)
			if !ok {
				return "", false
			}
			parts[i] = text
		}
		return strings.Join(parts, cmp.Or(separator, ",")), true
	}
	return "", value == nil
}

// maxValues is the maximum number of values in a filter. Posts are compared with all of them.
const maxValues = 1000

func (f *Filter) set(field, value string) error {
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

func (f *Filter) put(field, value string) error {
	switch field {
	case "site":
		for _, site := range splitList(strings.ToLower(value), ",") {
			f.sites = append(f.sites, strings.TrimPrefix(site, "www."))
		}
	case "author":
		f.authors = append(f.authors, splitList(value, ",")...)
	case "keywords":
		if f.criteria.Keywords != "" {
			return errors.New("keywords is there twice; join the two with AND")
		}
		f.criteria.Keywords = value
	case "geolocation":
		for _, id := range splitList(value, ";") {
			place, ok := geo.Find(id)
			if !ok {
				return fmt.Errorf("'%s' is not a geography id like USA, USA.CA or USA.CA.San Diego", id)
			}
			f.criteria.Places.Values = append(f.criteria.Places.Values, place.ID())
		}
	case "language":
		for _, code := range splitList(value, ",") {
			language, ok := earshot.FindLanguage(code)
			if !ok {
				return fmt.Errorf("'%s' is not a supported language", code)
			}
			f.criteria.Languages.Values = append(f.criteria.Languages.Values, language)
		}
	case "source":
		f.criteria.Sources = append(f.criteria.Sources, splitList(value, ",")...)
	case "gender":
		if f.criteria.Gender != "" {
			return errors.New("gender appears twice")
		}
		f.criteria.Gender = earshot.Gender(strings.ToUpper(value))
		if f.criteria.Gender != earshot.Male && f.criteria.Gender != earshot.Female {
			return errors.New("gender must be M or F")
		}
	case "category":
		f.categories = append(f.categories, splitList(value, ",")...)
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
		return filterFields
	}
	return filterFields + ", " + strings.Join(refinementFields, ", ")
}

// Key returns a string that two filters share only if they select the same posts. It includes the
// model, because the model determines the posts of a category.
func (f *Filter) Key(c insight.Categorization) string {
	return fmt.Sprintf("%#v %q %q %q %d", f.criteria, f.sites, f.authors, f.categories, c.ModelID)
}

// Select returns the selection that a filter makes among the posts of m.
func (s *Service) Select(m *earshot.Monitor, f Filter, c insight.Categorization) (poststore.Selection, error) {
	if !f.given {
		return poststore.Selection{}, nil
	}
	sources := make([]string, len(f.criteria.Sources))
	for i, name := range f.criteria.Sources {
		known, ok := s.Monitors.FindSource(m.Team, name)
		if !ok {
			return poststore.Selection{}, earshot.InvalidParameter("filter", name, "source is a network or a content source of the team")
		}
		sources[i] = known
	}
	f.criteria.Sources = sources
	categories, err := f.selectCategories(m, c)
	if err != nil {
		return poststore.Selection{}, err
	}
	where, err := watchlist.Compile(m.Team, f.criteria)
	if err != nil {
		return poststore.Selection{}, err
	}
	return poststore.Selection{Where: where, Sites: f.sites, Authors: f.authors, Categories: categories}, nil
}

// selectCategories resolves the IDs of categories and emotions in the filter. It returns an error
// if m does not have one of them, or if it names a category and m is not trained.
func (f *Filter) selectCategories(m *earshot.Monitor, c insight.Categorization) (selected poststore.CategoryFilter, err error) {
	for _, id := range f.categories {
		hasID := func(c earshot.Category) bool { return strconv.FormatInt(int64(c.ID), 10) == id }
		if i := slices.IndexFunc(m.Emotions, hasID); i >= 0 {
			selected.Emotions |= 1 << i // there are only seven
		} else if i := slices.IndexFunc(m.Categories, hasID); i < 0 {
			return selected, earshot.InvalidParameter("filter", id, "category is the id of a category or an emotion of the monitor")
		} else if m.HasBasicCategories() {
			selected.Sentiments |= 1 << i
		} else if err := c.Require(m); err != nil {
			return selected, err
		} else {
			selected.Sets = append(selected.Sets, poststore.CategorySet(m.Categories[i].ID, c.Buffer))
		}
	}
	return selected, nil
}

func splitList(value, separator string) []string {
	parts := strings.Split(value, separator)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}
