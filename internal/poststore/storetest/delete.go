package storetest

import (
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var deleteCases = []testCase{
	{"a content source alone selects all its posts", func(s *subject) {
		s.addLetters()
		s.remove(earshot.Deletion{ContentSource: 3})
		s.wantPosts(poststore.Selection{}, "a", "z")
		s.wantStored(2)
	}},
	{"a batch selects its posts", func(s *subject) {
		s.addLetters()
		s.remove(earshot.Deletion{ContentSource: 3, Batch: "one"})
		s.wantPosts(poststore.Selection{ContentSource: 3}, "c", "d")
	}},
	{"guids select posts of the content source only", func(s *subject) {
		s.addLetters()
		s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{"a", "d", "z", "unknown"}})
		s.wantPosts(poststore.Selection{}, "a", "b", "c", "z")
		s.wantPosts(poststore.Selection{ContentSource: 3}, "b", "c")
	}},
	{"URLs select posts", func(s *subject) {
		s.addLetters()
		s.remove(earshot.Deletion{ContentSource: 3, URLs: []string{"https://example.com/b"}})
		s.wantPosts(poststore.Selection{ContentSource: 3}, "a", "c", "d")
	}},
	{"guids and URLs select posts in either list", func(s *subject) {
		s.addLetters()
		s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{"a"}, URLs: []string{"https://example.com/b"}})
		s.wantPosts(poststore.Selection{ContentSource: 3}, "c", "d")
	}},
	{"a batch and lists select the listed posts of the batch", func(s *subject) {
		s.addLetters()
		s.remove(earshot.Deletion{ContentSource: 3, Batch: "one", GUIDs: []string{"a", "c"}, URLs: []string{"https://example.com/d"}})
		s.wantPosts(poststore.Selection{ContentSource: 3}, "b", "c", "d")
	}},
	{"an unknown content source or batch selects nothing", func(s *subject) {
		s.addLetters()
		s.remove(earshot.Deletion{ContentSource: 99})
		s.remove(earshot.Deletion{ContentSource: 3, Batch: "unknown"})
		s.wantCount(poststore.Selection{}, 6)
	}},
	{"a deletion without a content source selects nothing", func(s *subject) {
		s.addLetters()
		s.remove(earshot.Deletion{})
		s.remove(earshot.Deletion{GUIDs: []string{"z"}})
		s.wantCount(poststore.Selection{}, 6)
	}},
	{"guids select posts of the network only", func(s *subject) {
		s.addNetworks()
		s.remove(earshot.Deletion{Source: earshot.Bluesky, GUIDs: []string{"a", "c", "unknown", ""}})
		s.wantPosts(poststore.Selection{}, "a", "a", "b", "d")
		s.remove(earshot.Deletion{Source: earshot.Bluesky, Batch: "live/1", GUIDs: []string{"b", "d"}})
		s.wantPosts(poststore.Selection{}, "a", "a", "d")
	}},
	{"pages select posts of the network only", func(s *subject) {
		s.addNetworks()
		s.remove(earshot.Deletion{Source: earshot.Bluesky, Pages: []string{"ann", ""}})
		s.wantPosts(poststore.Selection{}, "a", "a", "c", "d")
		s.remove(earshot.Deletion{Source: earshot.Bluesky, GUIDs: []string{"c"}, Pages: []string{"cem"}})
		s.wantPosts(poststore.Selection{}, "a", "a")
	}},
	{"a batch without a content source selects posts of all networks", func(s *subject) {
		s.addNetworks()
		s.remove(earshot.Deletion{Batch: "live/1"})
		s.wantPosts(poststore.Selection{}, "a", "d")
	}},
	{"a time selects posts that were published before", func(s *subject) {
		noon := time.Date(2024, time.March, 15, 12, 0, 0, 500, time.UTC)
		at := func(t time.Time, batch string) func(*earshot.Post) {
			return func(p *earshot.Post) { p.Source, p.Batch, p.Time = earshot.Bluesky, batch, t }
		}
		s.add(post("a", at(noon.Add(-1), "live/1")), post("b", at(noon, "live/1")), post("c", at(noon.Add(-1), "live/2")))
		s.add(post("d", at(noon.Add(-48*time.Hour), "live/1")), post("e", at(noon.Add(48*time.Hour), "live/1")), custom(3, "f", at(noon.Add(-1), "live/1")))
		s.remove(earshot.Deletion{Batch: "live/1", Before: noon})
		s.wantPosts(poststore.Selection{}, "e", "b", "c", "f")
		s.remove(earshot.Deletion{ContentSource: 3, Batch: "live/1", Before: noon})
		s.wantPosts(poststore.Selection{}, "e", "b", "c")
		s.remove(earshot.Deletion{Source: earshot.Bluesky, GUIDs: []string{"b", "c"}, Before: noon})
		s.wantPosts(poststore.Selection{}, "e", "b")
		s.remove(earshot.Deletion{Before: noon.AddDate(1, 0, 0)})
		s.wantPosts(poststore.Selection{}, "e", "b")
	}},
	{"accounts select posts of all networks and content sources", func(s *subject) {
		s.addAccounts()
		s.remove(earshot.Deletion{Accounts: []string{"Ann"}})
		s.wantPosts(poststore.Selection{}, "e", "f")
		s.wantStored(2)
	}},
	{"accounts select posts of the network only", func(s *subject) {
		s.addAccounts()
		s.remove(earshot.Deletion{Source: earshot.Bluesky, Accounts: []string{"ann"}})
		s.wantPosts(poststore.Selection{}, "c", "d", "e", "f")
	}},
	{"accounts select posts of the content source, batch or time only", func(s *subject) {
		s.addAccounts()
		s.remove(earshot.Deletion{ContentSource: 3, Accounts: []string{"bob", ""}})
		s.wantPosts(poststore.Selection{}, "a", "b", "c", "d", "f")
		s.remove(earshot.Deletion{Batch: "live/1", Accounts: []string{"ann"}})
		s.wantPosts(poststore.Selection{}, "b", "c", "d", "f")
		s.remove(earshot.Deletion{Before: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), Accounts: []string{"ann"}})
		s.wantCount(poststore.Selection{}, 4)
	}},
	{"accounts with other lists, or without names, select nothing", func(s *subject) {
		s.addAccounts()
		s.remove(earshot.Deletion{Accounts: []string{"ann"}, GUIDs: []string{"a"}})
		s.remove(earshot.Deletion{Accounts: []string{"", "@"}})
		s.remove(earshot.Deletion{ContentSource: 3, Source: earshot.Bluesky, Accounts: []string{"ann"}})
		s.wantCount(poststore.Selection{}, 6)
	}},
	{"a network alone selects nothing", func(s *subject) {
		s.addNetworks()
		s.remove(earshot.Deletion{Source: earshot.Bluesky})
		s.remove(earshot.Deletion{Source: earshot.Bluesky, Batch: "live/1"})
		s.remove(earshot.Deletion{Source: earshot.Bluesky, URLs: []string{"https://example.com/a"}})
		s.wantCount(poststore.Selection{}, 6)
	}},
	{"an empty URL does not select posts without a URL", func(s *subject) {
		s.add(custom(3, "a", nil), custom(3, "b", nil))
		s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{"a"}, URLs: []string{""}})
		s.wantPosts(poststore.Selection{}, "b")
	}},
	{"a deleted post is not counted", func(s *subject) {
		p := fullPost()
		s.add(poststore.MatchedPost{Post: p, Sets: []poststore.SetID{1}})
		s.remove(earshot.Deletion{ContentSource: p.ContentSource, GUIDs: []string{p.GUID}})
		s.wantCount(poststore.Selection{Set: 1}, 0)
		for _, d := range poststore.Dims {
			s.wantRows(poststore.Tally{By: []poststore.Dim{d}})
		}
	}},
	{"a deleted post may come back", func(s *subject) {
		s.addLetters()
		s.remove(earshot.Deletion{ContentSource: 3})
		s.add(custom(3, "b", nil))
		s.wantPosts(poststore.Selection{ContentSource: 3}, "b")
	}},
}

// addNetworks appends four Bluesky posts by three accounts, of which a live source delivered three,
// a Mastodon post of the same live source, and custom content with a guid that also exists there.
func (s *subject) addNetworks() {
	s.Helper()
	from := func(network earshot.Source, batch, account string) func(*earshot.Post) {
		return func(p *earshot.Post) {
			p.Source, p.Batch, p.PageID, p.URL = network, batch, account, "https://example.com/"+p.GUID
		}
	}
	s.add(post("a", from(earshot.Bluesky, "live/1", "ann")), post("b", from(earshot.Bluesky, "live/1", "ann")))
	s.add(post("c", from(earshot.Bluesky, "live/1", "bob")), post("d", from(earshot.Bluesky, "live/2", "cem")))
	s.add(post("a", from(earshot.Mastodon, "live/1", "ann")), custom(3, "a", nil))
}

// addAccounts appends four posts by ann, on two networks and in a content source, one by bob and one
// by nobody.
func (s *subject) addAccounts() {
	s.Helper()
	s.add(post("a", func(p *earshot.Post) { p.Source, p.Batch, p.AuthorUsername = earshot.Bluesky, "live/1", "ANN" }))
	s.add(post("b", func(p *earshot.Post) { p.Source, p.PageID = earshot.Bluesky, "ann" }))
	s.add(post("c", func(p *earshot.Post) { p.Source, p.AuthorProfileID = earshot.Mastodon, "ann" }))
	s.add(custom(3, "d", func(p *earshot.Post) { p.Author = "Ann (Ann Lee)" }), custom(3, "e", func(p *earshot.Post) { p.Author = "Bob" }), post("f", nil))
}

// addLetters appends four posts of content source 3 in two batches, one post of another content
// source with a guid that also exists in source 3, and one post of a network.
func (s *subject) addLetters() {
	s.Helper()
	in := func(batch, name string) func(*earshot.Post) {
		return func(p *earshot.Post) { p.Batch, p.URL = batch, "https://example.com/"+name }
	}
	s.add(custom(3, "a", in("one", "a")), custom(3, "b", in("one", "b")))
	s.add(custom(3, "c", in("two", "c")), custom(3, "d", in("two", "d")))
	s.add(custom(4, "a", in("one", "a")), post("z", in("", "z")))
}
