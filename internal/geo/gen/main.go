// Gen compiles the tables that package geo embeds from three GeoNames tables:
// places.tsv.gz, countries.tsv and countrynames.tsv.gz.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "folder of countries.tsv.gz, admin1.tsv.gz and cities.tsv.gz")
	out := flag.String("out", ".", "folder to write into")
	flag.Parse()
	if err := run(*data, *out); err != nil {
		log.Fatal(err)
	}
}

func run(data, out string) error {
	made, err := compileFolder(data)
	if err != nil {
		return err
	}
	for name, text := range made {
		if err := write(filepath.Join(out, name), text); err != nil {
			return err
		}
	}
	return nil
}

// compileFolder returns the text of each table to write, by file name.
func compileFolder(data string) (map[string][]byte, error) {
	countries, err := readTable(filepath.Join(data, "countries.tsv.gz"))
	if err != nil {
		return nil, err
	}
	states, err := readTable(filepath.Join(data, "admin1.tsv.gz"))
	if err != nil {
		return nil, err
	}
	cities, err := readTable(filepath.Join(data, "cities.tsv.gz"))
	if err != nil {
		return nil, err
	}
	places, err := compile(countries, states, cities)
	if err != nil {
		return nil, err
	}
	names, err := compileNames(countries)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"places.tsv.gz":       places,
		"countries.tsv":       compileCountries(countries),
		"countrynames.tsv.gz": names,
	}, nil
}

// compile writes each country, its states below it and their cities below those,
// all sorted by key. Package geo describes the lines.
func compile(countries, states, cities []row) ([]byte, error) {
	statesOf := groupBy(states, func(r row) string { return r["country"] })
	citiesOf := groupBy(cities, func(r row) string { return r["country"] + "." + r["state"] })
	if err := checkParents(countries, statesOf, citiesOf); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for _, c := range sorted(countries, func(r row) string { return r["id"] }) {
		writeLine(&text, 0, c["id"], c["name"], c, c["population"])
		for _, s := range sorted(statesOf[c["id"]], stateKey) {
			at := s
			if s["lat"] == "" { // no city in it: the middle of its country has to do
				at = c
			}
			writeLine(&text, 1, stateKey(s), s["name"], at, s["city_population"])
			for _, t := range sorted(citiesOf[c["id"]+"."+s["state"]], func(r row) string { return r["name"] }) {
				writeLine(&text, 2, t["name"], t["name"], t, t["population"])
			}
		}
	}
	return text.Bytes(), nil
}

// checkParents makes sure that nothing is left out because its parent is absent.
func checkParents(countries []row, statesOf, citiesOf map[string][]row) error {
	known := map[string]bool{}
	for _, c := range countries {
		known[c["id"]] = true
	}
	for country, states := range statesOf {
		if !known[country] {
			return fmt.Errorf("states of the unknown country %q", country)
		}
		for _, s := range states {
			known[country+"."+s["state"]] = true
		}
	}
	for state := range citiesOf {
		if !known[state] {
			return fmt.Errorf("cities of the unknown state %q", state)
		}
	}
	return nil
}

// postalCodes are the keys of the Canadian provinces and territories, which the
// data has by name.
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

// stateKey is what a geography id calls the state.
func stateKey(r row) string {
	if code, ok := postalCodes[r["state"]]; ok && r["country"] == "CAN" {
		return code
	}
	return r["state"]
}

func writeLine(text *bytes.Buffer, depth int, key, name string, at row, population string) {
	if name == key {
		name = ""
	}
	if population == "" {
		population = "0"
	}
	fmt.Fprintf(text, "%s%s\t%s\t%s\t%s\t%s\n", strings.Repeat("\t", depth), key, name, at["lat"], at["lon"], population)
}

func groupBy(rows []row, key func(row) string) map[string][]row {
	groups := map[string][]row{}
	for _, r := range rows {
		groups[key(r)] = append(groups[key(r)], r)
	}
	return groups
}

func sorted(rows []row, key func(row) string) []row {
	return slices.SortedFunc(slices.Values(rows), func(a, b row) int { return strings.Compare(key(a), key(b)) })
}

// write packs what is called .gz.
func write(path string, text []byte) error {
	if filepath.Ext(path) == ".gz" {
		return writePacked(path, text)
	}
	return os.WriteFile(path, text, 0o644)
}

func writePacked(path string, text []byte) error {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, packed.Bytes(), 0o644)
}
