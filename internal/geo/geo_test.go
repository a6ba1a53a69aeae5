package geo

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/model/dataset"
	"earshot/internal/test/testenv"
)

func TestFind(t *testing.T) {
	f := func(id string, want earshot.Place) {
		t.Helper()
		if got, ok := Find(id); !ok || got != want {
			t.Errorf("Find(%q) = %+v, %v, want %+v", id, got, ok, want)
		}
	}
	f("USA", earshot.Place{Country: "USA"})
	f("USA.CA", earshot.Place{Country: "USA", State: "CA"})
	f("USA.CA.San Diego", earshot.Place{Country: "USA", State: "CA", City: "San Diego"})
	f("AFG.Badghis", earshot.Place{Country: "AFG", State: "Badghis"})
	f("CAN.QC.Montréal", earshot.Place{Country: "CAN", State: "QC", City: "Montréal"})
	f("JAM.St. Elizabeth", earshot.Place{Country: "JAM", State: "St. Elizabeth"})
	f("USA.MO.St. Louis", earshot.Place{Country: "USA", State: "MO", City: "St. Louis"})
	f("JAM.St. Elizabeth.Santa Cruz", earshot.Place{Country: "JAM", State: "St. Elizabeth", City: "Santa Cruz"})

	f("usa", earshot.Place{Country: "USA"})
	f("usa.ca.SAN DIEGO", earshot.Place{Country: "USA", State: "CA", City: "San Diego"})
	f("can.qc.MONTRÉAL", earshot.Place{Country: "CAN", State: "QC", City: "Montréal"})
	f("USA.NY.New York City", earshot.Place{Country: "USA", State: "NY", City: "New York"}) // a former id
	f("jam.st. elizabeth.santa cruz", earshot.Place{Country: "JAM", State: "St. Elizabeth", City: "Santa Cruz"})

	// Names may be without dots and diacritics.
	bogota := earshot.Place{Country: "COL", State: "Bogota D.C.", City: "Bogotá"}
	buenosAires := earshot.Place{Country: "ARG", State: "Buenos Aires F.D.", City: "Buenos Aires"}
	london := earshot.Place{Country: "GBR", State: "England", City: "London"}
	f("COL.Bogota DC.Bogota", bogota)
	f("col.bogotá d.c..BOGOTA", bogota)
	f("JAM.St Elizabeth", earshot.Place{Country: "JAM", State: "St. Elizabeth"})
	f("usa.mo.st louis", earshot.Place{Country: "USA", State: "MO", City: "St. Louis"})
	f("CAN.QC.Montreal", earshot.Place{Country: "CAN", State: "QC", City: "Montréal"})
	f("BRA.Sao Paulo.Sao Paulo", earshot.Place{Country: "BRA", State: "São Paulo", City: "São Paulo"})
	f("pol.lodz voivodeship.lodz", earshot.Place{Country: "POL", State: "Łódź Voivodeship", City: "Łódź"})
	f("MEX.Mexico City.Benito Juarez", earshot.Place{Country: "MEX", State: "Mexico City", City: "Benito Juarez"})
	f("MEX.Mexico City.benito juárez", earshot.Place{Country: "MEX", State: "Mexico City", City: "Benito Juárez"})

	// The original service sent these.
	f("COL.Bogota.Bogota", bogota)
	f("col.bogotá.bogotá", bogota)
	f("COL.Bogota", earshot.Place{Country: "COL", State: "Bogota D.C."})
	f("ARG.Ciudad de Buenos Aires.Buenos Aires", buenosAires)
	f("ARG.Ciudad de Buenos Aires", earshot.Place{Country: "ARG", State: "Buenos Aires F.D."})
	f("GBR.Greater London.London", london)
	f("gbr.greater london", london)
	f("GBR.Greater London.Croydon", earshot.Place{Country: "GBR", State: "England", City: "Croydon"})
	f("USA.DC.Washington, DC", earshot.Place{Country: "USA", State: "DC", City: "Washington"})
}

func TestFindRejectsUnknownIDs(t *testing.T) {
	for _, id := range []string{
		"", ".", "..", "US", "USA.", "USA.ZZ", "USA.CA.", "USA.CA.Nowhere At All", "USA..San Diego", ".CA", " USA",
		"USA.California", "CAN.Ontario", "USA.CA..", "USA..CA", "GBR.Greater London.", "GBR.Greater Londonderry", "COL.Bogota.Nowhere", "\xff\xfe", strings.Repeat(".", 1<<20), "USA." + strings.Repeat("x.", 90),
	} {
		if got, ok := Find(id); ok {
			t.Errorf("Find(%.40q) = %+v, want nothing", id, got)
		}
	}
}

func TestFindFindsEveryID(t *testing.T) {
	seen := map[string]bool{}
	for i := range All() {
		id := i.Place.ID()
		if seen[id] {
			t.Errorf("two places have the id %q", id)
		}
		seen[id] = true
		if got, ok := Find(id); !ok || got != i.Place {
			t.Fatalf("Find(%q) = %+v, %v, want %+v", id, got, ok, i.Place)
		}
		if len(id) > maxIDLength/2 {
			t.Errorf("the id %q is longer than half of maxIDLength", id)
		}
	}
}

// TestPlainIDs checks that the ids that programs see are unique, have one part per level, and name
// their places.
func TestPlainIDs(t *testing.T) {
	seen, kept := map[string]earshot.Place{}, 0
	for i := range All() {
		plain := Plain(i.Place)
		id := strings.ToLower(plain.ID())
		if other, taken := seen[id]; taken {
			t.Errorf("%+v and %+v have the same id", other, i.Place)
		}
		seen[id] = i.Place
		parts := []string{plain.Country, plain.State, plain.City}
		if got := strings.Split(plain.ID(), "."); !slices.Equal(got, parts[:len(got)]) {
			t.Errorf("the id of %+v is %s", i.Place, plain.ID())
		}
		if plain.ID() != i.Place.ID() { // TestFindFindsEveryID has the others
			if got, ok := Find(plain.ID()); !ok || got != i.Place {
				t.Errorf("Find(%q) = %+v, %v, want %+v", plain.ID(), got, ok, i.Place)
			}
		} else if plainLetters(plain.ID()) != plain.ID() {
			kept++
		}
	}
	if kept != len(namesakes) {
		t.Errorf("%d places keep their diacritics, want %d", kept, len(namesakes))
	}
	f := func(id, want string) {
		t.Helper()
		if place, ok := Find(id); !ok || Plain(place).ID() != want {
			t.Errorf("%s: got %s, want %s", id, Plain(place).ID(), want)
		}
	}
	f("COL.Bogota D.C..Bogotá", "COL.Bogota DC.Bogota")
	f("USA.CA.San Diego", "USA.CA.San Diego")
	f("POL.Łódź Voivodeship.Łódź", "POL.Lodz Voivodeship.Lodz")
	got := PlainChoice(earshot.Choice{Values: []string{"USA", "JAM.St. Elizabeth", "gone"}}).Values
	if want := []string{"USA", "JAM.St Elizabeth", "gone"}; !slices.Equal(got, want) {
		t.Errorf("got the choice %q, want %q", got, want)
	}
}

func TestLookup(t *testing.T) {
	f := func(want Entry) {
		t.Helper()
		if got, ok := Lookup(want.Place); !ok || got != want {
			t.Errorf("Lookup(%+v) = %+v, %v, want %+v", want.Place, got, ok, want)
		}
	}
	f(Entry{Place: earshot.Place{Country: "USA", State: "CA"}, Name: "California", Latitude: 35.28190, Longitude: -119.25908, Population: 35409240})
	f(Entry{Place: earshot.Place{Country: "CAN", State: "NL"}, Name: "Newfoundland and Labrador", Latitude: 48.15138, Longitude: -54.29987, Population: 249172})
	f(Entry{Place: earshot.Place{Country: "ABW"}, Name: "Aruba", Latitude: 12.51697, Longitude: -69.99787, Population: 105845})
	f(Entry{Place: earshot.Place{Country: "ABW", State: "Aruba", City: "Noord"}, Name: "Noord", Latitude: 12.56596, Longitude: -70.03198, Population: 24193})

	if got, ok := Lookup(earshot.Place{Country: "usa"}); ok {
		t.Errorf("Lookup(usa) = %+v, want nothing: only Find ignores case", got)
	}
}

func TestStateWithoutCitiesHasItsCountrysPosition(t *testing.T) {
	country, _ := Lookup(earshot.Place{Country: "AGO"})
	state, ok := Lookup(earshot.Place{Country: "AGO", State: "Moxico Leste Province"})
	if !ok || state.Latitude != country.Latitude || state.Longitude != country.Longitude || state.Population != 0 {
		t.Errorf("got %+v, %v, want the position of %+v and no population", state, ok, country)
	}
}

func TestLists(t *testing.T) {
	f := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %d places, want %d", what, got, want)
		}
	}
	f("all", len(slices.Collect(All())), 250+3908+55274)
	f("countries", len(Countries()), 250)
	f("states of Canada", len(States("CAN")), 13)
	f("states of the USA", len(States("USA")), 51)
	f("states of nowhere", len(States("ZZZ")), 0)
	f("cities of Aruba", len(Cities("ABW")), 7)
	f("cities of nowhere", len(Cities("")), 0)

	if !slices.IsSortedFunc(slices.Collect(All()), func(a, b Entry) int { return comparePlaces(a.Place, b.Place) }) {
		t.Error("All is not sorted")
	}
	codes := []string{}
	for _, i := range States("CAN") {
		codes = append(codes, i.Place.State)
	}
	if want := strings.Fields("AB BC MB NB NL NS NT NU ON PE QC SK YT"); !slices.Equal(codes, want) {
		t.Errorf("the states of Canada are %v, want %v", codes, want)
	}
}

// TestAgainstTheSource compares the gazetteer with the tables it is generated from.
func TestAgainstTheSource(t *testing.T) {
	states, cities := 0, 0
	for _, c := range Countries() {
		states += len(States(c.Place.Country))
		cities += len(Cities(c.Place.Country))
	}
	for table, got := range map[string]int{"countries": len(Countries()), "admin1": states, "cities": cities} {
		if want := countLines(t, table) - 1; got != want { // the first line is the header
			t.Errorf("%s: got %d places, the source has %d", table, got, want)
		}
	}
}

func countLines(t *testing.T, table string) (n int) {
	t.Helper()
	for _, err := range dataset.Lines(filepath.Join("..", "..", "..", "shared", "data", "geo", table+".tsv.gz")) {
		if errors.Is(err, fs.ErrNotExist) {
			testenv.SkipMissing(t, "no source tables")
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func comparePlaces(p, q earshot.Place) int {
	return cmp.Or(strings.Compare(p.Country, q.Country), strings.Compare(p.State, q.State), strings.Compare(p.City, q.City))
}
