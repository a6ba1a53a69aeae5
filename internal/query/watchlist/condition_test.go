package watchlist

import (
	"cmp"
	"errors"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/query"
)

func TestCondition(t *testing.T) {
	const team = earshot.TeamID(7)
	include := func(values ...string) earshot.Choice { return earshot.Choice{Values: values} }
	exclude := func(values ...string) earshot.Choice { return earshot.Choice{Exclude: true, Values: values} }
	sanDiego := earshot.Place{Country: "USA", State: "CA", City: "San Diego"}
	countries := allCountries

	tests := []struct {
		name     string
		criteria earshot.Criteria
		post     earshot.Post
		want     bool
	}{
		{"no criteria match every post", earshot.Criteria{}, earshot.Post{Source: earshot.News}, true},
		{"blank keywords match every post", earshot.Criteria{Keywords: " \n"}, earshot.Post{}, true},
		{"a post of the team", earshot.Criteria{}, earshot.Post{Team: team}, true},
		{"a post of another team", earshot.Criteria{}, earshot.Post{Team: 8}, false},
		{"another team's post with a listed source", earshot.Criteria{Sources: []string{"Survey"}}, earshot.Post{Team: 8, Source: "Survey"}, false},
		{"a listed source", earshot.Criteria{Sources: []string{"Twitter", "News"}}, earshot.Post{Source: earshot.News}, true},
		{"a source not listed", earshot.Criteria{Sources: []string{"Twitter", "News"}}, earshot.Post{Source: earshot.Blogs}, false},
		{"a content source by its name", earshot.Criteria{Sources: []string{"Survey"}}, earshot.Post{Team: team, Source: "Survey"}, true},

		{"included language", earshot.Criteria{Languages: include("EN", "DE")}, earshot.Post{Language: "de"}, true},
		{"language not included", earshot.Criteria{Languages: include("EN", "DE")}, earshot.Post{Language: "fr"}, false},
		{"including languages rejects posts without one", earshot.Criteria{Languages: include(earshot.Languages...)}, earshot.Post{}, false},
		{"excluded language", earshot.Criteria{Languages: exclude("EN")}, earshot.Post{Language: "en"}, false},
		{"language not excluded", earshot.Criteria{Languages: exclude("EN")}, earshot.Post{Language: "fr"}, true},
		{"excluding languages accepts posts without one", earshot.Criteria{Languages: exclude(earshot.Languages...)}, earshot.Post{}, true},
		{"including all languages accepts those that cannot be chosen", earshot.Criteria{Languages: include(earshot.Languages...)}, earshot.Post{Language: "tl"}, true},
		{"excluding all languages rejects those that cannot be chosen", earshot.Criteria{Languages: exclude(earshot.Languages...)}, earshot.Post{Language: "tl"}, false},
		{"all languages but one are not all", earshot.Criteria{Languages: include(earshot.Languages[1:]...)}, earshot.Post{Language: "tl"}, false},
		{"all languages, some repeated and in lower case", earshot.Criteria{Languages: include(append([]string{"en", "EN"}, earshot.Languages...)...)}, earshot.Post{Language: "tl"}, true},
		{"excluding no language", earshot.Criteria{Languages: exclude()}, earshot.Post{Language: "en"}, true},

		{"place within an included one", earshot.Criteria{Places: include("USA.CA")}, earshot.Post{Place: sanDiego}, true},
		{"the included place itself", earshot.Criteria{Places: include("FRA", "USA.CA.San Diego")}, earshot.Post{Place: sanDiego}, true},
		{"place that contains an included one", earshot.Criteria{Places: include("USA.CA")}, earshot.Post{Place: earshot.Place{Country: "USA"}}, false},
		{"place elsewhere", earshot.Criteria{Places: include("USA.NY")}, earshot.Post{Place: sanDiego}, false},
		{"including places rejects posts without one", earshot.Criteria{Places: include("USA")}, earshot.Post{}, false},
		{"place within an excluded one", earshot.Criteria{Places: exclude("USA")}, earshot.Post{Place: sanDiego}, false},
		{"place outside an excluded one", earshot.Criteria{Places: exclude("FRA")}, earshot.Post{Place: sanDiego}, true},
		{"excluding places accepts posts without one", earshot.Criteria{Places: exclude("USA")}, earshot.Post{}, true},

		{"including a country accepts places in it", earshot.Criteria{Places: include("FRA", "USA", "DEU")}, earshot.Post{Place: sanDiego}, true},
		{"a country and part of another", earshot.Criteria{Places: include("FRA", "USA.CA")}, earshot.Post{Place: earshot.Place{Country: "USA", State: "TX"}}, false},
		{"including all countries accepts posts with a place", earshot.Criteria{Places: include(countries...)}, earshot.Post{Place: sanDiego}, true},
		{"including all countries accepts unknown places", earshot.Criteria{Places: include(countries...)}, earshot.Post{Place: earshot.Place{Country: "XYZ"}}, true},
		{"including all countries rejects posts without a place", earshot.Criteria{Places: include(countries...)}, earshot.Post{}, false},
		{"excluding all countries accepts posts without a place", earshot.Criteria{Places: exclude(append([]string{"USA.CA"}, countries...)...)}, earshot.Post{}, true},
		{"excluding all countries rejects posts with a place", earshot.Criteria{Places: exclude(countries...)}, earshot.Post{Place: earshot.Place{Country: "XYZ"}}, false},
		{"all countries but one are not all", earshot.Criteria{Places: exclude(countries[1:]...)}, earshot.Post{Place: earshot.Place{Country: "XYZ"}}, true},

		{"the chosen gender", earshot.Criteria{Gender: earshot.Female}, earshot.Post{Gender: earshot.Female}, true},
		{"another gender", earshot.Criteria{Gender: earshot.Female}, earshot.Post{Gender: earshot.Male}, false},
		{"no gender", earshot.Criteria{Gender: earshot.Female}, earshot.Post{}, false},

		{"keywords in the title", earshot.Criteria{Keywords: "apple"}, earshot.Post{Title: "Apple", Contents: "pie"}, true},
		{"keywords that do not occur", earshot.Criteria{Keywords: "apple"}, earshot.Post{Contents: "pie"}, false},
		{"all criteria must hold", earshot.Criteria{Keywords: "apple", Gender: earshot.Male, Languages: include("EN")}, earshot.Post{Contents: "apple", Gender: earshot.Male, Language: "fr"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Compile(team, tt.criteria)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Match(query.NewDocument(&tt.post)); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}

// allCountries lists the IDs of all countries.
var allCountries = func() (ids []string) {
	for _, c := range geo.Countries() {
		ids = append(ids, c.Place.ID())
	}
	return ids
}()

func TestWithGenders(t *testing.T) {
	c, err := Compile(7, earshot.Criteria{Keywords: "apple", Languages: earshot.Choice{Values: []string{"EN"}}})
	if err != nil {
		t.Fatal(err)
	}
	f := func(exclude bool, genders, want string) {
		t.Helper()
		with := c.WithGenders(earshot.Choice{Exclude: exclude, Values: strings.Fields(genders)})
		got := ""
		for _, g := range []earshot.Gender{"M", "F", ""} {
			if with.Match(query.NewDocument(&earshot.Post{Contents: "apple", Language: "en", Gender: g})) {
				got += cmp.Or(string(g), "-")
			}
			if with.Match(query.NewDocument(&earshot.Post{Contents: "apple", Language: "fr", Gender: g})) {
				t.Error("the language is no longer checked")
			}
		}
		if got != want {
			t.Errorf("exclude %t %q: got %q, want %q", exclude, genders, got, want)
		}
	}
	f(false, "", "MF-")
	f(true, "", "MF-")
	f(false, "M", "M")
	f(false, "F", "F")
	f(false, "M F", "MF")
	f(true, "M", "F-")
	f(true, "F", "M-")
	f(true, "F M", "-")
	if !c.Match(query.NewDocument(&earshot.Post{Contents: "apple", Language: "en"})) {
		t.Error("the original condition was modified")
	}
	one, err := Compile(7, earshot.Criteria{Gender: earshot.Female})
	if err != nil {
		t.Fatal(err)
	}
	if with := one.WithGenders(earshot.Choice{Values: []string{"M"}}); !with.Match(query.NewDocument(&earshot.Post{Gender: earshot.Male})) {
		t.Error("the new choice does not replace the old one")
	}
}

func TestCompileErrors(t *testing.T) {
	tests := []struct {
		criteria earshot.Criteria
		want     string
	}{
		{earshot.Criteria{Keywords: "apple AND"}, "Invalid keywords at position 10: expected a word, a phrase or ( after AND, found the end"},
		{earshot.Criteria{Places: earshot.Choice{Values: []string{"USA", "XXX"}}}, "Unknown place 'XXX'"},
		{earshot.Criteria{Gender: "X"}, "Invalid gender 'X': must be M or F"},
	}
	for _, tt := range tests {
		_, err := Compile(1, tt.criteria)
		var shown *earshot.Error
		if !errors.As(err, &shown) || shown.Kind != earshot.Invalid || shown.Message != tt.want {
			t.Errorf("%+v: got %v, want %s", tt.criteria, err, tt.want)
		}
	}
}

func TestFilterNarrowsItsMonitor(t *testing.T) {
	m := &earshot.Monitor{Team: 1, Criteria: earshot.Criteria{Keywords: "apple"}}
	c, err := CompileFilter(m, &earshot.Filter{Criteria: earshot.Criteria{Keywords: "pie"}})
	if err != nil {
		t.Fatal(err)
	}
	for contents, want := range map[string]bool{"apple": false, "pie": false, "apple pie": true} {
		if got := c.Match(query.NewDocument(&earshot.Post{Contents: contents})); got != want {
			t.Errorf("%q: got %t, want %t", contents, got, want)
		}
	}
}
