package poststore

import (
	"testing"
	"time"

	"earshot"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

func TestSelectionMatches(t *testing.T) {
	noon := time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)
	post := earshot.Post{
		Source: "Letters", ContentSource: 3, Team: 7, GUID: "a", Time: noon, Contents: "an apple a day",
		Site: "news.example.com", Author: "Kim (Kim Example)", AuthorUsername: "kim_e",
	}
	apple, err := watchlist.Compile(7, earshot.Criteria{Keywords: "apple"})
	if err != nil {
		t.Fatal(err)
	}
	pear, err := watchlist.Compile(7, earshot.Criteria{Keywords: "pear"})
	if err != nil {
		t.Fatal(err)
	}
	f := func(s Selection, want bool) {
		t.Helper()
		if got := s.Matches(query.NewDocument(&post)); got != want {
			t.Errorf("%+v: got %v, want %v", s, got, want)
		}
	}
	f(Selection{}, true)
	f(Selection{Set: 99}, true) // the store knows
	f(Selection{From: noon, To: noon.Add(1)}, true)
	f(Selection{From: noon.Add(1)}, false)
	f(Selection{To: noon}, false)
	f(Selection{ContentSource: 3}, true)
	f(Selection{ContentSource: 4}, false)
	f(Selection{Geotagged: true}, false)
	f(Selection{Where: apple}, true)
	f(Selection{Where: pear}, false)
	f(Selection{Where: apple, ContentSource: 4}, false)
	f(Selection{Sites: []string{"example.org", "EXAMPLE.com"}}, true)
	f(Selection{Sites: []string{"news.example.com"}}, true)
	f(Selection{Sites: []string{"more.news.example.com"}}, false)
	f(Selection{Sites: []string{"ample.com"}}, false)
	f(Selection{Sites: []string{""}}, false)
	f(Selection{Authors: []string{"nobody", "KIM"}}, true)
	f(Selection{Authors: []string{"Kim_E"}}, true)
	f(Selection{Authors: []string{"kim (kim example)"}}, true)
	f(Selection{Authors: []string{"Kim Example"}}, false)
	f(Selection{Authors: []string{""}}, false)
}

func TestNamed(t *testing.T) {
	post := earshot.Post{ContentSource: 3, Batch: "one", GUID: "a", URL: "https://example.com/a"}
	f := func(d earshot.Deletion, want bool) {
		t.Helper()
		if got := DeletionMatcher(d)(&post); got != want {
			t.Errorf("%+v: got %v, want %v", d, got, want)
		}
	}
	f(earshot.Deletion{}, false)
	f(earshot.Deletion{GUIDs: []string{"a"}}, false)
	f(earshot.Deletion{ContentSource: 4}, false)
	f(earshot.Deletion{ContentSource: 3}, true)
	f(earshot.Deletion{ContentSource: 3, Batch: "one"}, true)
	f(earshot.Deletion{ContentSource: 3, Batch: "two"}, false)
	f(earshot.Deletion{ContentSource: 3, GUIDs: []string{"b", "a"}}, true)
	f(earshot.Deletion{ContentSource: 3, GUIDs: []string{"b"}}, false)
	f(earshot.Deletion{ContentSource: 3, GUIDs: []string{""}}, false)
	f(earshot.Deletion{ContentSource: 3, GUIDs: []string{"b"}, URLs: []string{"https://example.com/a"}}, true)
	f(earshot.Deletion{ContentSource: 3, Batch: "two", GUIDs: []string{"a"}}, false)

	post.URL = ""
	f(earshot.Deletion{ContentSource: 3, URLs: []string{""}}, false)
}
