package geo

import (
	_ "embed"
	"sort"

	"earshot"
)

// The embedded ZIP codes, sorted, in 14-byte records: the code as a number, latitude and longitude
// in units of 1e-5 degrees, and the index of the place.
//
//go:embed zips.bin
var zipTable string

const zipSize = 14

// FindZIP returns the place for a US ZIP or ZIP+4 code and the coordinates of the code. The place
// is the city if the gazetteer has it, and the state otherwise.
func FindZIP(code string) (earshot.Place, earshot.Point, bool) {
	number, ok := parseZIP(code)
	if !ok {
		return earshot.Place{}, earshot.Point{}, false
	}
	at, ok := findZIPRecord(number)
	if !ok {
		return earshot.Place{}, earshot.Point{}, false
	}
	return placeAt(zipPlaceIndex(at)), earshot.Point{
		Latitude:  float64(int32(uint32At(zipTable, at+4))) / degree,
		Longitude: float64(int32(uint32At(zipTable, at+8))) / degree,
	}, true
}

// findZIPRecord returns the offset of a ZIP code's record.
func findZIPRecord(number int) (at int, ok bool) {
	n := len(zipTable) / zipSize
	i := sort.Search(n, func(i int) bool { return int(uint32At(zipTable, i*zipSize)) >= number })
	at = i * zipSize
	return at, i < n && int(uint32At(zipTable, at)) == number
}

// zipPlaceIndex returns the place index of the ZIP record at an offset.
func zipPlaceIndex(at int) int { return int(uint16At(zipTable, at+12)) }

// parseZIP parses 78701, 78701-1234 and 787011234.
func parseZIP(code string) (int, bool) {
	switch {
	case len(code) == 10 && code[5] == '-' && isDigits(code[6:]):
	case len(code) == 9 && isDigits(code[5:]):
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

func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}
