package geo

import (
	"strings"
	"testing"
)

func TestFindCountry(t *testing.T) {
	f := func(want string, names ...string) {
		t.Helper()
		for _, name := range names {
			if got, ok := FindCountry(name); !ok || got.Code != want {
				t.Errorf("FindCountry(%q) = %+v, %v, want %s", name, got, ok, want)
			}
		}
	}
	f("USA", "USA", "usa", "US", "us", "U.S.", "u.s.a.", "United States", "UNITED STATES", "the United States", "United States of America", "  usa\n")
	f("GBR", "GBR", "gb", "UK", "U.K.", "Great Britain", "Britain", "United Kingdom", "the uk")
	f("ARE", "UAE", "United Arab Emirates")
	f("KOR", "South Korea", "Republic of Korea", "KR", "한국", "대한민국")
	f("PRK", "North Korea")
	f("RUS", "Russia", "Russian Federation", "Россия", "РОССИЯ")
	f("CZE", "Czech Republic", "Czechia", "Česko", "cesko")
	f("NLD", "Holland", "Netherlands", "The Netherlands", "Nederland")
	f("CIV", "Ivory Coast", "Cote d'Ivoire", "Côte d’Ivoire", "COTE DIVOIRE")
	f("CUW", "Curacao", "Curaçao")
	f("DEU", "Germany", "Deutschland", "Allemagne", "ドイツ", "德国", "ألمانيا")
	f("ESP", "España", "espana", "Espan\u0303a")
	f("CYP", "Κύπρος", "ΚΥΠΡΟΣ")
	f("TUR", "Turkey", "Türkiye", "TURKIYE")
	f("GNB", "Guinea-Bissau", "guinea bissau")
	f("TTO", "Trinidad and Tobago", "Trinidad & Tobago")
	f("BHS", "Bahamas", "The Bahamas")
	f("COD", "DRC", "DR Congo", "Democratic Republic of the Congo")
	f("XKX", "Kosovo", "XK")
	f("AND", "Andorra", "AD")
}

func TestFindCountryReturnsAllFields(t *testing.T) {
	want := Country{Code: "JPN", Alpha2: "JP", Name: "Japan", Continent: "Asia"}
	for _, name := range []string{"JPN", "jp", "japan", "日本"} {
		if got, ok := FindCountry(name); !ok || got != want {
			t.Errorf("FindCountry(%q) = %+v, %v, want %+v", name, got, ok, want)
		}
	}
}

func TestFindCountryRejectsUnknownNames(t *testing.T) {
	for _, name := range []string{
		"", " ", ".", "the", "the ", "ZZ", "ZZZ", "Congo", "England", "America", "Korea", "USA.CA", "Atlantis", "\xff\xfe", strings.Repeat("USA ", 1<<18),
	} {
		if got, ok := FindCountry(name); ok {
			t.Errorf("FindCountry(%.40q) = %+v, want nothing", name, got)
		}
	}
}

func TestFindCountryFindsEveryCountryInTheGazetteer(t *testing.T) {
	for _, i := range Countries() {
		for _, name := range []string{i.Place.Country, i.Name, strings.ToUpper(i.Name)} {
			if got, ok := FindCountry(name); !ok || got.Code != i.Place.Country || got.Name != i.Name {
				t.Errorf("FindCountry(%q) = %+v, %v, want %s", name, got, ok, i.Place.Country)
			}
		}
	}
}

func TestExtraCountryNamesAreNotInTheData(t *testing.T) {
	text, err := gunzip(packedCountryNames)
	if err != nil {
		t.Fatal(err)
	}
	codes := parseCountryNames(text)
	for name, code := range extraCountryNames {
		key := Normalize(name)
		if c, ok := countries()[code]; !ok || c.Code != code {
			t.Errorf("%q maps to %q, which is not a code", name, code)
		}
		if c, ok := countries()[key]; ok {
			t.Errorf("%q already means %s", name, c.Code)
		}
		if found, ok := codes[key]; ok {
			t.Errorf("%q is already in the data, for %q", name, found)
		}
	}
}

func TestSharedCountryNameMatchesNoCountry(t *testing.T) {
	codes := parseCountryNames("AAA\tAlpha\tÁlpha\tShared\nBBB\tShared\nCCC\tshared\tGamma\n")
	for name, want := range map[string]string{"alpha": "AAA", "shared": "", "gamma": "CCC"} {
		if got := codes[name]; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestContinentName(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		if got := ContinentName(name); got != want {
			t.Errorf("ContinentName(%q) = %q, want %q", name, got, want)
		}
	}
	f("EU", "Europe")
	f("eu", "Europe")
	f("europe", "Europe")
	f(" EUROPE ", "Europe")
	f("NA", "North America")
	f("north america", "North America")
	f("North-America", "North America")
	f("SOUTH_AMERICA", "South America")
	f("AN", "Antarctica")
	f("af", "Africa")
	f("as", "Asia")
	f("oc", "Oceania")
	f("America", "America")
	f("", "")
	f("Atlantis ", "Atlantis ")
	f(strings.Repeat("x", 1000), strings.Repeat("x", 1000))
}

func TestEveryContinentHasCountries(t *testing.T) {
	countriesOf := map[string]int{}
	for key, c := range countries() {
		if key == c.Code {
			countriesOf[c.Continent]++
		}
	}
	total := 0
	for _, c := range continents {
		if countriesOf[c.name] == 0 {
			t.Errorf("%s has no country", c.name)
		}
		total += countriesOf[c.name]
	}
	if total != 250 {
		t.Errorf("got %d countries on all continents, want 250", total)
	}
}

func TestParseCountriesRejectsBadLines(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if _, err := parseCountries(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseCountries(%q): got error %v, want one with %q", text, err, want)
		}
	}
	f("AAA\tAA\tAlpha\n", "does not have the four fields of a country")
	f("\n", "four fields")
	f("AAA\t\tAlpha\tEU\n", "four fields")
	f("AAA\tAA\tAlpha\tXX\n", `AAA has the unknown continent "XX"`)
	f("AAA\tAA\tAlpha\tEU\nBBB\tBB\talpha\tEU\n", `AAA and BBB are both called "alpha"`)
	f("AAA\tAA\tAlpha\tEU\nBBB\tAA\tBeta\tEU\n", `AAA and BBB are both called "AA"`)
}

func TestFindCountryByCodeDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { FindCountry("USA") }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

func BenchmarkFindCountryByCode(b *testing.B) {
	for b.Loop() {
		FindCountry("USA")
	}
}

func BenchmarkFindCountryByName(b *testing.B) {
	for b.Loop() {
		FindCountry("Deutschland")
	}
}

func BenchmarkLoadCountryNames(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		text, err := gunzip(packedCountryNames)
		if err != nil {
			b.Fatal(err)
		}
		parseCountryNames(text)
	}
}
