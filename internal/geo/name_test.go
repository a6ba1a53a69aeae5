package geo

import (
	"fmt"
	"testing"
)

func TestLookupName(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		m := lookupName(HashName(Normalize(name)))
		got := ""
		if m.len() > 0 {
			place, kind := m.at(0)
			got = fmt.Sprint(placeAt(place).ID(), " ", kind)
		}
		if got != want {
			t.Errorf("the first meaning of %q is %q, want %q", name, got, want)
		}
	}
	f("London", "GBR.England.London 0")
	f("Bombay", "IND.Maharashtra.Mumbai 0")
	f("Georgia", "USA.GA 0")
	f("NY", "USA.NY 2")
	f("DE", "USA.DE 2")
	f("FR", "FRA 3")
	f("Lutetia", "FRA.Île-de-France.Paris 1")
	f("Qwertyuiop", "")
	f("", "")
}

func TestIsWord(t *testing.T) {
	for name, want := range map[string]bool{"nice": true, "mobile": true, "reading": true, "paris": false, "berlin": false, "nola": false} {
		if got := lookupName(HashName(name)).isWord(); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// TestEveryPlaceHasItsName checks that the table of names contains every place.
func TestEveryPlaceHasItsName(t *testing.T) {
	for i := range placeCount() {
		_, name := labelOf(i)
		m := lookupName(HashName(Normalize(name)))
		found := false
		for n := range m.len() {
			place, _ := m.at(n)
			found = found || place == i
		}
		if !found {
			t.Fatalf("%s is not found by its name %q", placeAt(i).ID(), name)
		}
	}
}

// TestHashesDoNotClash checks that no two names share the stored bits of their hashes.
func TestHashesDoNotCollide(t *testing.T) {
	seen := map[uint64]string{}
	for i := range placeCount() {
		_, name := labelOf(i)
		s := Normalize(name)
		h := HashName(s)
		key := uint64(NameBucket(h))<<32 | uint64(fingerprint(h))
		if other, ok := seen[key]; ok && other != s {
			t.Errorf("%q and %q have the same hash bits", other, s)
		}
		seen[key] = s
	}
}
