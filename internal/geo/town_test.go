package geo

import "testing"

func TestTowns(t *testing.T) {
	f := func(name, state string, want bool) {
		t.Helper()
		if got := isTown(TownEntry(name, state)); got != want {
			t.Errorf("%s, %s: got %v, want %v", name, state, got, want)
		}
	}
	f("winona lake", "IN", true)
	f("winona lake", "OH", false)
	f("st elmo", "AL", true) // Saint Elmo
	f("orange county", "FL", true)
	f("orange county", "WY", false)
	f("chicago", "IL", false) // a place of the gazetteer
	f("hope", "IN", false)    // a common word
}

func TestTownsAreSorted(t *testing.T) {
	for i := townSize; i < len(townTable); i += townSize {
		if a, b := uint32At(townTable, i-townSize), uint32At(townTable, i); a >= b {
			t.Fatalf("entry %d is %d, after %d", i/townSize, b, a)
		}
	}
	if isTown(0) || isTown(1<<32-1) {
		t.Error("the smallest or the largest number is a town")
	}
}
