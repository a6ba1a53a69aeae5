package people

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestSurname(t *testing.T) {
	m := newModel(t)
	f := func(name, want string) {
		t.Helper()
		if got := m.Surname(name); got != want {
			t.Errorf("Surname(%q): got %q, want %q", name, got, want)
		}
	}
	f("Emma Smith", "smith")
	f("esm92 (Emma Smith)", "smith")
	f("María García", "garcia")
	f("Ronald McDonald", "mcdonald")
	f("Martin Luther King Jr.", "king")
	f("Garcia, Maria", "garcia")
	f("Ana Garcia-Xqzw", "garcia")
	f("Shaquille O'Neal", "oneal")
	f("john_smith", "smith")
	f("JohnSmith", "smith")
	f("xqzw_smith", "")
	f("Smith", "")
	f("Smith Inc", "")
	f("Emma Xqzwk", "")
	f("", "")
	f("\xff \xff", "")
	f(strings.Repeat("a b ", 10_000), "")
}

func TestEthnicityNeedsManySurnames(t *testing.T) {
	m := newModel(t)
	surnames := []string{"smith", "garcia", "nguyen", "washington", "jones", "miller", "lee", "kim", "patel", "lopez",
		"brown", "davis", "wilson", "moore", "taylor", "thomas", "jackson", "white", "harris", "martin"}
	var names []string
	for _, s := range surnames {
		names = append(names, "Emma "+strings.ToUpper(s[:1])+s[1:])
	}
	few := names[:MinSurnames-1]
	if got := m.Ethnicity(slices.Values(few)); got != (Shares{}) {
		t.Errorf("%d surnames: got %+v, want nothing", len(few), got)
	}
	if got := m.Ethnicity(slices.Values(slices.Repeat(few, 100))); got != (Shares{}) {
		t.Errorf("%d surnames many times: got %+v, want nothing", len(few), got)
	}
	got := m.Ethnicity(slices.Values(append(names, "Emma Xqzwk", "Acme Inc", "lucy")))
	sum := got.White + got.Latino + got.Black + got.Asian + got.Other
	if got.Known != MinSurnames || math.Abs(sum-1) > 1e-9 {
		t.Errorf("%d surnames: got %+v, which sum to %v", len(names), got, sum)
	}
}

func TestEthnicityOf(t *testing.T) {
	m := newModel(t)
	table, err := m.surnames()
	if err != nil {
		t.Fatal(err)
	}
	people := map[string]int64{"xqzwk": 1000, "smith": -5}
	for i := range MinSurnames {
		people[table.name(i)] = 1
	}
	people["garcia"], people["nguyen"] = 500, 250
	got := m.EthnicityOf(people)
	if got.Known != 770 {
		t.Errorf("got %d known, want 770", got.Known)
	}
	// 92% of people named Garcia are Latino, and 97% of people named Nguyen are Asian.
	if math.Abs(got.Latino-0.60) > 0.02 || math.Abs(got.Asian-0.315) > 0.02 {
		t.Errorf("got %+v", got)
	}
	if again := m.EthnicityOf(maps.Clone(people)); again != got {
		t.Errorf("the same people give %+v, then %+v", got, again)
	}
}
