package storetest

import (
	"math"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var selectCases = []testCase{
	{"start of range is inclusive and end of range is exclusive", func(s *subject) {
		s.add(postAt("a", "2024-02-29T23:59:59Z"), postAt("b", "2024-03-01T00:00:00Z"), postAt("c", "2024-03-01T23:59:59Z"), postAt("d", "2024-03-02T00:00:00Z"))
		s.wantPosts(poststore.Selection{From: parseTime("2024-03-01T00:00:00Z"), To: parseTime("2024-03-02T00:00:00Z")}, "c", "b")
		s.wantCount(poststore.Selection{From: parseTime("2024-03-01T00:00:00Z"), To: parseTime("2024-03-02T00:00:00Z")}, 2)
	}},
	{"a range without start or end is open on that side", func(s *subject) {
		s.add(postAt("a", "1969-07-20T20:17:40Z"), postAt("b", "2024-03-01T00:00:00Z"), postAt("c", "2091-01-01T00:00:00Z"))
		s.wantPosts(poststore.Selection{From: parseTime("2024-03-01T00:00:00Z")}, "c", "b")
		s.wantPosts(poststore.Selection{To: parseTime("2024-03-01T00:00:00Z")}, "a")
		s.wantPosts(poststore.Selection{}, "c", "b", "a")
	}},
	{"a range may begin and end within a day, in any zone", func(s *subject) {
		s.add(postAt("a", "2024-03-01T10:59:59Z"), postAt("b", "2024-03-01T11:00:00Z"), postAt("c", "2024-03-01T11:29:59Z"), postAt("d", "2024-03-01T11:30:00Z"))
		india := time.FixedZone("", 5*60*60+30*60)
		s.wantPosts(poststore.Selection{From: parseTime("2024-03-01T11:00:00Z").In(india), To: parseTime("2024-03-01T11:30:00Z").In(india)}, "c", "b")
	}},
	{"a range that ends before it starts selects nothing", func(s *subject) {
		s.add(post("a", nil))
		s.wantPosts(poststore.Selection{From: noon.Add(time.Hour), To: noon.Add(-time.Hour)})
	}},
	{"FromPost selects this post and those after it", func(s *subject) {
		s.add(postAt("late", "2024-03-01T13:00:00Z", 1), post("b", nil), post("d", nil), post("c", nil), postAt("early", "2024-03-01T11:00:00Z", 1))
		s.add(custom(3, "c", nil), custom(4, "c", nil))
		from := func(m poststore.MatchedPost) poststore.Selection { return poststore.Selection{FromPost: &m.Post} }
		s.wantPosts(from(postAt("z", "2024-03-01T13:00:00Z")), "b", "c", "c", "c", "d", "early")
		s.wantPosts(from(post("a", nil)), "b", "c", "c", "c", "d", "early")
		s.wantPosts(from(custom(3, "c", nil)), "c", "c", "c", "d", "early") // Letters before Twitter
		s.wantPosts(from(custom(4, "c", nil)), "c", "c", "d", "early")
		s.wantPosts(from(post("c", nil)), "c", "d", "early")
		s.wantPosts(from(post("c2", nil)), "d", "early")
		s.wantPosts(from(post("e", nil)), "early")
		s.wantPosts(from(postAt("early", "2024-03-01T10:59:59Z")))
		of := from(post("c", nil))
		of.Set = 1
		s.wantPosts(of, "early")
		s.wantRowsOf(from(post("c", nil)), poststore.Tally{By: []poststore.Dim{poststore.BySource}}, "Twitter 3")
	}},
	{"a monitor selects the posts it matched", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1), postAt("b", "2024-03-01T12:00:00Z", 2, 1), postAt("c", "2024-03-01T12:00:00Z"))
		s.wantPosts(poststore.Selection{Set: 1}, "a", "b")
		s.wantPosts(poststore.Selection{Set: 2}, "b")
		s.wantPosts(poststore.Selection{Set: 3})
		s.wantPosts(poststore.Selection{}, "a", "b", "c")
	}},
	{"a content source selects its posts", func(s *subject) {
		s.add(custom(3, "a", nil), custom(4, "b", nil), post("c", nil))
		s.wantPosts(poststore.Selection{ContentSource: 3}, "a")
	}},
	{"a site selects itself and its subdomains in any case", func(s *subject) {
		for guid, site := range map[string]string{"a": "example.com", "b": "news.example.com", "c": "notexample.com", "d": "example.com.au", "e": "example.org", "f": ""} {
			s.add(post(guid, func(p *earshot.Post) { p.Site = site }))
		}
		s.wantPosts(poststore.Selection{Sites: []string{"Example.com"}}, "a", "b")
		s.wantPosts(poststore.Selection{Sites: []string{"news.example.com", "example.org"}}, "b", "e")
		s.wantPosts(poststore.Selection{Sites: []string{"com"}}, "a", "b", "c")
		s.wantPosts(poststore.Selection{Sites: []string{""}})
	}},
	{"sources select posts of any of them", func(s *subject) {
		for guid, source := range map[string]earshot.Source{"a": earshot.Twitter, "b": earshot.Reddit, "c": "Letters", "d": earshot.Blogs} {
			s.add(post(guid, func(p *earshot.Post) { p.Source = source }))
		}
		s.wantPosts(poststore.Selection{Sources: []earshot.Source{earshot.Reddit}}, "b")
		s.wantPosts(poststore.Selection{Sources: []earshot.Source{"Letters", earshot.Twitter, "nowhere"}}, "a", "c")
		s.wantCount(poststore.Selection{Sources: []earshot.Source{"letters"}}, 0)
		s.wantRowsOf(poststore.Selection{Sources: []earshot.Source{earshot.Blogs, earshot.Reddit}}, poststore.Tally{By: []poststore.Dim{poststore.BySource}}, "Blogs 1", "Reddit 1")
	}},
	{"an author is found by name, username or handle in any case", func(s *subject) {
		s.add(
			post("a", func(p *earshot.Post) { p.Author = "Kim (Kim Example)" }),
			post("b", func(p *earshot.Post) { p.Author, p.AuthorUsername = "Example, Kim", "kim" }),
			post("c", func(p *earshot.Post) { p.Author = "kimono" }),
			post("d", nil),
		)
		s.wantPosts(poststore.Selection{Authors: []string{"KIM"}}, "a", "b")
		s.wantPosts(poststore.Selection{Authors: []string{"example, kim"}}, "b")
		s.wantPosts(poststore.Selection{Authors: []string{"kim (kim example)", "Kimono"}}, "a", "c")
		s.wantPosts(poststore.Selection{Authors: []string{"Kim Example"}})
		s.wantPosts(poststore.Selection{Authors: []string{""}})
	}},
	{"an account is found by handle, profile ID or page ID in any case", func(s *subject) {
		s.add(
			post("a", func(p *earshot.Post) { p.Author = "@Kim (Kim Example)" }),
			post("b", func(p *earshot.Post) { p.Author, p.AuthorUsername = "Example, Kim", "kim" }),
			post("c", func(p *earshot.Post) { p.AuthorProfileID = "KIM" }),
			post("d", func(p *earshot.Post) { p.Source, p.PageID = earshot.Bluesky, "Kim" }),
			post("e", func(p *earshot.Post) { p.Source, p.PageID, p.Author = earshot.Facebook, "kim", "Other" }), // a comment on the page
			post("f", func(p *earshot.Post) { p.Author = "kimono" }),
			post("g", nil),
		)
		s.wantPosts(poststore.Selection{Accounts: []string{"@KIM"}}, "a", "b", "c", "d")
		s.wantPosts(poststore.Selection{Accounts: []string{"example, kim", "other"}}, "b", "e")
		s.wantPosts(poststore.Selection{Accounts: []string{""}})
		s.wantPosts(poststore.Selection{Accounts: []string{"kim"}, Sources: []earshot.Source{earshot.Bluesky}}, "d")
	}},
	{"a username is found in any case, on any network, but not as a display name", func(s *subject) {
		s.add(
			post("a", func(p *earshot.Post) { p.Author, p.AuthorUsername = "Acme Coffee", "AcmeCoffee" }),
			post("b", func(p *earshot.Post) { p.Source, p.Author = earshot.Reddit, "@acmecoffee (Acme)" }),
			post("c", func(p *earshot.Post) { p.Author, p.AuthorUsername = "acmecoffee", "fan" }),
			post("d", nil),
		)
		s.wantPosts(poststore.Selection{Handles: []string{"@acmeCoffee"}}, "a", "b")
		s.wantPosts(poststore.Selection{Handles: []string{"fan", "nobody"}}, "c")
		s.wantPosts(poststore.Selection{Handles: []string{"Acme Coffee"}})
		s.wantPosts(poststore.Selection{Handles: []string{"", "@"}})
	}},
	{"a range selects by numbers, and leaves out posts without any", func(s *subject) {
		s.add(
			post("a", func(p *earshot.Post) { p.Likes, p.Followers = earshot.Counted(0), earshot.Counted(10) }),
			post("b", func(p *earshot.Post) { p.Likes, p.Shares = earshot.Counted(3), earshot.Counted(4) }),
			post("c", func(p *earshot.Post) { p.Shares = earshot.Counted(math.MaxInt64 - 1) }),
			post("d", nil),
		)
		between := func(min, max int64, of ...poststore.Measure) poststore.Selection {
			return poststore.Selection{Ranges: []poststore.Range{{Of: of, Min: min, Max: max}}}
		}
		s.wantPosts(between(0, math.MaxInt64, poststore.Likes), "a", "b")
		s.wantPosts(between(0, 0, poststore.Likes), "a")
		s.wantPosts(between(10, 10, poststore.Impressions), "a")
		s.wantPosts(between(3, 7, poststore.Likes, poststore.Shares), "b")
		s.wantPosts(between(8, math.MaxInt64, poststore.Shares, poststore.Shares), "b", "c")
		s.wantPosts(between(7, 3, poststore.Likes, poststore.Shares))
		s.wantPosts(poststore.Selection{Except: []poststore.Selection{between(0, 5, poststore.Likes)}}, "c", "d")
		both := between(1, 5, poststore.Likes)
		both.Ranges = append(both.Ranges, between(5, 9, poststore.Shares).Ranges...)
		s.wantPosts(both)
	}},
	{"a selection leaves out the posts that one of its exceptions picks", func(s *subject) {
		s.addFruit()
		s.wantPosts(poststore.Selection{Except: []poststore.Selection{{Authors: []string{"ann"}}, {Where: s.compile(earshot.Criteria{Languages: earshot.Choice{Values: []string{"FR"}}})}}}, "c", "d")
		s.wantPosts(poststore.Selection{Except: []poststore.Selection{{Set: 1}}}, "d")
		s.wantPosts(poststore.Selection{Except: []poststore.Selection{{Set: 1, Authors: []string{"ann", "dot"}}}}, "b", "c", "d")
		s.wantPosts(poststore.Selection{Set: 1, Except: []poststore.Selection{{Except: []poststore.Selection{{Authors: []string{"ann"}}, {Authors: []string{"cid"}}}}}}, "a", "c")
		s.wantPosts(poststore.Selection{Except: []poststore.Selection{{Set: 99}, {To: noon}}}, "a", "b", "c", "d")
		s.wantPosts(poststore.Selection{Except: []poststore.Selection{{}}})
		days, all := s.marchDays(1, 2), []poststore.Tally{{}}
		s.wantDays(poststore.Selection{Set: 1}, days, all, "[ 3]")
		s.wantDays(poststore.Selection{Set: 1, Except: []poststore.Selection{{Authors: []string{"ann"}}}}, days, all, "[ 2]")
	}},
	{"Geotagged selects posts with coordinates of their own", func(s *subject) {
		s.add(post("a", func(p *earshot.Post) { p.Geotagged = true }), post("b", func(p *earshot.Post) { p.Place.Country = "USA" }))
		s.wantPosts(poststore.Selection{Geotagged: true}, "a")
	}},
	{"After selects posts by their latest journal position", func(s *subject) {
		s.add(post("a", nil), post("b", nil))
		first, err := s.Position(s.ctx())
		if err != nil {
			s.Fatal(err)
		}
		s.add(post("c", func(p *earshot.Post) { p.Language = "en" }), post("b", nil))
		s.wantPosts(poststore.Selection{After: first}, "b", "c")
		s.wantPosts(poststore.Selection{After: first, Where: s.compile(earshot.Criteria{Languages: earshot.Choice{Values: []string{"EN"}}})}, "c")
		s.wantPosts(poststore.Selection{After: first - 1}, "a", "b", "c")
		s.wantPosts(poststore.Selection{After: first + 1})
		s.wantCount(poststore.Selection{After: first, From: noon}, 2)
	}},
	{"a condition selects by words, language and gender", func(s *subject) {
		s.addFruit()
		s.wantPosts(poststore.Selection{Where: s.compile(earshot.Criteria{Keywords: "apple"})}, "a", "b", "d")
		s.wantPosts(poststore.Selection{Where: s.compile(earshot.Criteria{Keywords: "apple OR pear", Languages: earshot.Choice{Values: []string{"EN"}}})}, "a", "c")
		s.wantPosts(poststore.Selection{Where: s.compile(earshot.Criteria{Keywords: "apple", Languages: earshot.Choice{Exclude: true, Values: []string{"EN"}}})}, "b", "d")
		s.wantPosts(poststore.Selection{Where: s.compile(earshot.Criteria{Keywords: "apple", Gender: earshot.Female})}, "a", "d")
	}},
	{"a condition alone selects no custom content of other teams", func(s *subject) {
		s.add(
			custom(3, "a", func(p *earshot.Post) { p.Contents = "apple" }),
			custom(4, "b", func(p *earshot.Post) { p.Contents, p.Team = "apple", team+1 }),
			post("c", func(p *earshot.Post) { p.Contents = "apple" }),
		)
		s.wantPosts(poststore.Selection{Where: s.compile(earshot.Criteria{Keywords: "apple"})}, "a", "c")
		s.wantPosts(poststore.Selection{Where: s.compile(earshot.Criteria{})}, "a", "c")
		s.wantCount(poststore.Selection{Where: s.compile(earshot.Criteria{Keywords: "apple"}), From: noon, To: noon.Add(time.Second)}, 2)
	}},
	{"all conditions of a selection must hold", func(s *subject) {
		s.addFruit()
		apple := s.compile(earshot.Criteria{Keywords: "apple"})
		s.wantPosts(poststore.Selection{Where: apple, Set: 1}, "a", "b")
		s.wantPosts(poststore.Selection{Where: apple, Set: 1, Authors: []string{"bob"}}, "b")
		s.wantPosts(poststore.Selection{Where: apple, Set: 1, Authors: []string{"bob"}, Sites: []string{"example.org"}})
		s.wantCount(poststore.Selection{Where: apple, Set: 1, From: noon, To: noon.Add(time.Second)}, 2)
		s.wantCount(poststore.Selection{Where: apple, Set: 1, From: noon.Add(time.Second)}, 0)
	}},
}

// addFruit appends four posts. Three of them contain the word apple. Two of those and the other one
// are in monitor 1.
func (s *subject) addFruit() {
	s.Helper()
	fruit := func(contents, language, author string, gender earshot.Gender) func(*earshot.Post) {
		return func(p *earshot.Post) {
			p.Contents, p.Language, p.Author, p.Gender, p.Site = contents, language, author, gender, "example.com"
		}
	}
	posts := []poststore.MatchedPost{
		post("a", fruit("an apple a day", "en", "ann", earshot.Female)),
		post("b", fruit("apple rouge", "fr", "bob", earshot.Male)),
		post("c", fruit("a pear a week", "en", "cid", earshot.Male)),
		post("d", fruit("apple", "", "dot", earshot.Female)),
	}
	for i := range 3 {
		posts[i].Sets = []poststore.SetID{1}
	}
	s.add(posts...)
}
