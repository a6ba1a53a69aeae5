package watchlist

import (
	"slices"
	"strings"
	"sync"

	"earshot"
	"earshot/internal/geo"
)

// Compiled choices of included or excluded values. An inclusion rejects posts without a value. An
// exclusion accepts them. A choice of all languages or all countries means any value, even a value
// that cannot be chosen.
type (
	languageChoice struct {
		exclude, all bool
		codes        []string // lowercase, as in posts; empty means no choice
	}
	placeChoice struct {
		exclude, all bool
		countries    []string        // countries chosen as a whole, sorted
		parts        []earshot.Place // parts of other countries; if both lists are empty, there is no choice
	}
	genderChoice struct {
		exclude bool
		list    []earshot.Gender // empty means no choice
	}
)

func newLanguageChoice(c earshot.Choice) languageChoice {
	l := languageChoice{exclude: c.Exclude}
	for _, code := range c.Values {
		l.codes = append(l.codes, strings.ToLower(code))
	}
	l.all = !slices.ContainsFunc(earshot.Languages, func(code string) bool {
		return !slices.Contains(l.codes, strings.ToLower(code))
	})
	return l
}

func (l languageChoice) isSet() bool { return len(l.codes) > 0 }

func (l languageChoice) allow(code string) bool {
	switch {
	case !l.isSet():
		return true
	case l.all:
		return (code != "") != l.exclude
	}
	return slices.Contains(l.codes, code) != l.exclude
}

func newPlaceChoice(c earshot.Choice) (placeChoice, error) {
	p := placeChoice{exclude: c.Exclude}
	for _, id := range c.Values {
		place, ok := geo.Find(id)
		if !ok {
			return placeChoice{}, earshot.Errorf(earshot.Invalid, "Unknown place '%s'", id)
		}
		if place == (earshot.Place{Country: place.Country}) {
			p.countries = append(p.countries, place.Country)
		} else {
			p.parts = append(p.parts, place)
		}
	}
	slices.Sort(p.countries)
	p.countries = slices.Compact(p.countries)
	p.all = len(p.countries) == countryCount()
	return p, nil
}

var countryCount = sync.OnceValue(func() int { return len(geo.Countries()) })

func (p placeChoice) isSet() bool { return len(p.countries)+len(p.parts) > 0 }

func (p placeChoice) allow(place earshot.Place) bool {
	switch {
	case !p.isSet():
		return true
	case p.all:
		return !place.IsZero() != p.exclude
	}
	return p.has(place) != p.exclude
}

func (p placeChoice) has(place earshot.Place) bool {
	if _, listed := slices.BinarySearch(p.countries, place.Country); listed {
		return true
	}
	return slices.ContainsFunc(p.parts, func(part earshot.Place) bool { return part.Contains(place) })
}

// newGenderChoice returns the choice of one gender. An empty gender means no choice.
func newGenderChoice(g earshot.Gender) genderChoice {
	if g == "" {
		return genderChoice{}
	}
	return genderChoice{list: []earshot.Gender{g}}
}

func (g genderChoice) isSet() bool { return len(g.list) > 0 }

func (g genderChoice) allow(gender earshot.Gender) bool {
	return !g.isSet() || slices.Contains(g.list, gender) != g.exclude
}

func convertStrings[T ~string](list []string) []T {
	var converted []T
	for _, s := range list {
		converted = append(converted, T(s))
	}
	return converted
}
