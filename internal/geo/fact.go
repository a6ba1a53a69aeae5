package geo

import (
	_ "embed"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"sync"

	"earshot"
)

//go:embed zones.txt
var packedZones string

// zones are the names of time zones, in the order of their numbers.
var zones = sync.OnceValue(func() []string { return strings.Split(packedZones, "\n") })

// Checksum returns a text that changes whenever the gazetteer does.
func Checksum() string { return checksum() }

var checksum = sync.OnceValue(func() string {
	return fmt.Sprintf("%08x%08x", crc32.ChecksumIEEE([]byte(placeRecords)), crc32.ChecksumIEEE([]byte(placeNames)))
})

// Population returns how many people live in a place, which must be spelt exactly,
// and 0 when that is unknown. That of a state is the sum of its listed cities, and so
// a little too low.
func Population(p earshot.Place) int64 {
	i, found := findIndex(p)
	if !found {
		return 0
	}
	return populationOf(i)
}

// TimeZone returns the name of the time zone of a place, like Europe/Berlin. That of
// a state or a country is that of its largest city.
func TimeZone(p earshot.Place) (string, bool) {
	i, found := findIndex(p)
	if !found || zoneOf(i) == 0 {
		return "", false
	}
	return zones()[zoneOf(i)-1], true
}

// TimeZones returns the names of the time zones that places are in, by name.
func TimeZones() []string { return slices.Clone(zones()) }
