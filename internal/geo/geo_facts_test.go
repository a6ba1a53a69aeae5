package geo

import (
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // so the test does not depend on the machine's time zone database

	"earshot"
)

func TestZIP(t *testing.T) {
	f := func(code, want string) {
		t.Helper()
		got, at, ok := FindZIP(code)
		if got.ID() != want || ok != (want != "") {
			t.Errorf("ZIP(%q) = %q, %v, want %q", code, got.ID(), ok, want)
		}
		if ok == (at == earshot.Point{}) {
			t.Errorf("ZIP(%q) is at %v", code, at)
		}
	}
	f("10001", "USA.NY.New York")
	f("11211", "USA.NY.Brooklyn")
	f("90210", "USA.CA.Beverly Hills")
	f("78701", "USA.TX.Austin")
	f("78701-1234", "USA.TX.Austin")
	f("787011234", "USA.TX.Austin")
	f("02139", "USA.MA.Cambridge")
	f("20500", "USA.DC.Washington")
	f("12345", "USA.NY.Schenectady")
	f("59001", "USA.MT") // Absarokee is too small to be listed

	for _, code := range []string{"", "0", "00000", "99999", "1000", "100011", "abcde", "1000a", "78701-", "78701-12", "78701-12a4", "7870a1234", "-8701", "\xff\xff\xff\xff\xff"} {
		f(code, "")
	}
}

func TestEveryZIPHasAPlace(t *testing.T) {
	n := 0
	for at := 0; at < len(zipTable); at += zipSize {
		if p := placeAt(zipPlaceIndex(at)); p.State == "" && p.Country == "USA" {
			t.Errorf("ZIP code %05d has only the country %s", uint32At(zipTable, at), p.ID())
		}
		n++
	}
	if n < 40_000 {
		t.Errorf("got %d ZIP codes, want over 40,000", n)
	}
}

func TestPopulation(t *testing.T) {
	f := func(id string, min, max int64) {
		t.Helper()
		p, _ := Find(id)
		if e, ok := Lookup(p); !ok || e.Population < min || e.Population > max {
			t.Errorf("%s: got %d people, want %d to %d", id, e.Population, min, max)
		}
	}
	f("USA", 320_000_000, 360_000_000)
	f("USA.NY", 15_000_000, 20_000_000) // New York's boroughs are not counted twice
	f("DEU.State of Berlin", 3_400_000, 3_900_000)
	f("USA.NY.New York", 8_804_190, 8_804_190)
	f("ATA", 0, 0)
}

func TestTimeZone(t *testing.T) {
	f := func(id, want string) {
		t.Helper()
		p, _ := Find(id)
		if got, ok := TimeZone(p); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", id, got, ok, want)
		}
	}
	f("USA.NY.New York", "America/New_York")
	f("USA.TX.El Paso", "America/Denver")
	f("USA.TX", "America/Chicago")
	f("USA", "America/New_York")
	f("AUS", "Australia/Sydney")
	f("IND", "Asia/Kolkata")
	f("DEU.State of Berlin.Berlin", "Europe/Berlin")
	f("ATA", "")
	f("", "")
}

func TestEveryTimeZoneIsKnown(t *testing.T) {
	for _, name := range zones() {
		if _, err := time.LoadLocation(name); err != nil || name == "" {
			t.Errorf("%q: %v", name, err)
		}
	}
	for i := range placeCount() {
		if levelOf(i) == cityLevel && zoneOf(i) == 0 {
			t.Errorf("%s has no time zone", placeAt(i).ID())
		}
	}
}

func BenchmarkZIP(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		FindZIP("78701-1234")
	}
}

func BenchmarkTimeZone(b *testing.B) {
	p := earshot.Place{Country: "USA", State: "NY", City: "New York"}
	for b.Loop() {
		TimeZone(p)
	}
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		Find("USA.CA.San Diego")
	}
}

func BenchmarkFindInAnyCase(b *testing.B) {
	for b.Loop() {
		Find("usa.ca.san diego")
	}
}

func TestTimeZones(t *testing.T) {
	all := TimeZones()
	if len(all) < 300 || !slices.IsSorted(all) {
		t.Errorf("got %d time zones, sorted: %v, want over 300, sorted", len(all), slices.IsSorted(all))
	}
	for _, name := range all {
		if _, err := time.LoadLocation(name); err != nil {
			t.Error(err)
		}
	}
	all[0] = "changed"
	if TimeZones()[0] == "changed" {
		t.Error("callers share a list")
	}
}
