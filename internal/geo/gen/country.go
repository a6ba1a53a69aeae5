package main

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// minNamedPopulation is the minimum population of a country whose names in other languages are
// included. The names of smaller ones would be a quarter of the table.
const minNamedPopulation = 100_000

// compileCountries writes a line for each country, sorted by code: both codes, the
// English name and the continent.
func compileCountries(countries []row) []byte {
	var text bytes.Buffer
	for _, c := range sorted(countries, func(r row) string { return r["id"] }) {
		fmt.Fprintf(&text, "%s\t%s\t%s\t%s\n", c["id"], c["iso2"], c["name"], c["continent"])
	}
	return text.Bytes()
}

// compileCountryNames writes a line for each country of some size that has names in other
// languages, sorted by code: its code, then the names.
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
