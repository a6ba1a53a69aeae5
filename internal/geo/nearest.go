package geo

import (
	_ "embed"
	"math"

	"earshot"
)

// The embedded bands of latitude, a quarter of a degree each from the south: a
// directory of Bands+1 entries of four bytes, the number of the first city of each and
// the largest reach in it, and a record of twelve bytes for each city, from west to
// east: latitude, longitude, reach and the index of the place. Reaches are in
// hundredths of a kilometre. Parts of cities are left out.
//
//go:embed bandTable.bin
var bandTable string

// Bands is how many bands of latitude there are.
const Bands = 180*4 + 1

// Band returns the band of a latitude in hundred-thousandths of a degree.
func Band(latitude int32) int { return int(latitude+90*degree) * 4 / degree }

const (
	kilometersPerDegree = 111.195 // of a degree of latitude

	// How far, in kilometres from the edge of the nearest city, a point is still said
	// to be in that city, its state and its country.
	maxCityDistance    = 30
	maxStateDistance   = 100
	maxCountryDistance = 250

	cityDensity = 10_000 // people per square kilometre of a city
)

const (
	// RadiusUnit is how many units of a reach are a kilometre.
	RadiusUnit = 100

	maxRadius = 30 // kilometres; no city has more

	bandEntrySize = 4
	bandCitySize  = 12
	bandCities    = bandEntrySize * (Bands + 1) // where they begin
)

// CityRadius returns the radius of a city in kilometres, if it were round and as dense as
// cities usually are.
func CityRadius(population int64) float64 {
	return min(maxRadius, math.Sqrt(float64(population)/(cityDensity*math.Pi)))
}

// Nearest returns the city whose edge is nearest to a point and no farther away than
// 30 km. Up to 100 km the answer is the state of that city, up to 250 km its country;
// beyond there is nothing near. Where the edge is follows from how many people live in
// the city, so that a point in a large city is not said to be in a suburb. Parts of
// cities are not told apart from them.
func Nearest(pt earshot.Point) (earshot.Place, bool) {
	if !(math.Abs(pt.Latitude) <= 90 && math.Abs(pt.Longitude) <= 180) { // also when it is not a number
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

// A nearestSearch looks for the city with the nearest edge.
type nearestSearch struct {
	latitude, longitude int32
	band                int
	lonScale            float64 // kilometres of a degree of longitude here
	best                float64 // kilometres to the nearest edge so far
	city                int     // whose edge that is
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

// mayImprove reports whether a band so many bands away may have a nearer edge of a city
// with that reach.
func (s *nearestSearch) mayImprove(away int, reach float64) bool {
	return float64(away-1)*kilometersPerDegree/4-reach < s.best
}

// searchBand goes through the cities of a band, from where the point lies to the east
// and to the west, around the globe if need be.
func (s *nearestSearch) searchBand(band int) {
	if band < 0 || band >= Bands {
		return
	}
	entry := band * bandEntrySize
	from, to := int(uint16At(bandTable, entry)), int(uint16At(bandTable, entry+bandEntrySize))
	reach := float64(uint16At(bandTable, entry+2)) / RadiusUnit
	away := max(band-s.band, s.band-band)
	if from == to || !s.mayImprove(away, reach) {
		return
	}
	start := s.firstEast(from, to)
	for i := start; i < to && s.tryCity(i, reach); i++ {
	}
	for i := start - 1; i >= from && s.tryCity(i, reach); i-- {
	}
	for i := from; i < start && s.tryCity(i, reach); i++ { // beyond the date line
	}
	for i := to - 1; i >= start && s.tryCity(i, reach); i-- {
	}
}

// firstEast returns the first city of a band that does not lie to the west.
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

// tryCity compares a city with the best so far. It reports whether cities farther to the
// same side may still be better when none has a larger reach than given.
func (s *nearestSearch) tryCity(i int, largest float64) bool {
	at := bandCities + i*bandCitySize
	east := math.Abs(float64(int32(uint32At(bandTable, at+4)) - s.longitude))
	east = min(east, 360*degree-east) / degree * s.lonScale
	if east-largest > s.best {
		return false
	}
	north := float64(int32(uint32At(bandTable, at))-s.latitude) / degree * kilometersPerDegree
	reach := float64(uint16At(bandTable, at+8)) / RadiusUnit
	bound := s.best + reach
	if d2 := east*east + north*north; bound > 0 && d2 < bound*bound {
		s.best, s.city = math.Sqrt(d2)-reach, int(uint16At(bandTable, at+10))
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
