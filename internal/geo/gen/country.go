package main

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// minNamedPopulation is the minimum population of a country whose names in other languages are
// included. The names of smaller countries would make up a quarter of the table.
const minNamedPopulation = 100_000

// compileCountries writes one line per country, sorted by code: alpha-3 code, alpha-2 code, English
// name and continent.
func compileCountries(countries []row) []byte {
	var text bytes.Buffer
	for _, c := range sorted(countries, func(r row) string { return r["id"] }) {
		fmt.Fprintf(&text, "%s\t%s\t%s\t%s\n", c["id"], c["iso2"], c["name"], c["continent"])
	}
	return text.Bytes()
}

// compileCountryNames writes one line per country with at least minNamedPopulation people and names
// in other languages, sorted by code: the code followed by the names.
func compileCountryNames(countries []row) ([]byte, error) {
	var text bytes.Buffer
	for _, c := range sorted(countries, func(r row) string { return r["id"] }) {
		population, err := strconv.ParseInt(cmp.Or(c["population"], "0"), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("population of %s: %w", c["id"], err)
		}
		if names := c["alt_names"]; names != "" && population >= minNamedPopulation {
			fmt.Fprintf(&text, "%s\t%s\n", c["id"], strings.ReplaceAll(names, "|", "\t"))
		}
	}
	return text.Bytes(), nil
}
