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
// case, diacritics and dots in names, then tries ids of other services and earlier versions.
func Find(id string) (earshot.Place, bool) {
	if len(id) > maxIDLength {
		return earshot.Place{}, false
	}
	for p := range placesOfID(id) {
		if _, found := findIndex(p); found {
			return p, true
		}
	}
	if p, found := findFold(id); found {
		return p, true
	}
	for _, f := range formerIDs {
		if rest, found := cutPrefixFold(plainLetters(id), f[0]); found && (rest == "" || strings.HasSuffix(f[0], ".")) {
			return Find(f[1] + rest)
		}
	}
	return earshot.Place{}, false
}

// formerIDs maps ids that the original service or earlier versions sent to current ids. An id that
// ends with a dot stands for all ids that start with it.
var formerIDs = [][2]string{
	{"USA.NY.New York City", "USA.NY.New York"},
	{"USA.DC.Washington, DC", "USA.DC.Washington"},
	{"GBR.Greater London", "GBR.England.London"},
	{"GBR.Greater London.", "GBR.England."},
	{"COL.Bogota", "COL.Bogota D.C."},
	{"COL.Bogota.", "COL.Bogota D.C.."},
	{"ARG.Ciudad de Buenos Aires", "ARG.Buenos Aires F.D."},
	{"ARG.Ciudad de Buenos Aires.", "ARG.Buenos Aires F.D.."},
}

// cutPrefixFold is [strings.CutPrefix], but ignores case.
func cutPrefixFold(s, prefix string) (rest string, found bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

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

// findFold returns the place that id names, ignoring case and diacritics. Names may have their dots
// or none of them. If this fits several places, it prefers one whose id differs only in case. It scans
// the country, which is cheaper than keeping a second, rarely used index.
func findFold(id string) (found earshot.Place, ok bool) {
	country, _, divided := strings.Cut(id, ".")
	s, ok := countrySpans()[strings.ToUpper(country)]
	if !ok || !divided {
		return earshot.Place{Country: strings.ToUpper(country)}, ok
	}
	readings := slices.Collect(placesOfID(plainLetters(id)))
	inState := make([]bool, len(readings))
	for i := s.from + 1; i < s.to; i++ {
		isState, key := levelOf(i) == stateLevel, keyOf(i)
		for n, p := range readings {
			if isState {
				inState[n] = isSpelled(p.State, key)
			}
			if !inState[n] || isState != (p.City == "") || !isState && !isSpelled(p.City, key) {
				continue
			}
			if strings.EqualFold(placeAt(i).ID(), id) {
				return placeAt(i), true
			}
			if found.IsZero() {
				found = placeAt(i)
			}
		}
	}
	return found, !found.IsZero()
}

// isSpelled reports whether text, which has no diacritics, is the name of a place in ids, with or
// without its dots.
func isSpelled(text, name string) bool {
	name = plainLetters(name)
	return strings.EqualFold(text, name) || strings.EqualFold(text, strings.ReplaceAll(name, ".", ""))
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
