package geo

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// A Country is what is known of a country without opening the gazetteer.
type Country struct {
	Code      string // ISO 3166 alpha-3, as in places
	Alpha2    string // ISO 3166 alpha-2
	Name      string // English
	Continent string // English
}

// FindCountry returns the country of a code of two or three letters or of a name:
// the English one, one of several that people write (UK, Holland) or, for countries
// of 100,000 people or more, those in other languages. Case, accents and
// punctuation make no difference. A name that several countries share, such as
// Congo, is none of theirs.
//
// Codes as Country has them are found at once, and names without the gazetteer.
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

// countries are the countries by their codes, and by the spelling of those and of
// their English names.
var countries = sync.OnceValue(func() map[string]Country {
	known, err := parseCountries(packedCountries)
	if err != nil {
		panic(fmt.Sprintf("geo: read the embedded countries: %v", err))
	}
	return known
})

// parseCountries reads lines of alpha-3 code, alpha-2 code, English name and
// continent.
func parseCountries(text string) (map[string]Country, error) {
	known := map[string]Country{}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 || f[0] == "" || f[1] == "" || f[2] == "" {
			return nil, fmt.Errorf("%q has not the four fields of a country", line)
		}
		continent, ok := FindContinent(f[3])
		if !ok {
			return nil, fmt.Errorf("%s lies on the unknown continent %q", f[0], f[3])
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

// continents are the continents with their codes.
var continents = []struct{ code, name string }{
	{"AF", "Africa"},
	{"AN", "Antarctica"},
	{"AS", "Asia"},
	{"EU", "Europe"},
	{"NA", "North America"},
	{"OC", "Oceania"},
	{"SA", "South America"},
}

// ContinentName returns the English name of the continent with that code of two
// letters or that English name, in any case. Anything else is returned as it is.
func ContinentName(name string) string {
	if found, ok := FindContinent(name); ok {
		return found
	}
	return name
}

// FindContinent returns the English name of the continent that a code or a name
// means, in any case of letters.
func FindContinent(name string) (string, bool) {
	if len(name) > maxIDLength {
		return "", false
	}
	key := Normalize(name)
	for _, c := range continents {
		if key == Normalize(c.code) || key == Normalize(c.name) {
			return c.name, true
		}
	}
	return "", false
}
