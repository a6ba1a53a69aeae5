package storetest

import (
	"earshot"
	"earshot/internal/poststore"
)

var havingCases = []testCase{
	{"a condition picks the posts that are counted under its key", func(s *subject) {
		s.addFull()
		for _, d := range poststore.Dims {
			rows, err := poststore.TallyOne(s.ctx(), s, poststore.Selection{}, poststore.Tally{By: []poststore.Dim{d}})
			s.check(err)
			if len(rows) == 0 {
				s.Errorf("dimension %d has no rows", d)
			}
			for i, row := range rows {
				s.wantCount(having(d, row.Key[0]), row.Posts)
				if i == 0 {
					s.wantCount(having(d, row.Key[0], "nothing", row.Key[0]), row.Posts)
				}
			}
			s.wantCount(having(d), 0)
			s.wantCount(having(d, ""), 0)
			s.wantCount(having(d, "nothing"), 0)
		}
	}},
	{"several keys pick posts with any of them, each post once", func(s *subject) {
		s.addWithHashtags()
		s.wantPosts(having(poststore.ByHashtag, "x", "y"), "a", "b")
		s.wantPosts(having(poststore.ByHashtag, "x"), "a")
		s.wantPosts(having(poststore.ByHashtag, "X"))
		s.wantPosts(having(poststore.ByHashtag, "z", "y"), "a", "b", "c")
		s.wantCount(having(poststore.ByHashtag, "x", "y", "z"), 3)
	}},
	{"a post must satisfy all conditions", func(s *subject) {
		s.addWithHashtags()
		both := poststore.Selection{Having: []poststore.Having{{By: poststore.ByHashtag, Keys: []string{"y"}}, {By: poststore.ByLanguage, Keys: []string{"en", "de"}}}}
		s.wantPosts(both, "a")
		both.Having = append(both.Having, poststore.Having{By: poststore.ByHashtag, Keys: []string{"z"}})
		s.wantPosts(both)
		s.wantPosts(poststore.Selection{Set: 1, Having: []poststore.Having{{By: poststore.ByHashtag, Keys: []string{"y"}}}}, "b")
		s.wantPosts(poststore.Selection{Where: s.compile(earshot.Criteria{Keywords: "apple"}), Having: []poststore.Having{{By: poststore.ByHashtag, Keys: []string{"y", "z"}}}}, "a", "c")
	}},
	{"classes and brands of images are found by id alone, under any name", func(s *subject) {
		showing := func(guid string, class int64, name, brand string) poststore.MatchedPost {
			return post(guid, func(p *earshot.Post) {
				p.Images = []earshot.Image{{Objects: []earshot.ImageObject{{ClassID: class, ClassName: name}}, Brands: []earshot.ImageBrand{{ID: brand, Name: name}}}}
			})
		}
		s.add(showing("a", 4, "cup", "acme co"), showing("b", 4, "mug", "acme"), showing("c", 44, "bottle", ""), showing("d", 5, "cup", "Acme"))
		s.wantPosts(having(poststore.ByImageClass, "4"), "a", "b")
		s.wantPosts(having(poststore.ByImageClass, "4 cup", "5"), "a", "d")
		s.wantPosts(having(poststore.ByImageClass, "4 "))
		s.wantPosts(having(poststore.ByImageClass, "cup"))
		s.wantPosts(having(poststore.ByBrand, "acme"), "b")
		s.wantPosts(having(poststore.ByBrand, "acme_co", "Acme"), "a", "d")
		s.wantPosts(having(poststore.ByBrand, "acme co"))
		s.wantPosts(having(poststore.ByBrand, ""))
		s.wantPosts(having(poststore.ByBrand, " bottle"), "c")
	}},
	{"hours and days of a condition are those of its zone", func(s *subject) {
		s.add(postAt("a", "2024-03-01T18:10:00Z"), postAt("b", "2024-03-01T18:40:00Z"),
			post("c", func(p *earshot.Post) {
				p.Time, p.Place = parseTime("2024-03-01T18:40:00Z"), earshot.Place{Country: "DEU"}
			}))
		of := func(d poststore.Dim, zone string, keys ...string) poststore.Selection {
			return poststore.Selection{Having: []poststore.Having{{By: d, Keys: keys, Zone: s.zone(zone)}}}
		}
		s.wantPosts(of(poststore.ByDay, "Asia/Kolkata", "2024-03-02"), "b", "c")
		s.wantPosts(of(poststore.ByDay, "UTC", "2024-03-02"))
		s.wantPosts(of(poststore.ByHour, "Asia/Kolkata", "2024-03-01T17:30:00Z"), "a")
		s.wantPosts(of(poststore.ByClock, "Asia/Kolkata", "Saturday 0", "Friday 19"), "b", "c")
		s.wantPosts(having(poststore.ByClock, "Friday 18"), "b", "a")
		s.wantPosts(of(poststore.ByHour, "Asia/Kolkata"))
	}},
	{"days with and without a condition are counted separately", func(s *subject) {
		s.addWithHashtags()
		days, all := s.marchDays(1, 3), []poststore.Tally{{}, {By: []poststore.Dim{poststore.ByLanguage}}}
		narrow := poststore.Selection{Set: 1, Having: []poststore.Having{{By: poststore.ByHashtag, Keys: []string{"y"}}}}
		for range 2 {
			s.wantDays(narrow, days, all, "[ 1] [ 0]", "[fr 1] []")
			s.wantDays(poststore.Selection{Set: 1}, days, all, "[ 2] [ 0]", "[de 1 fr 1] []")
			narrow.From, narrow.To = days[0], days[2]
			s.wantRowsOf(narrow, poststore.Tally{By: []poststore.Dim{poststore.ByLanguage}}, "fr 1")
			s.wantRowsOf(poststore.Selection{Set: 1, From: days[0], To: days[2]}, poststore.Tally{By: []poststore.Dim{poststore.ByLanguage}}, "de 1", "fr 1")
		}
	}},
	{"unsupported dimensions pick no posts", func(s *subject) {
		s.addWithHashtags()
		s.wantCount(having(poststore.BySets, "x", "\x00"), 0)
		s.wantCount(having(poststore.ByEthnicity, "White"), 0)
		s.wantCount(having(0, "x"), 0)
	}},
}

// having selects posts that have one of the keys in a dimension.
func having(d poststore.Dim, keys ...string) poststore.Selection {
	return poststore.Selection{Having: []poststore.Having{{By: d, Keys: keys}}}
}

// addWithHashtags appends four posts, three of them with hashtags.
func (s *subject) addWithHashtags() {
	tagged := func(guid, language, contents string, tags []string, monitors ...poststore.SetID) poststore.MatchedPost {
		m := post(guid, func(p *earshot.Post) { p.Language, p.Contents, p.Hashtags = language, contents, tags })
		m.Sets = monitors
		return m
	}
	s.add(
		tagged("a", "en", "apple", []string{"x", "y"}),
		tagged("b", "fr", "pear", []string{"y", "y"}, 1),
		tagged("c", "de", "apple", []string{"z"}, 1),
		tagged("d", "en", "apple", nil),
	)
}

// addFull appends posts that have values in every dimension, and one that has almost none.
func (s *subject) addFull() {
	full := fullPost()
	s.add(poststore.MatchedPost{Post: full}, post("plain", nil))
	full.GUID += " again"
	full.Source, full.Engagement, full.ParentGUID = "Letters of today", earshot.Retweet, "1 2"
	s.add(poststore.MatchedPost{Post: full})
}
