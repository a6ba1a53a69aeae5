// Package geo knows the places that geography ids name: countries, their states
// and the cities of those, with where they lie, how many people live there and what
// they are called. It finds the place that an id, a ZIP code, a position or a free
// text such as the location of a profile means.
//
// The gazetteer is compiled in (see README.md) and used where it lies: nothing is
// unpacked, the start costs nothing, and memory is what the questions touch. Questions
// about whole countries (FindCountry, ContinentName) have small tables of their own.
// What all of them hold never changes, so every function may be called at any time
// from anywhere.
package geo

import (
	"iter"

	"earshot"
)

//go:generate go run ./gen -data ../../../shared/data -out .

// ResolverVersion is that of the gazetteer and of how Resolve reads. With a new one, posts may
// be found to be from elsewhere.
const ResolverVersion = 1

// An Entry is a place and what is known of it.
type Entry struct {
	Place      earshot.Place
	Name       string // California, where Place.State says CA
	Latitude   float64
	Longitude  float64
	Population int64 // 0: unknown. Of a state: the sum of its cities
}

// Lookup returns what is known of a place, which must be spelt exactly.
func Lookup(p earshot.Place) (Entry, bool) {
	i, found := findIndex(p)
	if !found {
		return Entry{}, false
	}
	return entryAt(i), true
}

// Countries returns all countries, by code.
func Countries() []Entry { return list(span{0, placeCount()}, countryLevel) }

// States returns the states of a country, by id; none for an unknown country.
// A country without states has one that is named like it.
func States(country string) []Entry { return list(countrySpans()[country], stateLevel) }

// Cities returns the cities of a country, by state and then by name; none for an
// unknown country.
func Cities(country string) []Entry { return list(countrySpans()[country], cityLevel) }

// All yields every place: each country is followed by its states, and each state by
// its cities, all in the order of their ids.
func All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range placeCount() {
			if !yield(entryAt(i)) {
				return
			}
		}
	}
}

// list returns the places of a level within a span.
func list(s span, l level) []Entry {
	items := []Entry{}
	for i := s.from; i < s.to; i++ {
		if levelOf(i) == l {
			items = append(items, entryAt(i))
		}
	}
	return items
}
