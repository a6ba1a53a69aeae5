package geo

import (
	_ "embed"
	"math"
	"strconv"

	"earshot"
)

// The embedded latitude bands, each a quarter of a degree high, from south to north. The table
// starts with a directory of Bands+1 four-byte entries: the index of the band's first city and the
// maximum radius of its cities. A 12-byte record per city follows, sorted from west to east within
// a band: latitude, longitude, radius and the index of the place. Radii are in hundredths of a
// kilometer. Sections of cities are omitted.
//
//go:embed bands.bin
var bandTable string

// Bands is the number of latitude bands.
const Bands = 180*4 + 1

// Band returns the band for a latitude in units of 1e-5 degrees.
func Band(latitude int32) int { return int(latitude+90*degree) * 4 / degree }

const (
	kilometersPerDegree = 111.195 // of latitude

	// Maximum distance in kilometers from the edge of the nearest city for a point to count as in
	// that city, its state and its country.
	maxCityDistance    = 30
	maxStateDistance   = 100
	maxCountryDistance = 250

	cityDensity = 10_000 // people per square kilometer
)

const (
	// RadiusUnit is the number of stored radius units per kilometer.
	RadiusUnit = 100

	maxRadius = 30 // kilometers, for any city

	bandEntrySize = 4
	bandCitySize  = 12
	bandCities    = bandEntrySize * (Bands + 1) // offset of the first city
)

// CityRadius returns the radius in kilometers of a circular city of average density.
func CityRadius(population int64) float64 {
	return min(maxRadius, math.Sqrt(float64(population)/(cityDensity*math.Pi)))
}

// Nearest returns the city whose edge is nearest to a point, if it is at most 30 km away. Up to 100
// km it returns that city's state, up to 250 km its country, and beyond that false. The edge is
// estimated from the population, so that a point in a large city is not assigned to a suburb.
// Points in a section of a city belong to the city.
func Nearest(pt earshot.Point) (earshot.Place, bool) {
	if !(math.Abs(pt.Latitude) <= 90 && math.Abs(pt.Longitude) <= 180) { // also rejects NaN
		return earshot.Place{}, false
	}
	s := newNearestSearch(pt)
	for away := 0; s.mayImprove(away, maxRadius); away++ {
		s.searchBand(s.band - away)
		if away > 0 {
			s.searchBand(s.band + away)
		}
	}
	return s.place()
}

// A nearestSearch finds the city with the nearest edge.
type nearestSearch struct {
	latitude, longitude int32
	band                int
	lonScale            float64 // kilometers per degree of longitude at this latitude
	best                float64 // kilometers to the nearest edge found so far
	city                int     // the city with that edge, or -1
}

func newNearestSearch(pt earshot.Point) nearestSearch {
	latitude := int32(math.Round(pt.Latitude * degree))
	return nearestSearch{
		latitude:  latitude,
		longitude: int32(math.Round(pt.Longitude * degree)),
		band:      Band(latitude),
		lonScale:  kilometersPerDegree * math.Cos(pt.Latitude*math.Pi/180),
		best:      maxCountryDistance,
		city:      -1,
	}
}

// mayImprove reports whether a band this many bands away may contain a city of the given radius
// with a nearer edge.
func (s *nearestSearch) mayImprove(away int, radius float64) bool {
	return float64(away-1)*kilometersPerDegree/4-radius < s.best
}

// searchBand searches the cities of a band eastward and westward from the point, wrapping around
// the date line.
func (s *nearestSearch) searchBand(band int) {
	if band < 0 || band >= Bands {
		return
	}
	entry := band * bandEntrySize
	from, to := int(uint16At(bandTable, entry)), int(uint16At(bandTable, entry+bandEntrySize))
	radius := float64(uint16At(bandTable, entry+2)) / RadiusUnit
	away := max(band-s.band, s.band-band)
	if from == to || !s.mayImprove(away, radius) {
		return
	}
	start := s.firstEast(from, to)
	for i := start; i < to && s.tryCity(i, radius); i++ {
	}
	for i := start - 1; i >= from && s.tryCity(i, radius); i-- {
	}
	for i := from; i < start && s.tryCity(i, radius); i++ { // across the date line
	}
	for i := to - 1; i >= start && s.tryCity(i, radius); i-- {
	}
}

// firstEast returns the index of the band's first city that is not west of the point.
func (s *nearestSearch) firstEast(from, to int) int {
	for from < to {
		middle := (from + to) / 2
		if int32(uint32At(bandTable, bandCities+middle*bandCitySize+4)) < s.longitude {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// tryCity compares a city with the best one so far. It reports whether cities farther away on the
// same side may be better, given that none has a radius larger than bandRadius.
func (s *nearestSearch) tryCity(i int, bandRadius float64) bool {
	at := bandCities + i*bandCitySize
	east := math.Abs(float64(int32(uint32At(bandTable, at+4)) - s.longitude))
	east = min(east, 360*degree-east) / degree * s.lonScale
	if east-bandRadius > s.best {
		return false
	}
	north := float64(int32(uint32At(bandTable, at))-s.latitude) / degree * kilometersPerDegree
	radius := float64(uint16At(bandTable, at+8)) / RadiusUnit
	bound := s.best + radius
	if d2 := east*east + north*north; bound > 0 && d2 < bound*bound {
		s.best, s.city = math.Sqrt(d2)-radius, int(uint16At(bandTable, at+10))
	}
	return true
}

func (s *nearestSearch) place() (earshot.Place, bool) {
	switch {
	case s.city < 0:
		return earshot.Place{}, false
	case s.best <= maxCityDistance:
		return placeAt(s.city), true
	case s.best <= maxStateDistance:
		return placeAt(parentOf(s.city)), true
	}
	return placeAt(countryOf(s.city)), true
}

// findPoint returns the first coordinates in text: two decimal numbers such as 40.71,-74.00, which
// some apps write after their name or a pin.
func findPoint(text string) (earshot.Point, bool) {
	for i := 0; i < len(text); i++ {
		if !startsNumber(text, i) {
			continue
		}
		latitude, n := parseDecimal(text[i:], 'N', 'S')
		if n == 0 {
			i += skipNumber(text[i:])
			continue
		}
		rest := i + n
		for rest < len(text) && (text[rest] == ',' || text[rest] == ' ' || text[rest] == ';') {
			rest++
		}
		longitude, m := parseDecimal(text[rest:], 'E', 'W')
		if rest > i+n && m > 0 && math.Abs(latitude) <= 90 && math.Abs(longitude) <= 180 {
			return earshot.Point{Latitude: latitude, Longitude: longitude}, true
		}
		i += n - 1
	}
	return earshot.Point{}, false
}

func startsNumber(text string, i int) bool {
	return text[i] >= '0' && text[i] <= '9' || (text[i] == '-' || text[i] == '+') && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9'
}

// skipNumber returns one less than the length of the leading run of digits and dots in text.
func skipNumber(text string) int {
	n := 1
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] == '.') {
		n++
	}
	return n - 1
}

// parseDecimal parses a decimal number at the beginning of text, with an optional degree sign and
// direction letter. It returns the length of the match, or 0.
func parseDecimal(text string, positive, negative byte) (value float64, length int) {
	n, dots := 0, 0
	if n < len(text) && (text[n] == '-' || text[n] == '+') {
		n++
	}
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] == '.') {
		if text[n] == '.' {
			dots++
		}
		n++
	}
	if dots != 1 || n > 20 || text[n-1] == '.' {
		return 0, 0
	}
	value, err := strconv.ParseFloat(text[:n], 64)
	if err != nil {
		return 0, 0
	}
	const sign = "°"
	if len(text) >= n+len(sign) && text[n:n+len(sign)] == sign {
		n += len(sign)
	}
	for n+1 < len(text) && text[n] == ' ' && (text[n+1] == positive || text[n+1] == negative) {
		n++
	}
	if n < len(text) && (text[n] == positive || text[n] == negative) {
		if text[n] == negative {
			value = -value
		}
		n++
	}
	return value, n
}
