package main

import (
	"encoding/binary"
	"slices"

	"earshot/internal/geo"
)

// compileTowns encodes the table of towns in the format that package geo describes: the towns of
// ZIP codes that the gazetteer does not have, and the counties. It leaves out towns with the name of
// a common word, because "hope in" and "union me" are not about Indiana and Maine.
func compileTowns(g *gazetteer, zips []row, words map[string]bool) []byte {
	cities := citiesByName(g)
	var entries []uint32
	for _, z := range zips {
		in, ok := g.index["USA."+z["state"]]
		if !ok {
			continue // a military address
		}
		for _, name := range spellings(geo.Normalize(z["city"])) {
			if _, listed := cities[cityKeyInState{in, name}]; !listed && !words[name] {
				entries = append(entries, geo.TownEntry(name, z["state"]))
			}
		}
		if county := geo.Normalize(z["county"]); county != "" {
			for _, title := range countyTitles {
				entries = append(entries, geo.TownEntry(county+title, z["state"]))
			}
		}
	}
	slices.Sort(entries)
	var table []byte
	for _, e := range slices.Compact(entries) {
		table = binary.LittleEndian.AppendUint32(table, e)
	}
	return table
}

// countyTitles are the titles of counties. The source omits them.
var countyTitles = []string{" county", " co", " parish"}
