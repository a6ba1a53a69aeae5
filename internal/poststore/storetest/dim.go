package storetest

import (
	"fmt"

	"earshot"
	"earshot/internal/poststore"
)

var dimCases = []testCase{
	{"by source counts display names", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Source = earshot.GooglePlus },
			func(p *earshot.Post) { p.Source = earshot.GooglePlus },
			func(p *earshot.Post) { p.Source, p.ContentSource = "Letters", 3 },
		)
		s.wantBy(poststore.BySource, "Google Plus 2", "Letters 1")
	}},
	{"by content source counts ids of custom content only", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Source, p.ContentSource = "Letters", 2147483650 },
			func(p *earshot.Post) { p.Source, p.ContentSource = "Other letters", 2147483650 },
			nil,
		)
		s.wantBy(poststore.ByContentSource, "2147483650 2")
	}},
	{"by site counts registered domains", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Site = "example.com" },
			func(p *earshot.Post) { p.Site = "news.example.com" },
			func(p *earshot.Post) { p.Site = "a.b.example.co.uk" },
			func(p *earshot.Post) { p.Site = "ann.blogspot.com" },
			func(p *earshot.Post) { p.Site = "192.0.2.1" },
			func(p *earshot.Post) { p.Site = "localhost" },
			func(p *earshot.Post) { p.Site = "2001:db8::1" },
			nil,
		)
		s.wantBy(poststore.BySite, "example.com 2", "192.0.2.1 1", "2001:db8::1 1", "ann.blogspot.com 1", "example.co.uk 1", "localhost 1")
	}},
	{"by language counts stated languages", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Language = "en" },
			func(p *earshot.Post) { p.Language = "ja" },
			nil,
		)
		s.wantBy(poststore.ByLanguage, "en 1", "ja 1")
	}},
	{"by country, state and city counts each post at its own level and above", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Place = earshot.Place{Country: "USA"} },
			func(p *earshot.Post) { p.Place = earshot.Place{Country: "USA", State: "CA"} },
			func(p *earshot.Post) { p.Place = earshot.Place{Country: "USA", State: "CA", City: "San Diego"} },
			func(p *earshot.Post) { p.Place = earshot.Place{Country: "USA", State: "TX", City: "San Diego"} },
			func(p *earshot.Post) { p.Place = earshot.Place{Country: "JAM", State: "St. Elizabeth"} },
			nil,
		)
		s.wantBy(poststore.ByCountry, "USA 4", "JAM 1")
		s.wantBy(poststore.ByState, "USA.CA 2", "JAM.St. Elizabeth 1", "USA.TX 1")
		s.wantBy(poststore.ByCity, "USA.CA.San Diego 1", "USA.TX.San Diego 1")
	}},
	{"an incomplete place counts down to its last complete level", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Place = earshot.Place{Country: "USA", City: "San Diego"} },
			func(p *earshot.Post) { p.Place = earshot.Place{State: "CA"} },
		)
		s.wantBy(poststore.ByCountry, "USA 1")
		s.wantBy(poststore.ByState)
		s.wantBy(poststore.ByCity)
	}},
	{"by gender counts assigned genders", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Gender = earshot.Male },
			func(p *earshot.Post) { p.Gender = earshot.Female },
			func(p *earshot.Post) { p.Gender = earshot.Female },
			nil,
		)
		s.wantBy(poststore.ByGender, "F 2", "M 1")
	}},
	{"by age counts groups including both bounds", func(s *subject) {
		for _, years := range []int64{0, 17, 18, 24, 25, 34, 35, 120} {
			s.add(post(fmt.Sprint(years), func(p *earshot.Post) { p.Age = earshot.Counted(years) }))
		}
		s.add(post("unknown", nil))
		s.wantBy(poststore.ByAge, "EIGHTEEN_TO_TWENTYFOUR 2", "THIRTYFIVE_AND_OVER 2", "TWENTYFIVE_TO_THIRTYFOUR 2", "ZERO_TO_SEVENTEEN 2")
	}},
	{"by age counts inferred groups unless the age is stated", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.AgeGroup = earshot.EighteenToTwentyFour },
			func(p *earshot.Post) { p.AgeGroup, p.Age = earshot.EighteenToTwentyFour, earshot.Counted(60) },
		)
		s.wantBy(poststore.ByAge, "EIGHTEEN_TO_TWENTYFOUR 1", "THIRTYFIVE_AND_OVER 1")
	}},
	{"by sentiment and by emotion counts the highest score, the first of equal ones", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Sentiment = earshot.Sentiment{40, 40, 20} },
			func(p *earshot.Post) {
				p.Sentiment, p.Emotion = earshot.Sentiment{0, 1, 99}, earshot.Emotion{earshot.Anger: 100}
			},
			func(p *earshot.Post) {
				p.Sentiment, p.Emotion = earshot.Sentiment{0, 1, 99}, earshot.Emotion{earshot.NoEmotion: 100}
			},
			nil,
		)
		s.wantBy(poststore.BySentiment, "Basic Negative 2", "Basic Positive 1")
		s.wantBy(poststore.ByEmotion, "Anger 1", "Neutral 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByEmotion, poststore.BySentiment}}, "Anger,Basic Negative 1", "Neutral,Basic Negative 1")
	}},
	{"by cell of the sentiment and the emotion counts similar scores", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Sentiment = earshot.Sentiment{40, 40, 20} },
			func(p *earshot.Post) { p.Sentiment, p.Emotion = earshot.Sentiment{39, 42, 19}, earshot.Emotion{95, 5} },
			func(p *earshot.Post) {
				p.Sentiment, p.Emotion = earshot.Sentiment{0, 1, 99}, earshot.Emotion{earshot.Anger: 100}
			},
			nil,
		)
		s.wantBy(poststore.BySentimentCell, "38 2", "11 1")
		s.wantBy(poststore.ByEmotionCell, "14 1", "5 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.BySentimentCell, poststore.BySource, poststore.ByLanguage}})
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.BySentimentCell, poststore.BySource}}, "38,Twitter 2", "11,Twitter 1")
	}},
	{"by version of the models counts every post", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.InferredBy = 4 },
			func(p *earshot.Post) { p.InferredBy, p.Sentiment = 4, earshot.Sentiment{40, 40, 20} },
			func(p *earshot.Post) { p.InferredBy = 1<<16 | 6 },
			nil,
		)
		s.wantBy(poststore.ByModels, "4 2", "0 1", "65542 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.BySentimentCell, poststore.ByModels}}, "38,4 1")
		s.wantRowsOf(poststore.Selection{Having: []poststore.Having{{By: poststore.ByModels, Keys: []string{"0", "65542"}}}}, poststore.Tally{By: []poststore.Dim{poststore.ByModels}}, "0 1", "65542 1")
	}},
	{"by interest counts interests of the post and its author once each", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) {
				p.Interests, p.AuthorInterests = []earshot.InterestID{1, 200}, []earshot.InterestID{1, 3}
			},
			func(p *earshot.Post) { p.AuthorInterests = []earshot.InterestID{3} },
			nil,
		)
		s.wantBy(poststore.ByInterest, "3 2", "1 1", "200 1")
	}},
	{"by picture counts posts with images, whether analyzed or not", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Images = []earshot.Image{{URL: "u"}, {URL: "v"}} },
			func(p *earshot.Post) {
				p.Images, p.Language = []earshot.Image{{Objects: []earshot.ImageObject{{ClassID: 1, ClassName: "person"}}}}, "en"
			},
			func(p *earshot.Post) { p.MediaURLs = []string{"https://example.com/a.png"} },
			nil,
		)
		s.wantBy(poststore.ByPicture, "yes 2")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByPicture, poststore.ByLanguage}}, "yes,en 1")
	}},
	{"by image class and by brand counts posts, not images", func(s *subject) {
		cup, brand := earshot.ImageObject{ClassID: 47, ClassName: "coffee cup"}, earshot.ImageBrand{ID: "b1", Name: "Acme Co"}
		s.addEach(
			func(p *earshot.Post) {
				p.Hashtags = []string{"x", "y"}
				p.Images = []earshot.Image{{Objects: []earshot.ImageObject{cup, cup}}, {Objects: []earshot.ImageObject{cup}, Brands: []earshot.ImageBrand{brand}}}
			},
			func(p *earshot.Post) {
				p.Images = []earshot.Image{{Objects: []earshot.ImageObject{{ClassID: 1, ClassName: "person"}, cup}}}
			},
			nil,
		)
		s.wantBy(poststore.ByImageClass, "47 coffee cup 2", "1 person 1")
		s.wantBy(poststore.ByBrand, "b1 Acme Co 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByImageClass, poststore.ByHashtag}}, "47 coffee cup,x 1", "47 coffee cup,y 1")
	}},
	{"by cashtag counts each post once per tag", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Cashtags, p.Hashtags = []string{"acme", "brk.b", "acme"}, []string{"x"} },
			func(p *earshot.Post) { p.Cashtags = []string{"acme"} },
			func(p *earshot.Post) { p.Hashtags = []string{"x"} },
			nil,
		)
		s.wantBy(poststore.ByCashtag, "acme 2", "brk.b 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByCashtag, poststore.ByHashtag}}, "acme,x 1", "brk.b,x 1")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByHashtag, poststore.ByCashtag}}, "x,acme 1", "x,brk.b 1")
	}},
	{"by author counts usernames, or authors if there is none, in lower case", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.AuthorUsername, p.Author = "Kim", "Kim Example" },
			func(p *earshot.Post) { p.AuthorUsername, p.Author = "KIM", "Someone else" },
			func(p *earshot.Post) { p.Author = "Kim" },
			func(p *earshot.Post) { p.Author = "Lee (Lee Example)" },
			nil,
		)
		s.wantBy(poststore.ByAuthor, "kim 3", "lee (lee example) 1")
	}},
	{"by engagement counts stated engagements", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.Engagement = earshot.Retweet },
			func(p *earshot.Post) { p.Engagement = earshot.Retweet },
			func(p *earshot.Post) { p.Engagement = earshot.OriginalPost },
			func(p *earshot.Post) { p.Engagement = earshot.Reply },
			func(p *earshot.Post) { p.Engagement = earshot.Comment },
			nil,
		)
		s.wantBy(poststore.ByEngagement, "RETWEET 2", "COMMENT 1", "POST 1", "REPLY 1")
	}},
	{"by parent counts replies to and reposts of a post", func(s *subject) {
		s.addEach(
			func(p *earshot.Post) { p.ParentGUID = "1" },
			func(p *earshot.Post) { p.ParentGUID = "1" },
			func(p *earshot.Post) { p.ParentGUID = "not stored" },
			nil,
		)
		s.wantBy(poststore.ByParent, "1 2", "not stored 1")
	}},
}

// addEach appends one post per change.
func (s *subject) addEach(changes ...func(*earshot.Post)) {
	s.Helper()
	for i, change := range changes {
		s.add(post(fmt.Sprint("post ", i), change))
	}
}

// wantBy checks the rows of all posts by a single dimension.
func (s *subject) wantBy(d poststore.Dim, want ...string) {
	s.Helper()
	s.wantRows(poststore.Tally{By: []poststore.Dim{d}}, want...)
}
