package geo

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// A labeledLocation is a location text and the id of the place it means, or "".
type labeledLocation struct{ id, text string }

func readLocations(t testing.TB, path string) []labeledLocation {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []labeledLocation
	lines := bufio.NewScanner(f)
	lines.Scan() // the header
	for lines.Scan() {
		id, text, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			t.Fatalf("%q does not have two columns", lines.Text())
		}
		all = append(all, labeledLocation{id, text})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestResolveLocations(t *testing.T) {
	const minAccuracy = 0.99
	if share := measureLocations(t, "testdata/locations.tsv"); share < minAccuracy {
		t.Errorf("got %.3f right, want at least %.2f", share, minAccuracy)
	}
}

// measureLocations logs the locations of a table that resolve to another place than their label, and
// returns the share of the others.
func measureLocations(t *testing.T, path string) float64 {
	t.Helper()
	all := readLocations(t, path)
	right := 0
	for _, l := range all {
		if l.id != "" {
			if p, ok := Find(l.id); !ok || p.ID() != l.id {
				t.Errorf("%q is labeled with the unknown place %q", l.text, l.id)
			}
		}
		got := ""
		if p, ok := Resolve(l.text); ok {
			got = p.ID()
		}
		if got == l.id {
			right++
		} else {
			t.Logf("%q: got %q, want %q", l.text, got, l.id)
		}
	}
	share := float64(right) / float64(len(all))
	t.Logf("%d of %d right: %.1f%%", right, len(all), 100*share)
	return share
}

func TestResolveRules(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got, ok := Resolve(text)
		if got.ID() != want || ok != (want != "") {
			t.Errorf("Resolve(%q) = %q, %v, want %q", text, got.ID(), ok, want)
		}
	}
	// The containing place decides which place is meant; the nearest container wins.
	f("Charleston, WV, USA", "USA.WV.Charleston")
	f("Charleston, USA", "USA.SC.Charleston")
	f("Bethlehem, PA", "USA.PA.Bethlehem")
	f("Texas - Austin", "USA.TX.Austin")
	f("Cambridge | MA", "USA.MA.Cambridge")
	// An unlisted town resolves to its state or country.
	f("Carlisle, Iowa", "USA.IA")
	f("Smalltown, TX", "USA.TX")
	f("Sørburøy, Norway", "NOR")
	f("Milano, MI, Italia", "ITA.Lombardy.Milan")
	// State codes are often ordinary words.
	f("IN LOVE", "")
	f("oh hi", "")
	f("portland, or", "USA.OR.Portland")
	f("portland, me", "USA.ME.Portland")
	f("LIVING IN LA", "USA.CA.Los Angeles")
	f("athens ga", "USA.GA.Athens")
	f("portland or", "USA.OR.Portland")
	f("bloomington in usa", "USA.IN.Bloomington")
	f("portland or seattle", "USA.OR.Portland")
	f("oh ok", "")
	f("como va", "")
	f("Adelaide SA", "AUS.South Australia.Adelaide")
	f("NY, NY", "USA.NY.New York")
	f("OdessaTX", "USA.TX.Odessa")
	// Abbreviations with a dot are not codes.
	f("Gary, Ind.", "USA.IN.Gary")
	f("Mumbai, Ind.", "IND.Maharashtra.Mumbai")
	f("Unlisted, Ind.", "USA.IN")
	f("Unlisted, IND", "IND")
	f("L.A. baby", "USA.CA.Los Angeles")
	// A town or county that the gazetteer does not have resolves to its state.
	f("Winona Lake, Ind.", "USA.IN")
	f("cairo il", "USA.IL")
	f("Orange County, FL", "USA.FL")
	f("Washington Township, NJ", "USA.NJ")
	f("Windsor Park, New Zealand", "NZL")
	f("Islamabad", "PAK.Islamabad.Islamabad")
	f("Newcastle, UK", "GBR.England.Newcastle upon Tyne")
	f("Long Island, New York", "USA.NY")
	// The last place after arrows is where someone lives, and so is one that is called so.
	f("Lyon → Paris", "FRA.Île-de-France.Paris")
	f("grew up in Ohio, live in Brooklyn", "USA.NY.Brooklyn")
	f("Fremont Street", "")
	// Coordinates take precedence over words, but must be valid.
	f("Paris 40.71,-74.00", "USA.NY.New York")
	f("version 1.2, 3.4.5", "")
	f("91.5,-181.2", "")
	f("52.52° N, 13.40° E", "DEU.State of Berlin.Berlin")
	// A number is a ZIP code unless the context contradicts it.
	f("Paris 75011", "FRA.Île-de-France.Paris")
	f("TX 78701", "USA.TX.Austin")
	f("10.0.0.1", "")
	// URLs, mail addresses and handles are not places.
	f("@london", "")
	f("someone@berlin.de", "")
	f("https://london.example.com/paris", "")
}

func TestResolveToleratesBadText(t *testing.T) {
	for _, text := range []string{
		"", " ", "\x00", "\xff\xfe\xfd", "\u200d\u200d", strings.Repeat("🇩🇪", 1), strings.Repeat("x ", 1<<13),
		strings.Repeat("ﷺ", 1<<10), strings.Repeat("-1.5", 1<<12), strings.Repeat("東", 1<<12), strings.Repeat("\u0301", 1<<12),
		"\U0001F3F4\U000E0067", "\U0001F1E9", ",,,,,,", "....", "1.", "1.,1.", "+", "-",
	} {
		Resolve(text)
	}
	if got, _ := Resolve(strings.Repeat("London ", 1<<12)); got.City != "London" {
		t.Errorf("London many times: got %v", got)
	}
}

func TestResolveDoesNotAllocate(t *testing.T) {
	for _, text := range []string{"Brooklyn NY", "São Paulo, Brasil", "🇩🇪 Berlin", "東京", "ÜT: 40.71,-74.00", "in your heart", "Austin 78701"} {
		if n := testing.AllocsPerRun(100, func() { Resolve(text) }); n != 0 {
			t.Errorf("%q: got %v allocations, want none", text, n)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{
		"Brooklyn NY", "São Paulo, Brasil", "パリ", "🇩🇪 Berlin", "Paris, TX", "ÜT: 40.71,-74.00", "Austin 78701", "NYC ✈ LA",
		"born in X living in Y", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", "@a b://c", "\xff.\x00", "１２３４５",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := Resolve(text)
		if !ok {
			if !got.IsZero() {
				t.Errorf("Resolve(%q) = %v and false", text, got)
			}
			return
		}
		if _, found := Lookup(got); !found {
			t.Errorf("Resolve(%q) = %v, which is not a place", text, got)
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	for _, text := range []string{"Brooklyn NY", "São Paulo, Brasil", "Born in Chicago living in Los Angeles", "東京", "in your heart", "🇩🇪 Berlin"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Resolve(text)
			}
		})
	}
}

// BenchmarkResolveLocations measures the average time per text in the test table.
func BenchmarkResolveLocations(b *testing.B) {
	all := readLocations(b, "testdata/locations.tsv")
	n := 0
	for b.Loop() {
		Resolve(all[n%len(all)].text)
		n++
	}
}
