package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Levels of places.
const (
	country = iota
	state
	city
)

// A place is a record of the gazetteer.
type place struct {
	level      int
	id         string // geography id
	key        string // last part of the id
	alpha2     string // two-letter code of a country
	name       string
	names      []string // other spellings; a city's first two are its name and ASCII name
	point      point
	population int64
	parent     int  // index of the containing place; a country's own index
	zone       int  // 1-based index into zones, or 0
	isCapital  bool // of a country
	isSection  bool // part of another city
	isBorough  bool // a section so large that people name it as their city
}

// A point is a position in units of 1e-5 degrees, the precision of the source.
type point struct{ lat, lon int32 }

// A gazetteer lists each country followed by its states, and each state followed by its cities, all
// sorted by key.
type gazetteer struct {
	places []place
	index  map[string]int // by id
	zones  []string
}

// boroughs are parts of a city that the source lists as cities.
var boroughs = []string{"USA.NY.Brooklyn", "USA.NY.Manhattan", "USA.NY.Queens", "USA.NY.Staten Island", "USA.NY.The Bronx"}

// newGazetteer builds a gazetteer from the three tables.
func newGazetteer(countries, states, cities []row) (*gazetteer, error) {
	statesOf := groupBy(states, func(r row) string { return r["country"] })
	citiesOf := groupBy(cities, func(r row) string { return r["country"] + "." + r["state"] })
	if err := checkParents(countries, statesOf, citiesOf); err != nil {
		return nil, err
	}
	g := &gazetteer{index: map[string]int{}, zones: zonesOf(cities)}
	for _, c := range sorted(countries, func(r row) string { return r["id"] }) {
		inCountry, err := g.add(country, 0, c["id"], c)
		if err != nil {
			return nil, err
		}
		for _, s := range sorted(statesOf[c["id"]], stateKey) {
			inState, err := g.add(state, inCountry, stateKey(s), s)
			if err != nil {
				return nil, err
			}
			for _, t := range sorted(citiesOf[c["id"]+"."+s["state"]], cityKey) {
				if _, err := g.add(city, inState, cityKey(t), t); err != nil {
					return nil, err
				}
			}
		}
	}
	g.aggregate()
	return g, nil
}

// add appends a place and returns its index.
func (g *gazetteer) add(level, parent int, key string, r row) (int, error) {
	i := len(g.places)
	p := place{level: level, id: key, key: key, parent: parent}
	if level == country {
		p.parent = i
	} else {
		p.id = g.places[parent].id + "." + key
	}
	if err := p.read(r); err != nil {
		return 0, err
	}
	if r["lat"] == "" && level == state { // no cities; use the country's position
		p.point = g.places[parent].point
	}
	if level == city {
		p.zone = 1 + slices.Index(g.zones, r["timezone"])
	}
	if _, taken := g.index[p.id]; taken {
		return 0, fmt.Errorf("two places have the id %s", p.id)
	}
	g.index[p.id] = i
	g.places = append(g.places, p)
	return i, nil
}

// read sets the fields that do not depend on other places.
func (p *place) read(r row) error {
	p.name, p.alpha2 = r["name"], r["iso2"]
	if p.level == city {
		p.name = p.key
		p.names = []string{r["name"], r["asciiname"]}
		p.isCapital = r["feature"] == "PPLC"
		p.isSection = r["feature"] == "PPLX"
		p.isBorough = slices.Contains(boroughs, p.id)
	}
	if r["alt_names"] != "" {
		p.names = append(p.names, strings.Split(r["alt_names"], "|")...)
	}
	var err error
	if p.point, err = parsePoint(r["lat"], r["lon"]); err != nil {
		return fmt.Errorf("position of %s: %w", p.id, err)
	}
	if r["population"] == "" { // states have none; aggregate computes it
		return nil
	}
	people, err := strconv.ParseUint(r["population"], 10, 32)
	if err != nil {
		return fmt.Errorf("invalid population of %s: %q", p.id, r["population"])
	}
	p.population = int64(people)
	return nil
}

// aggregate sets the population of each state to the sum of its cities, excluding sections and
// boroughs, which are part of a listed city. It sets the time zone of states and countries to that
// of their largest city.
func (g *gazetteer) aggregate() {
	largest := make([]int64, len(g.places))
	for _, t := range g.places {
		if t.level != city {
			continue
		}
		s := &g.places[t.parent]
		if !t.isSection && !t.isBorough {
			s.population += t.population
		}
		for _, i := range []int{t.parent, s.parent} {
			if g.places[i].zone == 0 || t.population > largest[i] {
				largest[i], g.places[i].zone = t.population, t.zone
			}
		}
	}
}

// encode returns the records and the text they point into, in the format that package geo
// describes.
func (g *gazetteer) encode() (records, text []byte) {
	for _, p := range g.places {
		records = binary.LittleEndian.AppendUint32(records, uint32(len(text)))
		records = binary.LittleEndian.AppendUint32(records, uint32(p.point.lat))
		records = binary.LittleEndian.AppendUint32(records, uint32(p.point.lon))
		records = binary.LittleEndian.AppendUint32(records, uint32(p.population))
		records = binary.LittleEndian.AppendUint16(records, uint16(p.parent))
		records = binary.LittleEndian.AppendUint16(records, uint16(p.zone))
		text = append(text, p.key...)
		if p.name != p.key {
			text = append(append(text, '\t'), p.name...)
		}
		text = append(text, '\n')
	}
	return records, text
}

// parsePoint parses degrees. An empty string is 0.
func parsePoint(lat, lon string) (point, error) {
	y, err := parseDegrees(lat)
	if err != nil {
		return point{}, err
	}
	x, err := parseDegrees(lon)
	return point{lat: y, lon: x}, err
}

func parseDegrees(text string) (int32, error) {
	if text == "" {
		return 0, nil
	}
	degrees, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, err
	}
	if !(math.Abs(degrees) <= 180) {
		return 0, fmt.Errorf("%s degrees is out of range", text)
	}
	return int32(math.Round(degrees * 1e5)), nil
}

func zonesOf(cities []row) []string {
	var zones []string
	for _, t := range cities {
		zones = append(zones, t["timezone"])
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

// checkParents fails if a place would be dropped because its parent is missing.
func checkParents(countries []row, statesOf, citiesOf map[string][]row) error {
	known := map[string]bool{}
	for _, c := range countries {
		known[c["id"]] = true
	}
	for country, states := range statesOf {
		if !known[country] {
			return fmt.Errorf("states reference the unknown country %q", country)
		}
		for _, s := range states {
			known[country+"."+s["state"]] = true
		}
	}
	for state := range citiesOf {
		if !known[state] {
			return fmt.Errorf("cities reference the unknown state %q", state)
		}
	}
	return nil
}

// commonNames maps ids to the names that people use instead of the official ones.
var commonNames = map[string]string{"USA.NY.New York City": "New York"}

// postalCodes are the keys of the Canadian provinces and territories, which the source lists by
// name.
var postalCodes = map[string]string{
	"Alberta":                   "AB",
	"British Columbia":          "BC",
	"Manitoba":                  "MB",
	"New Brunswick":             "NB",
	"Newfoundland and Labrador": "NL",
	"Northwest Territories":     "NT",
	"Nova Scotia":               "NS",
	"Nunavut":                   "NU",
	"Ontario":                   "ON",
	"Prince Edward Island":      "PE",
	"Quebec":                    "QC",
	"Saskatchewan":              "SK",
	"Yukon":                     "YT",
}

// stateKey returns the state's part of a geography id.
func stateKey(r row) string {
	if code, ok := postalCodes[r["state"]]; ok && r["country"] == "CAN" {
		return code
	}
	return r["state"]
}

// cityKey returns the city's part of a geography id.
func cityKey(r row) string {
	return cmp.Or(commonNames[r["country"]+"."+r["state"]+"."+r["name"]], r["name"])
}
