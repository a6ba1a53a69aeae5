package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/analysis"
)

// TestChoices includes and excludes values of posts, and posts without a value.
func TestChoices(t *testing.T) {
	w := newWorld(t)
	add := func(guid, language, country, gender string) {
		p := post("Twitter", guid)
		p.Language, p.Place.Country, p.Gender = language, country, earshot.Gender(gender)
		p.Contents = "coffee " + guid
		w.add(t, p)
	}
	add("english", "en", "", "")
	add("german", "de", "", "")
	add("latin", "la", "", "") // not a language that can be chosen
	add("american", "", "USA", "")
	add("french", "", "FRA", "")
	add("woman", "", "", "F")
	add("man", "", "", "M")
	add("unknown", "", "", "")
	all := []string{"american", "english", "french", "german", "latin", "man", "unknown", "woman"}

	s := w.patientService()
	f := func(name, kind, values string, want ...string) {
		t.Helper()
		choice := &analysis.Choice{Type: kind, Values: strings.Fields(values)} // empty but not nil
		var got []string
		for _, guid := range all {
			form := coffee()
			form.Keywords = guid
			switch name {
			case "languages":
				form.Languages = choice
			case "locations":
				form.Locations = choice
			case "gender":
				form.Gender = choice
			}
			if submit(t, s, form).Metrics.Posts > 0 {
				got = append(got, guid)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %s %s: got %v, want %v", name, kind, values, got, want)
		}
	}
	except := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(guid string) bool { return slices.Contains(names, guid) })
	}
	every := strings.Join(earshot.Languages, " ")
	for _, name := range []string{"languages", "locations", "gender"} { // no values means no restriction
		f(name, "include", "", all...)
		f(name, "exclude", "", all...)
	}
	f("languages", "include", "EN", "english")
	f("languages", "Include", "en DE", "english", "german")
	f("languages", "exclude", "EN", except("english")...)
	f("languages", "include", "all", "english", "german", "latin")
	f("languages", "include", every, "english", "german", "latin")
	f("languages", "EXCLUDE", "All", except("english", "german", "latin")...)
	f("languages", "exclude", every, except("english", "german", "latin")...)

	f("locations", "include", "USA", "american")
	f("locations", "include", "usa FRA", "american", "french")
	f("locations", "exclude", "USA", except("american")...)
	f("locations", "include", "ALL", "american", "french")
	f("locations", "exclude", "all", except("american", "french")...)

	f("gender", "include", "F", "woman")
	f("gender", "include", "m", "man")
	f("gender", "exclude", "F", except("woman")...)
	f("gender", "include", "M F", "man", "woman")
	f("gender", "include", "all", "man", "woman")
	f("gender", "exclude", "F M", except("man", "woman")...)
	f("gender", "exclude", "all", except("man", "woman")...)
}

func TestChoicesCombine(t *testing.T) {
	w := newWorld(t)
	for i, gender := range []earshot.Gender{"F", "M", ""} {
		for j, language := range []string{"en", "fr", ""} {
			p := post("Twitter", fmt.Sprint(i, j))
			p.Gender, p.Language = gender, language
			w.add(t, p)
		}
	}
	form := coffee()
	form.Languages = &analysis.Choice{Type: "include", Values: []string{"EN", "FR"}}
	form.Gender = &analysis.Choice{Type: "exclude", Values: []string{"M"}}
	if got := submit(t, w.patientService(), form).Metrics.Posts; got != 4 {
		t.Errorf("got %d posts, want 4", got)
	}
}
