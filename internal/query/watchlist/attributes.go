package watchlist

import (
	"slices"
	"strings"
	"sync"

	"earshot"
	"earshot/internal/geo"
)

// languageChoice, places and genders are compiled choices: values that are included or excluded.
// Including lets no post through that has no value; excluding does. Who names all languages or
// all countries there are to choose from means all posts that have any, also one that cannot
// be chosen.
type (
	languageChoice struct {
		exclude, all bool
		codes        []string // lower case, as posts have them; none: no choice
	}
	placeChoice struct {
		exclude, all bool
		countries    []string        // whole ones, sorted
		parts        []earshot.Place // of others; none of both: no choice
	}
	genderChoice struct {
		exclude bool
		list    []earshot.Gender // none: no choice
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

// countryCount is how many countries there are.
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

// newGenderChoice is the choice of one gender, or of none.
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

// convertStrings returns names as a kind of their own.
func convertStrings[T ~string](names []string) []T {
	var all []T
	for _, name := range names {
		all = append(all, T(name))
	}
	return all
}
