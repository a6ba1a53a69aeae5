package analysis

import (
	"strings"

	"earshot"
	"earshot/internal/geo"
)

// allValues is the value that means all values.
const allValues = "all"

// A field describes the field of a form that a choice is about.
type field struct {
	name, plural string
	all          func() []string
	find         func(value string) (string, bool)
	unknown      func() string // explains why a value is invalid; follows the value in the message
}

var languages = field{
	name: "languages", plural: "languages",
	all:  func() []string { return earshot.Languages },
	find: earshot.FindLanguage,
	unknown: func() string {
		return "is not a supported language; use some of " + strings.Join(earshot.Languages, ", ")
	},
}

var locations = field{
	name: "locations", plural: "places",
	all: func() (ids []string) {
		for _, country := range geo.Countries() {
			ids = append(ids, country.Place.ID())
		}
		return ids
	},
	find: func(id string) (string, bool) {
		place, ok := geo.Find(id)
		return place.ID(), ok
	},
	unknown: func() string { return "is not a geography id like USA, USA.CA or USA.CA.San Diego" },
}

var genders = field{
	name: "gender", plural: "genders",
	all: func() []string { return []string{string(earshot.Male), string(earshot.Female)} },
	find: func(value string) (string, bool) {
		value = strings.ToUpper(value)
		return value, value == string(earshot.Male) || value == string(earshot.Female)
	},
	unknown: func() string { return "is neither M nor F" },
}

// parse returns a choice with normalized values. A nil choice and a choice without values, as
// monitors print it, match everything.
func (f field) parse(c *Choice) (chosen earshot.Choice, err error) {
	if c == nil {
		return chosen, nil
	}
	if chosen.Exclude, err = f.parseType(c.Type); err != nil {
		return chosen, err
	}
	switch {
	case c.Values == nil:
		return chosen, earshot.InvalidBody("%s.values is missing", f.name)
	case len(c.Values) == 0:
		return earshot.Choice{}, nil
	case len(c.Values) > maxChoiceValues:
		return chosen, earshot.InvalidBody("%s.values must list at most %d %s", f.name, maxChoiceValues, f.plural)
	case len(c.Values) == 1 && strings.EqualFold(strings.TrimSpace(c.Values[0]), allValues):
		chosen.Values = f.all()
		return chosen, nil
	}
	for i, value := range c.Values {
		known, ok := f.find(strings.TrimSpace(value))
		if !ok {
			return chosen, earshot.InvalidBody("%s.values[%d] '%s' %s", f.name, i, clip(value), f.unknown())
		}
		chosen.Values = append(chosen.Values, known)
	}
	return chosen, nil
}

func (f field) parseType(kind string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "include":
		return false, nil
	case "exclude":
		return true, nil
	case "":
		return false, earshot.InvalidBody("%s.type is missing", f.name)
	}
	return false, earshot.InvalidBody("%s.type must be include or exclude, not '%s'", f.name, clip(kind))
}
