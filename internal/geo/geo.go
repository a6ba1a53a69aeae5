// Package geo knows the places that geography ids name: countries, their states
// and the cities of those, with where they lie and how many people live there.
// Finding the place that a free text means is left to internal/enrich.
//
// The gazetteer is compiled in (places.tsv.gz, see README.md) and read at the
// first question, into about 8 MB that stay. Questions about whole countries
// (FindCountry, ContinentName) have small tables of their own and leave it closed.
// What all of them hold never changes, so every function may be called at any time
// from anywhere.
package geo

import (
	"cmp"
	"slices"
	"strings"

	"earshot"
)

//go:generate go run ./gen -data ../../../shared/data/geo -out .

// An Item is a place and what is known of it.
type Item struct {
	Place      earshot.Place
	Name       string // California, where Place.State says CA
	Latitude   float64
	Longitude  float64
	Population int64 // 0: unknown. Of a state: the sum of its cities
}

// Lookup returns what is known of a place, which must be spelt exactly.
func Lookup(p earshot.Place) (Item, bool) {
	t := places()
	i, found := t.search(p)
	if !found {
		return Item{}, false
	}
	return t[i], true
}

// Countries returns all countries, by code.
func Countries() []Item {
	return places().filter(func(p earshot.Place) bool { return p.State == "" })
}

// States returns the states of a country, by id; none for an unknown country.
// A country without states has one that is named like it.
func States(country string) []Item {
	return places().within(country).filter(func(p earshot.Place) bool { return p.State != "" && p.City == "" })
}

// Cities returns the cities of a country, by state and then by name; none for an
// unknown country.
func Cities(country string) []Item {
	return places().within(country).filter(func(p earshot.Place) bool { return p.City != "" })
}

// All returns every place: each country is followed by its states, and each
// state by its cities, all in the order of their ids.
func All() []Item { return slices.Clone(places()) }

// A table lists places in the order of comparePlaces. Whatever contains a place
// thus comes before it, and the insides of a place lie side by side.
type table []Item

// search returns the index of p, or where it would be.
func (t table) search(p earshot.Place) (int, bool) {
	return slices.BinarySearchFunc(t, p, func(i Item, p earshot.Place) int { return comparePlaces(i.Place, p) })
}

// within returns the country and everything in it.
func (t table) within(country string) table {
	start, _ := t.search(earshot.Place{Country: country})
	end := start
	for end < len(t) && t[end].Place.Country == country {
		end++
	}
	return t[start:end]
}

func (t table) filter(keep func(earshot.Place) bool) []Item {
	items := []Item{}
	for _, i := range t {
		if keep(i.Place) {
			items = append(items, i)
		}
	}
	return items
}

func comparePlaces(p, q earshot.Place) int {
	return cmp.Or(
		strings.Compare(p.Country, q.Country),
		strings.Compare(p.State, q.State),
		strings.Compare(p.City, q.City),
	)
}
