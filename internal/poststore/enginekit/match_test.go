package enginekit

import (
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
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
	f := func(s poststore.Selection, want bool) {
		t.Helper()
		if got := Matches(&s, query.NewDocument(&post)); got != want {
			t.Errorf("%+v: got %v, want %v", s, got, want)
		}
	}
	f(poststore.Selection{}, true)
	f(poststore.Selection{Set: 99}, true) // decided by the store
	f(poststore.Selection{From: noon, To: noon.Add(1)}, true)
	f(poststore.Selection{From: noon.Add(1)}, false)
	f(poststore.Selection{To: noon}, false)
	f(poststore.Selection{ContentSource: 3}, true)
	f(poststore.Selection{ContentSource: 4}, false)
	f(poststore.Selection{Geotagged: true}, false)
	f(poststore.Selection{Where: apple}, true)
	f(poststore.Selection{Where: pear}, false)
	f(poststore.Selection{Where: apple, ContentSource: 4}, false)
	f(poststore.Selection{Sites: []string{"example.org", "EXAMPLE.com"}}, true)
	f(poststore.Selection{Sites: []string{"news.example.com"}}, true)
	f(poststore.Selection{Sites: []string{"more.news.example.com"}}, false)
	f(poststore.Selection{Sites: []string{"ample.com"}}, false)
	f(poststore.Selection{Sites: []string{""}}, false)
	f(poststore.Selection{Authors: []string{"nobody", "KIM"}}, true)
	f(poststore.Selection{Authors: []string{"Kim_E"}}, true)
	f(poststore.Selection{Authors: []string{"kim (kim example)"}}, true)
	f(poststore.Selection{Authors: []string{"Kim Example"}}, false)
	f(poststore.Selection{Authors: []string{""}}, false)
}

func TestDeletionMatcher(t *testing.T) {
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

	post = earshot.Post{Source: earshot.Bluesky, Batch: "live/1", GUID: "a", PageID: "ann"}
	f(earshot.Deletion{Source: earshot.Bluesky}, false)
	f(earshot.Deletion{Source: earshot.Bluesky, GUIDs: []string{"a"}}, true)
	f(earshot.Deletion{Source: earshot.Mastodon, GUIDs: []string{"a"}}, false)
	f(earshot.Deletion{Source: earshot.Bluesky, Pages: []string{"ann"}}, true)
	f(earshot.Deletion{Batch: "live/1"}, true)
	f(earshot.Deletion{ContentSource: 3, Source: earshot.Bluesky, GUIDs: []string{"a"}}, false)

	post.Time = time.Date(2026, 3, 15, 12, 0, 0, 5, time.UTC)
	f(earshot.Deletion{Batch: "live/1", Before: post.Time}, false)
	f(earshot.Deletion{Batch: "live/1", Before: post.Time.Add(1)}, true)
	f(earshot.Deletion{Batch: "live/2", Before: post.Time.Add(1)}, false)
	f(earshot.Deletion{Before: post.Time.Add(1)}, false)
}
