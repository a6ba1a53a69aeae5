package watchlist

import (
	"errors"
	"testing"

	"earshot"
	"earshot/internal/query"
)

func TestCondition(t *testing.T) {
	const team = earshot.TeamID(7)
	include := func(values ...string) earshot.Choice { return earshot.Choice{Values: values} }
	exclude := func(values ...string) earshot.Choice { return earshot.Choice{Exclude: true, Values: values} }
	sanDiego := earshot.Place{Country: "USA", State: "CA", City: "San Diego"}

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
		{"another team's post with the source asked for", earshot.Criteria{Sources: []string{"Survey"}}, earshot.Post{Team: 8, Source: "Survey"}, false},
		{"a source that is listed", earshot.Criteria{Sources: []string{"Twitter", "News"}}, earshot.Post{Source: earshot.News}, true},
		{"a source that is not listed", earshot.Criteria{Sources: []string{"Twitter", "News"}}, earshot.Post{Source: earshot.Blogs}, false},
		{"a content source by its name", earshot.Criteria{Sources: []string{"Survey"}}, earshot.Post{Team: team, Source: "Survey"}, true},

		{"included language", earshot.Criteria{Languages: include("EN", "DE")}, earshot.Post{Language: "de"}, true},
		{"language that is not included", earshot.Criteria{Languages: include("EN", "DE")}, earshot.Post{Language: "fr"}, false},
		{"including languages leaves out posts without one", earshot.Criteria{Languages: include(earshot.Languages...)}, earshot.Post{}, false},
		{"excluded language", earshot.Criteria{Languages: exclude("EN")}, earshot.Post{Language: "en"}, false},
		{"language that is not excluded", earshot.Criteria{Languages: exclude("EN")}, earshot.Post{Language: "fr"}, true},
		{"excluding languages keeps posts without one", earshot.Criteria{Languages: exclude(earshot.Languages...)}, earshot.Post{}, true},
		{"excluding no language", earshot.Criteria{Languages: exclude()}, earshot.Post{Language: "en"}, true},

		{"place within an included one", earshot.Criteria{Places: include("USA.CA")}, earshot.Post{Place: sanDiego}, true},
		{"the included place itself", earshot.Criteria{Places: include("FRA", "USA.CA.San Diego")}, earshot.Post{Place: sanDiego}, true},
		{"place around an included one", earshot.Criteria{Places: include("USA.CA")}, earshot.Post{Place: earshot.Place{Country: "USA"}}, false},
		{"place elsewhere", earshot.Criteria{Places: include("USA.NY")}, earshot.Post{Place: sanDiego}, false},
		{"including places leaves out posts without one", earshot.Criteria{Places: include("USA")}, earshot.Post{}, false},
		{"place within an excluded one", earshot.Criteria{Places: exclude("USA")}, earshot.Post{Place: sanDiego}, false},
		{"place outside an excluded one", earshot.Criteria{Places: exclude("FRA")}, earshot.Post{Place: sanDiego}, true},
		{"excluding places keeps posts without one", earshot.Criteria{Places: exclude("USA")}, earshot.Post{}, true},

		{"the gender asked for", earshot.Criteria{Gender: earshot.Female}, earshot.Post{Gender: earshot.Female}, true},
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

func TestCompileErrors(t *testing.T) {
	tests := []struct {
		criteria earshot.Criteria
		want     string
	}{
		{earshot.Criteria{Keywords: "apple AND"}, "Invalid keywords at position 10: expected a word, a phrase or ( after AND, found the end"},
		{earshot.Criteria{Places: earshot.Choice{Values: []string{"USA", "XXX"}}}, "Unknown place 'XXX'"},
		{earshot.Criteria{Gender: "X"}, "Invalid gender 'X': M or F"},
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
