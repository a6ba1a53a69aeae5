package geo

import (
	"slices"
	"strings"
	"testing"
)

func TestSearchPrefix(t *testing.T) {
	f := func(text string, limit int, want ...string) {
		t.Helper()
		got := []string{}
		for _, item := range SearchPrefix(text, limit) {
			got = append(got, item.Place.ID())
		}
		if !slices.Equal(got, append([]string{}, want...)) {
			t.Errorf("SearchPrefix(%.40q, %d):\ngot  %q\nwant %q", text, limit, got, want)
		}
	}
	// Countries, then states, then cities, each sorted by population.
	f("berm", 10, "BMU", "BOL.Tarija Department.Bermejo", "IND.Jharkhand.Bermo", "ESP.Basque Country.Bermeo", "MEX.Durango.Bermejillo", "USA.CA.Bermuda Dunes")
	f("new york", 2, "USA.NY", "USA.NY.New York")
	f("geor", 3, "GEO", "USA.GA", "CYM.George Town")

	// Case, accents, dots and extra spaces are ignored.
	f("SAO PAU", 2, "BRA.São Paulo", "BRA.São Paulo.São Paulo")
	f("  são  pau ", 2, "BRA.São Paulo", "BRA.São Paulo.São Paulo")
	f("U.S.A.", 1, "USA")

	// Alternate names and codes.
	f("Deutschland", 1, "DEU")
	f("münchen", 1, "DEU.Bavaria.Munich")
	f("de", 2, "COD", "DEU")
	f("uk", 2, "GBR", "UKR")

	// Ids.
	f("USA.CA.San D", 10, "USA.CA.San Diego", "USA.CA.San Dimas", "USA.CA.San Diego Country Estates")
	f("usa.ca.san diego", 1, "USA.CA.San Diego")
	f("deu.state of berlin", 2, "DEU.State of Berlin", "DEU.State of Berlin.Berlin")
	f("deu.", 2, "DEU", "DEU.North Rhine-Westphalia")
	f("XYZ.CA", 10)

	f("", 3, "CHN", "IND", "USA")
	f("", 0)
	f("atlantis city", 10)
	f("!", 10)
	f(".", 10)
	f("\xff", 10)
	f(strings.Repeat("a", 1000), 10)
}

func TestByNameListsEveryPlace(t *testing.T) {
	order := byName()
	if len(order) != placeCount() {
		t.Fatalf("got %d places, want %d", len(order), placeCount())
	}
	if !slices.IsSortedFunc(order, func(a, b uint16) int { return strings.Compare(normalizedName(int(a)), normalizedName(int(b))) }) {
		t.Error("places are not sorted by normalized name")
	}
	for _, item := range Countries() {
		if !slices.Contains(SearchPrefix(item.Name, 10), item) {
			t.Errorf("%s is not found by its name", item.Name)
		}
	}
}

func BenchmarkSearchPrefix(b *testing.B) {
	byName()
	for _, text := range []string{"b", "berl", "usa.ca.san"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				SearchPrefix(text, 20)
			}
		})
	}
}
