package geo

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

// A Country holds the facts about a country that do not need the gazetteer.
type Country struct {
	Code      string // ISO 3166 alpha-3, as in places
	Alpha2    string // ISO 3166 alpha-2
	Name      string // English
	Continent string // English
}

// FindCountry returns the country with the given code or name. The code has two or three letters.
// The name may be the English name, a common name (UK, Holland) or, for countries with at least
// 100,000 people, a name in another language. Case, accents and punctuation are ignored. A name
// that several countries share, such as Congo, matches none of them.
//
// Exact codes are the fastest to look up.
func FindCountry(name string) (Country, bool) {
	known := countries()
	if c, ok := known[name]; ok {
		return c, true
	}
	if name == "" || len(name) > maxIDLength {
		return Country{}, false
	}
	key := Normalize(name)
	if c, ok := known[key]; ok {
		return c, true
	}
	c, ok := known[countryNames()[key]]
	return c, ok
}

//go:embed countries.tsv
var packedCountries string

// countries maps codes, normalized codes and normalized English names to countries.
var countries = sync.OnceValue(func() map[string]Country {
	known, err := parseCountries(packedCountries)
	if err != nil {
		panic(fmt.Sprintf("geo: read the embedded countries: %v", err))
	}
	return known
})

// parseCountries parses lines of the form alpha-3 code, alpha-2 code, English name, continent.
func parseCountries(text string) (map[string]Country, error) {
	known := map[string]Country{}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 || f[0] == "" || f[1] == "" || f[2] == "" {
			return nil, fmt.Errorf("%q does not have the four fields of a country", line)
		}
		continent, ok := FindContinent(f[3])
		if !ok {
			return nil, fmt.Errorf("%s has the unknown continent %q", f[0], f[3])
		}
		c := Country{Code: f[0], Alpha2: f[1], Name: f[2], Continent: continent}
		for _, key := range []string{c.Code, c.Alpha2, Normalize(c.Code), Normalize(c.Alpha2), Normalize(c.Name)} {
			if other, taken := known[key]; taken {
				return nil, fmt.Errorf("%s and %s are both called %q", other.Code, c.Code, key)
			}
			known[key] = c
		}
	}
	return known, nil
}

var continents = []struct{ code, name string }{
	{"AF", "Africa"},
	{"AN", "Antarctica"},
	{"AS", "Asia"},
	{"EU", "Europe"},
	{"NA", "North America"},
	{"OC", "Oceania"},
	{"SA", "South America"},
}

// ContinentName returns the English name of the continent with the given two-letter code or English
// name, ignoring case. It returns any other name unchanged.
func ContinentName(name string) string {
	if found, ok := FindContinent(name); ok {
		return found
	}
	return name
}

// FindContinent returns the English name of the continent with the given code or name, ignoring
// case.
func FindContinent(name string) (string, bool) {
	if len(name) > maxIDLength {
		return "", false
	}
	found, ok := continentNames()[Normalize(name)]
	return found, ok
}

// continentNames returns the names of the continents by their normalized codes and names.
var continentNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, c := range continents {
		names[Normalize(c.code)], names[Normalize(c.name)] = c.name, c.name
	}
	return names
})

// extraCountryNames are common names missing from the data. Each means exactly one country, so
// England (part of a country) and America (two continents) are not included.
var extraCountryNames = map[string]string{
	"Bosnia":              "BIH",
	"Britain":             "GBR",
	"DR Congo":            "COD",
	"DRC":                 "COD",
	"East Timor":          "TLS",
	"KSA":                 "SAU",
	"PRC":                 "CHN",
	"Republic of Ireland": "IRL",
	"Vatican City":        "VAT",
	"한국":                  "KOR",
}

//go:embed countrynames.tsv.gz
var packedCountryNames []byte

// countryNames maps all other normalized country names to country codes.
var countryNames = sync.OnceValue(func() map[string]string {
	text, err := gunzip(packedCountryNames)
	if err != nil {
		panic(fmt.Sprintf("geo: read the embedded country names: %v", err))
	}
	codes := parseCountryNames(text)
	for name, code := range extraCountryNames {
		codes[Normalize(name)] = code
	}
	return codes
})

// parseCountryNames parses lines of a country code followed by its names, separated by tabs. A name
// shared by several countries maps to an empty code.
func parseCountryNames(text string) map[string]string {
	codes := make(map[string]string, strings.Count(text, "\t"))
	for line := range strings.Lines(text) {
		code, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		for name := range strings.SplitSeq(names, "\t") {
			key := Normalize(name)
			if other, taken := codes[key]; taken && other != code {
				codes[key] = ""
			} else {
				codes[key] = code
			}
		}
	}
	return codes
}

func gunzip(packed []byte) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}
