package geo

import (
	_ "embed"
	"sort"
	"strings"
	"sync"

	"earshot"
)

// The embedded gazetteer: each country is followed by its states, and each state by its cities, all
// sorted by id. It is read in place, so startup does no work and no part of it is on the heap.
//
// places.bin has a 20-byte record per place: the offset of its line in places.tsv, latitude and
// longitude in units of 1e-5 degrees, population, the index of its parent (for a country, its own
// index) and its time zone (a 1-based index into zones, or 0). The line contains the key used in
// ids, followed by the name if it differs from the key.
var (
	//go:embed places.bin
	placeRecords string
	//go:embed places.tsv
	placeNames string
)

const (
	recordSize = 20
	degree     = 1e5

	offsetOfLine       = 0
	offsetOfLatitude   = 4
	offsetOfLongitude  = 8
	offsetOfPopulation = 12
	offsetOfParent     = 16
	offsetOfZone       = 18
)

func placeCount() int { return len(placeRecords) / recordSize }

// uint32At and uint16At read little-endian integers from s.
func uint32At(s string, i int) uint32 {
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}

func uint16At(s string, i int) uint16 { return uint16(s[i]) | uint16(s[i+1])<<8 }

func latitudeOf(i int) int32 { return int32(uint32At(placeRecords, i*recordSize+offsetOfLatitude)) }

func longitudeOf(i int) int32 { return int32(uint32At(placeRecords, i*recordSize+offsetOfLongitude)) }

func populationOf(i int) int64 { return int64(uint32At(placeRecords, i*recordSize+offsetOfPopulation)) }

func parentOf(i int) int { return int(uint16At(placeRecords, i*recordSize+offsetOfParent)) }

func zoneOf(i int) int { return int(uint16At(placeRecords, i*recordSize+offsetOfZone)) }

// A level is a place's level in the hierarchy.
type level uint8

const (
	countryLevel level = iota
	stateLevel
	cityLevel
)

func levelOf(i int) level {
	parent := parentOf(i)
	switch {
	case parent == i:
		return countryLevel
	case parentOf(parent) == parent:
		return stateLevel
	}
	return cityLevel
}

// countryOf returns the index of a place's country.
func countryOf(i int) int { return parentOf(parentOf(i)) }

// isWithin reports whether place j contains place i. A place does not contain itself.
func isWithin(i, j int) bool { return i != j && (parentOf(i) == j || countryOf(i) == j) }

// labelOf returns a place's key in ids and its name.
func labelOf(i int) (key, name string) {
	start, end := uint32At(placeRecords, i*recordSize+offsetOfLine), len(placeNames)
	if i+1 < placeCount() {
		end = int(uint32At(placeRecords, (i+1)*recordSize+offsetOfLine))
	}
	line := placeNames[start : end-1] // without the newline
	if tab := strings.IndexByte(line, '\t'); tab >= 0 {
		return line[:tab], line[tab+1:]
	}
	return line, line
}

func keyOf(i int) string {
	key, _ := labelOf(i)
	return key
}

// placeAt returns the place at index i.
func placeAt(i int) earshot.Place {
	parent := parentOf(i)
	switch levelOf(i) {
	case countryLevel:
		return earshot.Place{Country: keyOf(i)}
	case stateLevel:
		return earshot.Place{Country: keyOf(parent), State: keyOf(i)}
	}
	return earshot.Place{Country: keyOf(parentOf(parent)), State: keyOf(parent), City: keyOf(i)}
}

func pointAt(i int) earshot.Point {
	return earshot.Point{Latitude: float64(latitudeOf(i)) / degree, Longitude: float64(longitudeOf(i)) / degree}
}

func entryAt(i int) Entry {
	_, name := labelOf(i)
	at := pointAt(i)
	return Entry{Place: placeAt(i), Name: name, Latitude: at.Latitude, Longitude: at.Longitude, Population: populationOf(i)}
}

// A span is the range [from, to) of a country's places. The country itself comes first.
type span struct{ from, to int }

// countrySpans maps country codes to spans.
var countrySpans = sync.OnceValue(func() map[string]span {
	spans := map[string]span{}
	for from := 0; from < placeCount(); {
		to := from + 1
		for to < placeCount() && countryOf(to) == from {
			to++
		}
		spans[keyOf(from)] = span{from, to}
		from = to
	}
	return spans
})

// usa returns the index of the USA.
var usa = sync.OnceValue(func() int { return countrySpans()["USA"].from })

func isUSState(i int) bool { return parentOf(i) == usa() && i != usa() }

// findIndex returns the index of p.
func findIndex(p earshot.Place) (int, bool) {
	s, ok := countrySpans()[p.Country]
	if !ok {
		return 0, false
	}
	i := s.from + sort.Search(s.to-s.from, func(n int) bool { return !isBefore(s.from+n, p) })
	return i, i < s.to && placeAt(i) == p
}

// isBefore reports whether place i sorts before p. Both must be in the same country.
func isBefore(i int, p earshot.Place) bool {
	state, city := "", ""
	switch levelOf(i) {
	case stateLevel:
		state = keyOf(i)
	case cityLevel:
		state, city = keyOf(parentOf(i)), keyOf(i)
	}
	return state < p.State || state == p.State && city < p.City
}
