// Package geo is a gazetteer of countries, states and cities, with their ids, names, coordinates
// and populations. It finds the place for a geography id, a ZIP code, a point, or free text such as
// a profile location.
//
// The gazetteer is embedded in the binary (see README.md) and read in place: nothing is unpacked at
// startup, and only the pages that lookups touch use memory. Country lookups ([FindCountry],
// [ContinentName]) use small tables of their own. All tables are immutable, so every function is
// safe for concurrent use.
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

// ResolverVersion is the version of the gazetteer and of the rules in [Resolve]. Increase it when
// posts may resolve to different places.
const ResolverVersion = 2

// An Entry is a gazetteer entry: a place and its attributes.
type Entry struct {
	Place      earshot.Place
	Name       string // for example California, where Place.State is CA
	Latitude   float64
	Longitude  float64
	Population int64 // 0 if unknown. For a state, the sum of its cities
}

// Lookup returns the entry of a place. The spelling must match exactly.
func Lookup(p earshot.Place) (Entry, bool) {
	i, found := findIndex(p)
	if !found {
		return Entry{}, false
	}
	return entryAt(i), true
}

// Countries returns all countries, sorted by code.
func Countries() []Entry { return list(span{0, placeCount()}, countryLevel) }

// States returns the states of a country, sorted by id, or an empty list if the country is unknown.
// A country without states has a single state with the country's name.
func States(country string) []Entry { return list(countrySpans()[country], stateLevel) }

// Cities returns the cities of a country, sorted by state and then by name, or an empty list if the
// country is unknown.
func Cities(country string) []Entry { return list(countrySpans()[country], cityLevel) }

// All yields every entry: each country followed by its states, and each state followed by its
// cities, all sorted by id.
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

// maxIDLength limits the work that an invalid id can cause. The longest real id has less than half
// as many bytes.
const maxIDLength = 200

// Find returns the place that a geography id names. It tries the exact spelling first, then ignores
// case.
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

// formerIDs maps ids from earlier versions, which may still be stored, to current ids.
var formerIDs = map[string]string{"USA.NY.New York City": "USA.NY.New York"}

// placesOfID yields the places that id may mean. There can be several because names also contain
// dots: JAM.St. Elizabeth is a state, not the city " Elizabeth" in the state JAM.St.
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

// findFold returns the place that id names, ignoring case. It scans the country, which is cheaper
// than keeping a second, rarely used index.
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

// matchesIDFold reports whether rest, the id without the country, matches p, ignoring case.
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

// zones lists the time zone names. Places store 1-based indexes into it.
var zones = sync.OnceValue(func() []string { return strings.Split(packedZones, "\n") })

// Checksum returns a checksum of the gazetteer.
func Checksum() string { return checksum() }

var checksum = sync.OnceValue(func() string {
	return fmt.Sprintf("%08x%08x", crc32.ChecksumIEEE([]byte(placeRecords)), crc32.ChecksumIEEE([]byte(placeNames)))
})

// TimeZone returns the name of a place's time zone, for example Europe/Berlin. A state or country
// has the time zone of its largest city.
func TimeZone(p earshot.Place) (string, bool) {
	i, found := findIndex(p)
	if !found || zoneOf(i) == 0 {
		return "", false
	}
	return zones()[zoneOf(i)-1], true
}

// TimeZones returns the names of all time zones in the gazetteer, sorted. The caller may modify the
// list.
func TimeZones() []string { return slices.Clone(zones()) }
