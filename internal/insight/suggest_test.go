package insight_test

import (
	"fmt"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/insight"
)

func TestCountTerms(t *testing.T) {
	own, other := post("own", "2026-03-11T09:00:00Z", "kelvaron"), post("other", "2026-03-11T10:00:00Z", "kelvaroo kelvaroo2")
	own.Team, other.Team = 7, 8
	s := store(t,
		post("a", "2026-03-10T12:00:00Z", "Kelvarro is a #Kelvarro"),
		post("b", "2026-03-10T13:00:00Z", "kelvarro cold brew"),
		post("c", "2026-03-10T14:00:00Z", "kelvero café brwe"),
		post("d", "2026-03-20T12:00:00Z", "kelvaros"), // on a later day
		own, other,
	)
	f := func(keywords, want string) {
		t.Helper()
		m := &earshot.Monitor{Team: 7, Type: earshot.Buzz, Timezone: "UTC", Criteria: earshot.Criteria{Keywords: keywords, Languages: earshot.Choice{Values: []string{"de"}}}}
		terms, err := s.CountTerms(t.Context(), m, earshot.Days{Start: date(1), End: date(15)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, term := range terms {
			line := fmt.Sprint(term.Text, "@", term.Position, " ", term.Posts)
			if term.Excluded {
				line = "not " + line
			}
			for _, similar := range term.Similar {
				line += fmt.Sprint(" ", similar.Text, "=", similar.Posts)
			}
			got = append(got, line)
		}
		if joined := strings.Join(got, "; "); joined != want {
			t.Errorf("%s:\ngot  %s\nwant %s", keywords, joined, want)
		}
	}
	f("kelvarro", "kelvarro@1 2")
	f("Kelvaro", "Kelvaro@1 0 kelvarro=2 kelvaron=1 kelvero=1") // not the word of another team, nor of another day
	f("#kelvaro", "#kelvaro@1 0 #kelvarro=1")
	f("café AND cafè", "café@1 1; cafè@10 0 cafe=1")
	f(`brew NOT kelvraro`, "brew@1 1; not kelvraro@10 0 kelvarro=2 kelvaron=1 kelvero=1")
	f(`"cold brewe"`, "cold brewe@2 0; brewe@7 0 brew=1 brwe=1")
	f(`"brew cold"`, "brew cold@2 0") // both words exist
	f(`xy OR zzzzzzzz OR kelvax*`, "xy@1 0; zzzzzzzz@7 0; kelvax*@19 0")
	f(`author:kelvaro`, "kelvaro@8 0")
}

func TestRelatedTerms(t *testing.T) {
	var posts []earshot.Post
	add := func(n int, contents string) {
		for range n {
			p := post(fmt.Sprint("p", len(posts)), "2026-03-10T12:00:00Z", contents)
			p.Author = fmt.Sprint("author", len(posts))
			posts = append(posts, p)
		}
	}
	add(40, "kelvarro recall of the battery")
	add(10, "kelvarro in the morning")
	add(200, "weather in the morning")
	add(3, "battery weather")
	s := store(t, posts...)
	related := func(keywords string) []insight.Driver {
		m := &earshot.Monitor{Team: 7, Type: earshot.Buzz, Timezone: "UTC", Criteria: earshot.Criteria{Keywords: keywords}}
		found, err := s.RelatedTerms(t.Context(), m, earshot.Days{Start: date(1), End: date(15)})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	var got []string
	for _, d := range related("kelvarro") {
		got = append(got, fmt.Sprintf("%s %d of %.1f", d.Name, d.Posts, d.Expected))
	}
	if joined, want := strings.Join(got, "; "), "battery 40 of 0.7; recall 40 of 0.0"; joined != want {
		t.Errorf("got %s, want %s", joined, want)
	}
	if got := related("nothing"); len(got) != 0 {
		t.Errorf("got %v for a query without posts", got)
	}
}
