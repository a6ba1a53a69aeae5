// Package geo is a gazetteer of the places that geography ids name: countries, states and
// cities, with their coordinates, populations and names. It finds the place of an id, a ZIP
// code, a point or a free text such as the location of a profile.
//
// The gazetteer is embedded in the program (see README.md) and used in place: nothing is
// unpacked, startup costs nothing, and memory is what queries touch. Queries about countries
// ([FindCountry], [ContinentName]) have small tables of their own. All tables are immutable,
// so every function is safe for parallel use.
package geo

import (
	_ "embed"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"
	"strings"
	"sync"

	"earshot"
)

//go:generate go run ./gen -data ../../../shared/data -out .

// ResolverVersion is the version of the gazetteer and of the rules of [Resolve]. A new version
// may resolve posts to other places.
const ResolverVersion = 1

// An Entry is an entry of the gazetteer: a place and its facts.
type Entry struct {
	Place      earshot.Place
	Name       string // California, where Place.State is CA
	Latitude   float64
	Longitude  float64
	Population int64 // 0: unknown. Of a state: the sum of its cities
}

// Lookup returns the entry of a place, which must be spelled exactly.
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

// All yields every entry: each country, followed by its states, each followed by its cities,
// all in the order of their ids.
func All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range placeCount() {
			if !yield(entryAt(i)) {
				return
			}
		}
	}
}

// list returns the entries of a level within a span.
func list(s span, l level) []Entry {
	entries := []Entry{}
	for i := s.from; i < s.to; i++ {
		if levelOf(i) == l {
			entries = append(entries, entryAt(i))
		}
	}
	return entries
}

// maxIDLength bounds the work that an invalid id can cause. The longest real id has less than
// half as many bytes.
const maxIDLength = 200

// Find returns the place that a geography id names. It prefers the exact spelling, and
// otherwise ignores case.
func Find(id string) (earshot.Place, bool) {
	if len(id) > maxIDLength {
		return earshot.Place{}, false
	}
	for p := range placesOfID(id) {
		if _, found := findIndex(p); found {
			return p, true
		}
	}
	if now, ok := formerIDs[id]; ok {
		return Find(now)
	}
	return findFold(id)
}

// formerIDs maps ids of earlier versions, which may be stored, to current ones.
var formerIDs = map[string]string{"USA.NY.New York City": "USA.NY.New York"}

// placesOfID yields the places that id may mean. There are several because names
// contain dots too: JAM.St. Elizabeth is a state, not the city " Elizabeth" of JAM.St.
func placesOfID(id string) iter.Seq[earshot.Place] {
	return func(yield func(earshot.Place) bool) {
		country, rest, divided := strings.Cut(id, ".")
		if !divided {
			yield(earshot.Place{Country: country})
			return
		}
		if rest == "" || !yield(earshot.Place{Country: country, State: rest}) {
			return
		}
		for i := 1; i < len(rest)-1; i++ {
			if rest[i] == '.' && !yield(earshot.Place{Country: country, State: rest[:i], City: rest[i+1:]}) {
				return
			}
		}
	}
}

// findFold returns the place that id names, ignoring case. A scan of the country is cheap
// compared to a second index that is hardly ever used.
func findFold(id string) (earshot.Place, bool) {
	country, rest, divided := strings.Cut(id, ".")
	s := countrySpans()[strings.ToUpper(country)]
	for i := s.from; i < s.to; i++ {
		if p := placeAt(i); divided == (p.State != "") && matchesIDFold(rest, p) {
			return p, true
		}
	}
	return earshot.Place{}, false
}

// matchesIDFold reports whether rest is the part of the id of p after the country, ignoring
// case.
func matchesIDFold(rest string, p earshot.Place) bool {
	if p.City == "" {
		return strings.EqualFold(rest, p.State)
	}
	dot := len(p.State)
	return len(rest) == dot+1+len(p.City) && rest[dot] == '.' &&
		strings.EqualFold(rest[:dot], p.State) && strings.EqualFold(rest[dot+1:], p.City)
}

//go:embed zones.txt
var packedZones string

// zones are the names of time zones, in the order of their numbers.
var zones = sync.OnceValue(func() []string { return strings.Split(packedZones, "\n") })

// Checksum returns a checksum of the gazetteer.
func Checksum() string { return checksum() }

var checksum = sync.OnceValue(func() string {
	return fmt.Sprintf("%08x%08x", crc32.ChecksumIEEE([]byte(placeRecords)), crc32.ChecksumIEEE([]byte(placeNames)))
})

// TimeZone returns the name of the time zone of a place, like Europe/Berlin. A state or
// country has that of its largest city.
func TimeZone(p earshot.Place) (string, bool) {
	i, found := findIndex(p)
	if !found || zoneOf(i) == 0 {
		return "", false
	}
	return zones()[zoneOf(i)-1], true
}

// TimeZones returns the names of all time zones that places are in, sorted.
func TimeZones() []string { return slices.Clone(zones()) }
