package api

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// A postFilter is the parameter filter: pairs field:value, separated by "|", the
// first of which may also follow a "|". docs/decisions/0011-post-filter.md
type postFilter struct {
	given      bool
	criteria   earshot.Criteria
	sites      []string
	authors    []string
	categories []string // ids, of categories and emotions
	wide       *wideFields
}

const filterFields = "site, keywords, geolocation, category, language, source, gender, author"

func (f *postFilter) UnmarshalText(b []byte) error {
	f.given = true
	rest := strings.TrimPrefix(string(b), "|")
	for more := true; more; {
		var field, value string
		field, value, rest, more = cutPair(rest)
		if value == "" {
			return fmt.Errorf("pairs field:value separated by |, with the fields %s", f.fields())
		}
		if err := f.set(field, value); err != nil {
			return err
		}
	}
	return nil
}

// cutPair takes the first pair off text. value is empty when there is none.
func cutPair(text string) (field, value, rest string, more bool) {
	pair, rest, more := strings.Cut(text, "|")
	field, value, _ = strings.Cut(pair, ":")
	field = strings.ToLower(strings.TrimSpace(field))
	if field == "keywords" && strings.Contains(pair, ":") { // a phrase may contain the separator
		_, text, _ = strings.Cut(text, ":")
		value, rest, more = query.Cut(text, '|')
	}
	return field, strings.TrimSpace(value), rest, more
}

// A filterBody holds the filter's fields as keys, each with a value or a list of
// them. Other keys are left alone, as unknown parameters are.
type filterBody map[string]any

// JSONLike tells documents of the keys.
func (filterBody) JSONLike() any {
	return struct {
		Site        []string `json:"site" doc:"domains"`
		Keywords    string   `json:"keywords" doc:"a boolean query"`
		Geolocation []string `json:"geolocation" doc:"geography ids"`
		Category    []string `json:"category" doc:"ids of categories or emotions of the monitor"`
		Language    []string `json:"language" doc:"2-letter codes"`
		Source      []string `json:"source" doc:"names of sources"`
		Gender      string   `json:"gender" doc:"gender of the author" values:"M,F"`
		Author      []string `json:"author" doc:"names of authors"`
	}{}
}

// addTo sets the body's fields in f.
func (b filterBody) addTo(f *postFilter) error {
	for key, value := range b {
		field := strings.ToLower(key)
		if !slices.Contains(strings.Split(filterFields, ", "), field) {
			continue
		}
		if field == "category" {
			value = spelled(value)
		}
		text, ok := joined(value, separators[field])
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

// separators are what lists of a field are separated by; "," where it says nothing.
var separators = map[string]string{"geolocation": ";"}

// spelled turns ids that came as numbers into text.
func spelled(value any) any {
	switch v := value.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		return mapSlice(v, spelled)
	}
	return value
}

func joined(value any, separator string) (string, bool) {
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

// mostValues is how many values a filter may have: posts are compared with all of them.
const mostValues = 1000

func (f *postFilter) set(field, value string) error {
	if err := f.put(field, value); err != nil {
		return err
	}
	c := &f.criteria
	if n := len(f.sites) + len(f.authors) + len(f.categories) + len(c.Sources) + len(c.Places.Values) + len(c.Languages.Values) + f.wide.len(); n > mostValues {
		return fmt.Errorf("at most %d values", mostValues)
	}
	return nil
}

func (f *postFilter) put(field, value string) error {
	switch field {
	case "site":
		for _, site := range list(strings.ToLower(value), ",") {
			f.sites = append(f.sites, strings.TrimPrefix(site, "www."))
		}
	case "author":
		f.authors = append(f.authors, list(value, ",")...)
	case "keywords":
		if f.criteria.Keywords != "" {
			return errors.New("keywords is there twice; join the two with AND")
		}
		f.criteria.Keywords = value
	case "geolocation":
		return f.setPlaces(list(value, ";"))
	case "language":
		return f.setLanguages(list(value, ","))
	case "source":
		f.criteria.Sources = append(f.criteria.Sources, list(value, ",")...)
	case "gender":
		if f.criteria.Gender != "" {
			return errors.New("gender is there twice")
		}
		f.criteria.Gender = earshot.Gender(strings.ToUpper(value))
		if f.criteria.Gender != earshot.Male && f.criteria.Gender != earshot.Female {
			return errors.New("gender is M or F")
		}
	case "category":
		f.categories = append(f.categories, list(value, ",")...)
	default:
		if known, err := f.wide.put(field, list(value, ",")); known {
			return err
		}
		return fmt.Errorf("there is no field '%s'; the fields are %s", field, f.fields())
	}
	return nil
}

// fields names what a filter may have.
func (f *postFilter) fields() string {
	if f.wide == nil {
		return filterFields
	}
	return filterFields + ", " + strings.Join(wideNames, ", ")
}

func (f *postFilter) setPlaces(ids []string) error {
	for _, id := range ids {
		place, ok := geo.Find(id)
		if !ok {
			return fmt.Errorf("'%s' is not a geography id like USA, USA.CA or USA.CA.San Diego", id)
		}
		f.criteria.Places.Values = append(f.criteria.Places.Values, place.ID())
	}
	return nil
}

func (f *postFilter) setLanguages(codes []string) error {
	for _, code := range codes {
		known, ok := earshot.FindLanguage(code)
		if !ok {
			return fmt.Errorf("'%s' is not a supported language", code)
		}
		f.criteria.Languages.Values = append(f.criteria.Languages.Values, known)
	}
	return nil
}

// text is the same only for filters that ask for the same of posts that are sorted so.
func (f *postFilter) text(sorted insight.Categorization) string {
	return fmt.Sprintf("%#v %q %q %q %d", f.criteria, f.sites, f.authors, f.categories, sorted.ModelID)
}

// selection says what the filter means for posts of m, which are sorted so.
func (a *API) selection(m *earshot.Monitor, f postFilter, sorted insight.Categorization) (poststore.Selection, error) {
	if !f.given {
		return poststore.Selection{}, nil
	}
	sources := make([]string, len(f.criteria.Sources))
	for i, name := range f.criteria.Sources {
		known, ok := a.Monitors.FindSource(m.Team, name)
		if !ok {
			return poststore.Selection{}, earshot.InvalidParameter("filter", name, "source is a network or a content source of the team")
		}
		sources[i] = known
	}
	f.criteria.Sources = sources
	feelings, err := f.feelings(m, sorted)
	if err != nil {
		return poststore.Selection{}, err
	}
	where, err := watchlist.Compile(m.Team, f.criteria)
	if err != nil {
		return poststore.Selection{}, err
	}
	return poststore.Selection{Where: where, Sites: f.sites, Authors: f.authors, Feelings: feelings}, nil
}

// feelings returns what the categories that the filter names stand for. It is an error
// to name one that m does not have, or one of a monitor that has not been taught.
func (f *postFilter) feelings(m *earshot.Monitor, sorted insight.Categorization) (some poststore.Feelings, err error) {
	for _, id := range f.categories {
		named := func(c earshot.Category) bool { return strconv.FormatInt(int64(c.ID), 10) == id }
		if i := slices.IndexFunc(m.Emotions, named); i >= 0 {
			some.Emotions |= 1 << i // there are seven
		} else if i := slices.IndexFunc(m.Categories, named); i < 0 {
			return some, earshot.InvalidParameter("filter", id, "category is the id of a category or an emotion of the monitor")
		} else if m.HasBasicCategories() {
			some.Sentiments |= 1 << i
		} else if err := sorted.Require(m); err != nil {
			return some, err
		} else {
			some.Sets = append(some.Sets, m.Categories[i].ID.Assigned(sorted.Buffer))
		}
	}
	return some, nil
}

func list(value, separator string) []string {
	parts := strings.Split(value, separator)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}
