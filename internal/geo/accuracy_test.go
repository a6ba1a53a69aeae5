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

// readRows reads a table of the shared data, and skips the test if there is none. The first row is
// the header.
func readRows(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	for row, err := range dataset.Fields(filepath.Join("../../../shared/data", name)) {
		if errors.Is(err, fs.ErrNotExist) {
			testenv.SkipMissing(t, "the data set is not available")
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestResolveProfileLocations(t *testing.T) {
	const minCountries, minStates, minNone = 98, 69, 20
	countries, states, none := 0, 0, 0
	for _, row := range readRows(t, "places/profile_locations_dev.tsv.gz")[1:] {
		text, country, state := row[0], row[1], row[2]
		got, _ := Resolve(text)
		name := got.State
		if got.Country == "CAN" { // Ontario, where the place has ON
			e, _ := Lookup(earshot.Place{Country: got.Country, State: got.State})
			name = e.Name
		}
		switch {
		case got.Country != country:
			t.Logf("%q: got %q, want the country %q", text, got.ID(), country)
		case country == "":
			none++
		default:
			countries++
			if state != "" && name == state {
				states++
			} else if state != "" {
				t.Logf("%q: got %q, want the state %q", text, got.ID(), state)
			}
		}
	}
	t.Logf("%d countries, %d states and %d texts without a place are right", countries, states, none)
	if countries < minCountries || states < minStates || none < minNone {
		t.Errorf("got %d, %d, %d right, want at least %d, %d, %d", countries, states, none, minCountries, minStates, minNone)
	}
}

// TestResolveCitiesWithStateCodes writes the largest cities of the USA as people do in a hurry:
// athens ga.
func TestResolveCitiesWithStateCodes(t *testing.T) {
	const count, minRight, maxWrong = 1500, 1485, 5
	cities := Cities("USA")
	slices.SortStableFunc(cities, func(a, b Entry) int { return cmp.Compare(b.Population, a.Population) })
	right, wrong := 0, 0
	for _, c := range cities[:count] {
		text := strings.ToLower(c.Place.City + " " + c.Place.State)
		switch got, ok := Resolve(text); {
		case got == c.Place:
			right++
		case ok:
			wrong++
			t.Logf("%q: got %q", text, got.ID())
		default:
			t.Logf("%q: got none", text)
		}
	}
	t.Logf("%d of %d right, %d wrong", right, count, wrong)
	if right < minRight || wrong > maxWrong {
		t.Errorf("got %d right and %d wrong, want at least %d and at most %d", right, wrong, minRight, maxWrong)
	}
}

// TestResolveProfiles uses profile locations that were written to try the rules for locations as
// people write them, half of them before the rules existed.
func TestResolveProfiles(t *testing.T) {
	const minAccuracy = 0.95
	share := measureLocations(t, "testdata/profiles.tsv")
	if share < minAccuracy {
		t.Errorf("got %.3f right, want at least %.2f", share, minAccuracy)
	}
}
