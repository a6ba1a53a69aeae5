package api

import (
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/query/filter"
)

// A filterBody contains the fields of a filter as keys of a JSON object, each with a value or a
// list of values. It ignores other keys, just as unknown query parameters are ignored.
type filterBody map[string]any

// JSONShape implements [rest.JSONShaper].
func (filterBody) JSONShape() any {
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

// addTo adds the fields of the body to f. The error names the invalid field.
func (b filterBody) addTo(f *filter.Filter) error {
	for key, value := range b {
		field := filter.Field(strings.ToLower(key))
		if !slices.Contains(filter.Fields, field) {
			continue
		}
		if field == filter.Category {
			value = formatNumbers(value)
		}
		text, ok := joinValues(value, field.Separator())
		if !ok {
			return earshot.InvalidBody("%s must be a string or a list of strings", key)
		}
		if text == "" {
			continue
		}
		if err := f.Add(field, text); err != nil {
			return earshot.InvalidBody("%s: %v", key, err)
		}
	}
	return nil
}

// formatNumbers converts numeric IDs to text.
func formatNumbers(value any) any {
	switch v := value.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		return jsonvalue.Map(v, formatNumbers)
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
		return strings.Join(parts, separator), true
	}
	return "", value == nil
}
