package main

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"earshot/internal/geo"
)

// compileBands encodes the latitude bands in the format that package geo describes. Sections of
// cities are omitted.
func compileBands(g *gazetteer) []byte {
	var cities []int
	for i, p := range g.places {
		if p.level == city && !p.isSection {
			cities = append(cities, i)
		}
	}
	band := func(i int) int { return geo.Band(g.places[i].point.lat) }
	slices.SortFunc(cities, func(a, b int) int {
		return cmp.Or(cmp.Compare(band(a), band(b)), cmp.Compare(g.places[a].point.lon, g.places[b].point.lon), cmp.Compare(a, b))
	})
	var directory, body []byte
	next := 0
	for b := range geo.Bands {
		first, largest := next, uint16(0)
		for ; next < len(cities) && band(cities[next]) == b; next++ {
			p := g.places[cities[next]]
			reach := uint16(math.Round(geo.CityRadius(p.population) * geo.RadiusUnit))
			largest = max(largest, reach)
			body = binary.LittleEndian.AppendUint32(body, uint32(p.point.lat))
			body = binary.LittleEndian.AppendUint32(body, uint32(p.point.lon))
			body = binary.LittleEndian.AppendUint16(body, reach)
			body = binary.LittleEndian.AppendUint16(body, uint16(cities[next]))
		}
		directory = binary.LittleEndian.AppendUint16(directory, uint16(first))
		directory = binary.LittleEndian.AppendUint16(directory, largest)
	}
	directory = binary.LittleEndian.AppendUint32(directory, uint32(next))
	return append(directory, body...)
}
