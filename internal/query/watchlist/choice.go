package watchlist

import (
	"slices"
	"strings"
	"sync"

	"earshot"
	"earshot/internal/geo"
)

// languages, places and genders are compiled choices: values that are included or excluded.
// Including lets no post through that has no value; excluding does. Who names all languages or
// all countries there are to choose from means all posts that have any, also one that cannot
// be chosen.
type (
	languages struct {
		exclude, all bool
		codes        []string // lower case, as posts have them; none: no choice
	}
	places struct {
		exclude, all bool
		countries    []string        // whole ones, sorted
		parts        []earshot.Place // of others; none of both: no choice
	}
	genders struct {
		exclude bool
		list    []earshot.Gender // none: no choice
	}
)

func newLanguages(c earshot.Choice) languages {
	l := languages{exclude: c.Exclude}
	for _, code := range c.Values {
		l.codes = append(l.codes, strings.ToLower(code))
	}
	l.all = !slices.ContainsFunc(earshot.Languages, func(code string) bool {
		return !slices.Contains(l.codes, strings.ToLower(code))
	})
	return l
}

func (l languages) isSet() bool { return len(l.codes) > 0 }

func (l languages) allow(code string) bool {
	switch {
	case !l.isSet():
		return true
	case l.all:
		return (code != "") != l.exclude
	}
	return slices.Contains(l.codes, code) != l.exclude
}

func newPlaces(c earshot.Choice) (places, error) {
	p := places{exclude: c.Exclude}
	for _, id := range c.Values {
		place, ok := geo.Find(id)
		if !ok {
			return places{}, earshot.Errorf(earshot.Invalid, "Unknown place '%s'", id)
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

func (p places) isSet() bool { return len(p.countries)+len(p.parts) > 0 }

func (p places) allow(place earshot.Place) bool {
	switch {
	case !p.isSet():
		return true
	case p.all:
		return !place.IsZero() != p.exclude
	}
	return p.has(place) != p.exclude
}

func (p places) has(place earshot.Place) bool {
	if _, listed := slices.BinarySearch(p.countries, place.Country); listed {
		return true
	}
	return slices.ContainsFunc(p.parts, func(part earshot.Place) bool { return part.Contains(place) })
}

// newGenders is the choice of one gender, or of none.
func newGenders(g earshot.Gender) genders {
	if g == "" {
		return genders{}
	}
	return genders{list: []earshot.Gender{g}}
}

func (g genders) isSet() bool { return len(g.list) > 0 }

func (g genders) allow(gender earshot.Gender) bool {
	return !g.isSet() || slices.Contains(g.list, gender) != g.exclude
}

// namesOf returns names as a kind of their own.
func namesOf[T ~string](names []string) []T {
	var all []T
	for _, name := range names {
		all = append(all, T(name))
	}
	return all
}
