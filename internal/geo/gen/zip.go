package main

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"earshot/internal/geo"
)

// compileZIPs encodes the table of ZIP codes in the format that package geo describes. The ZIP code
// of an unlisted city maps to its state.
func compileZIPs(g *gazetteer, zips []row) ([]byte, error) {
	cities := citiesByName(g)
	var table []byte
	last := -1
	for _, z := range sorted(zips, func(r row) string { return r["zip"] }) {
		code, err := strconv.Atoi(z["zip"])
		if err != nil || len(z["zip"]) != 5 || code <= last {
			return nil, fmt.Errorf("%q is not a ZIP code or is a duplicate", z["zip"])
		}
		last = code
		in, ok := g.index["USA."+z["state"]]
		if !ok {
			continue // a military address
		}
		to, ok := cities[cityKeyInState{in, geo.Normalize(z["city"])}]
		if !ok {
			to = in
		}
		at, err := parsePoint(z["lat"], z["lon"])
		if err != nil {
			return nil, fmt.Errorf("position of %s: %w", z["zip"], err)
		}
		table = binary.LittleEndian.AppendUint32(table, uint32(code))
		table = binary.LittleEndian.AppendUint32(table, uint32(at.lat))
		table = binary.LittleEndian.AppendUint32(table, uint32(at.lon))
		table = binary.LittleEndian.AppendUint16(table, uint16(to))
	}
	return table, nil
}

// A cityKeyInState identifies a city by its state's index and its normalized name.
type cityKeyInState struct {
	state    int
	spelling string
}

// citiesByName maps names to cities. If several cities in a state share a name, it prefers one
// whose main name it is, then the largest.
func citiesByName(g *gazetteer) map[cityKeyInState]int {
	cities := map[cityKeyInState]int{}
	for i, p := range g.places {
		for n, name := range p.names {
			if p.level != city {
				continue
			}
			key := cityKeyInState{p.parent, geo.Normalize(name)}
			other, taken := cities[key]
			own := n < 2 // the first two are the name and its ASCII spelling
			switch {
			case !taken || own && !isOwnName(g.places[other], key.spelling):
				cities[key] = i
			case own == isOwnName(g.places[other], key.spelling) && p.population > g.places[other].population:
				cities[key] = i
			}
		}
	}
	return cities
}

func isOwnName(p place, spelling string) bool {
	return geo.Normalize(p.names[0]) == spelling || geo.Normalize(p.names[1]) == spelling
}
