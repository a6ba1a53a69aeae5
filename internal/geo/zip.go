package geo

import (
	_ "embed"
	"sort"

	"earshot"
)

// The embedded ZIP codes, in order: records of 14 bytes with the number, latitude and
// longitude in hundred-thousandths of a degree, and the index of the place.
//
//go:embed zips.bin
var zips string

const zipSize = 14

// FindZIP returns the place of a ZIP code of the United States, with or without the four
// digits behind it, and where it lies. The place is a city when the gazetteer has it,
// and else the state.
func FindZIP(code string) (earshot.Place, earshot.Point, bool) {
	number, ok := parseZIP(code)
	if !ok {
		return earshot.Place{}, earshot.Point{}, false
	}
	at, ok := findZIP(number)
	if !ok {
		return earshot.Place{}, earshot.Point{}, false
	}
	return placeAt(zipPlace(at)), earshot.Point{
		Latitude:  float64(int32(uint32At(zips, at+4))) / degree,
		Longitude: float64(int32(uint32At(zips, at+8))) / degree,
	}, true
}

// findZIP returns where the record of a ZIP code begins.
func findZIP(number int) (at int, ok bool) {
	n := len(zips) / zipSize
	i := sort.Search(n, func(i int) bool { return int(uint32At(zips, i*zipSize)) >= number })
	at = i * zipSize
	return at, i < n && int(uint32At(zips, at)) == number
}

// zipPlace returns the index of the place of a record.
func zipPlace(at int) int { return int(uint16At(zips, at+12)) }

// parseZIP reads 78701, 78701-1234 and 787011234.
func parseZIP(code string) (int, bool) {
	switch {
	case len(code) == 10 && code[5] == '-' && areDigits(code[6:]):
	case len(code) == 9 && areDigits(code[5:]):
	case len(code) == 5:
	default:
		return 0, false
	}
	number := 0
	for i := range 5 {
		if code[i] < '0' || code[i] > '9' {
			return 0, false
		}
		number = number*10 + int(code[i]-'0')
	}
	return number, true
}

func areDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}
