package geo

import (
	"math"
	"testing"

	"earshot"
)

func TestNearest(t *testing.T) {
	f := func(what string, latitude, longitude float64, want string) {
		t.Helper()
		got, ok := Nearest(earshot.Point{Latitude: latitude, Longitude: longitude})
		if got.ID() != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", what, got.ID(), ok, want)
		}
	}
	f("Times Square", 40.758, -73.9855, "USA.NY.New York")
	f("the middle of Brooklyn", 40.65, -73.95, "USA.NY.Brooklyn")
	f("the White House", 38.8977, -77.0365, "USA.DC.Washington")
	f("Harvard Yard", 42.3744, -71.1169, "USA.MA.Cambridge")
	f("the Louvre", 48.8611, 2.3364, "FRA.Île-de-France.Paris")
	f("Brandenburg Gate", 52.5163, 13.3777, "DEU.State of Berlin.Berlin")
	f("Shibuya crossing", 35.6595, 139.7005, "JPN.Tokyo.Tokyo")
	f("Sydney Opera House", -33.8568, 151.2153, "AUS.New South Wales.Sydney")
	f("Suva, near the date line", -18.1416, 178.4419, "FJI.Central.Suva")
	f("Tromsø", 69.6496, 18.956, "NOR.Troms.Tromsø")

	f("Crater Lake, far from a city", 42.94, -122.1, "USA.OR")
	f("the Nullarbor, far from everything", -30.9, 129.5, "")
	f("the Simpson desert", -25.0, 135.5, "AUS")
	f("the middle of the Atlantic", 30, -45, "")
	f("the South Pole", -90, 0, "")
	f("the North Pole", 90, 180, "")
	f("the Gulf of Guinea, where unknown positions end up", 0, 0, "")
}

func TestNearestRejectsInvalidPoints(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, pt := range []earshot.Point{{Latitude: 91}, {Longitude: 181}, {Latitude: nan}, {Longitude: nan}, {Latitude: inf}, {Longitude: -inf}, {Latitude: 1e300, Longitude: -1e300}} {
		if got, ok := Nearest(pt); ok {
			t.Errorf("Nearest(%v) = %v, want nothing", pt, got)
		}
	}
}

// TestNearestAgainstEveryCity compares the search with a scan of all cities.
func TestNearestAgainstEveryCity(t *testing.T) {
	cities := (len(bandTable) - bandCities) / bandCitySize
	for n := range 400 {
		near := int(uint16At(bandTable, bandCities+(n*7919)%cities*bandCitySize+10))
		pt := earshot.Point{
			Latitude:  float64(latitudeOf(near))/degree + float64(n%41-20)/25,
			Longitude: float64(longitudeOf(near))/degree + float64(n%37-18)/20,
		}
		if math.Abs(pt.Latitude) > 90 || math.Abs(pt.Longitude) > 180 {
			continue
		}
		slow := newNearestSearch(pt)
		for i := range cities {
			slow.tryCity(i, 1000)
		}
		want, wantOK := slow.place()
		if got, ok := Nearest(pt); got != want || ok != wantOK {
			t.Errorf("Nearest(%v) = %v, %v, want %v, %v", pt, got, ok, want, wantOK)
		}
	}
}

func TestNearestAcrossTheDateLine(t *testing.T) {
	east := newNearestSearch(earshot.Point{Latitude: -16.8, Longitude: 179.999})
	west := newNearestSearch(earshot.Point{Latitude: -16.8, Longitude: -179.999})
	for _, s := range []*nearestSearch{&east, &west} {
		for away := 0; s.mayImprove(away, maxRadius); away++ {
			s.searchBand(s.band - away)
			s.searchBand(s.band + away)
		}
	}
	if east.city != west.city || math.Abs(east.best-west.best) > 1 {
		t.Errorf("east of the line %d at %.1f km, west of it %d at %.1f km, want the same", east.city, east.best, west.city, west.best)
	}
}

func BenchmarkNearest(b *testing.B) {
	for _, at := range []struct {
		name string
		pt   earshot.Point
	}{
		{"New York", earshot.Point{Latitude: 40.758, Longitude: -73.9855}},
		{"Lombardy", earshot.Point{Latitude: 45.6, Longitude: 9.3}},
		{"desert", earshot.Point{Latitude: -25, Longitude: 135.5}},
		{"ocean", earshot.Point{Latitude: 30, Longitude: -45}},
	} {
		b.Run(at.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Nearest(at.pt)
			}
		})
	}
}
