package filter

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

func berlinMonitor() *earshot.Monitor {
	return &earshot.Monitor{ID: earshot.FirstID, Team: earshot.FirstID, Timezone: "Europe/Berlin"}
}

// refine applies a filter on behalf of a user without an ID.
func refine(s *Service, m *earshot.Monitor, text string) (poststore.Selection, error) {
	return s.Refinement(&earshot.Caller{}, m, text).Selection(nil)
}

func TestRefine(t *testing.T) {
	m := berlinMonitor()
	var s Service
	f := func(filter string, want ...poststore.Having) {
		t.Helper()
		sel, err := refine(&s, m, filter)
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			return
		}
		if got := fmt.Sprint(sel.Having); got != fmt.Sprint(want) {
			t.Errorf("%s:\n got %v\nwant %v", filter, got, want)
		}
	}
	f("")
	f("author:ann")
	f("hashtag:#Coffee, tea,＃Milk", poststore.Having{By: poststore.ByHashtag, Keys: []string{"coffee", "tea", "milk"}})
	f("age:zero_to_seventeen,THIRTYFIVE_AND_OVER", poststore.Having{By: poststore.ByAge, Keys: []string{"ZERO_TO_SEVENTEEN", "THIRTYFIVE_AND_OVER"}})
	f("interest:1|interest:02", poststore.Having{By: poststore.ByInterest, Keys: []string{"1"}}, poststore.Having{By: poststore.ByInterest, Keys: []string{"2"}})
	f("image:47", poststore.Having{By: poststore.ByImageClass, Keys: []string{"47"}})
	f("brand:Acme Co", poststore.Having{By: poststore.ByBrand, Keys: []string{"Acme_Co"}})
	f("|engagement:reply,POST|hashtag:tea|author:ann",
		poststore.Having{By: poststore.ByEngagement, Keys: []string{"REPLY", "POST"}},
		poststore.Having{By: poststore.ByHashtag, Keys: []string{"tea"}})
	f("sentiment:positive,Basic Negative|emotion:JOY",
		poststore.Having{By: poststore.BySentiment, Keys: []string{"Basic Positive", "Basic Negative"}},
		poststore.Having{By: poststore.ByEmotion, Keys: []string{"Joy"}})
	f("weekday:monday|hour:13, 7", poststore.Having{By: poststore.ByClock, Keys: []string{"Monday 7", "Monday 13"}, Zone: m.Location()})

	f("time:2026-03-10T14:00..2026-03-10T16:00|author:ann", poststore.Having{By: poststore.ByHour, Keys: []string{"2026-03-10T13:00:00Z", "2026-03-10T14:00:00Z"}, Zone: m.Location()})
	f("time:2026-03-29T01:00..2026-03-29T04:00", // clocks are set forward at 2
		poststore.Having{By: poststore.ByHour, Keys: []string{"2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z"}, Zone: m.Location()})

	m.Timezone = "Australia/Lord_Howe" // clocks are set forward by half an hour at 2
	f("time:2026-10-04T01:00..2026-10-04T05:00",
		poststore.Having{By: poststore.ByHour, Keys: []string{"2026-10-03T14:30:00Z", "2026-10-03T15:30:00Z", "2026-10-03T16:00:00Z", "2026-10-03T17:00:00Z"}, Zone: m.Location()})
	m = berlinMonitor()

	sel, err := refine(&s, m, "weekday:Sunday,Friday")
	if err != nil || len(sel.Having) != 1 || len(sel.Having[0].Keys) != 48 || sel.Having[0].Keys[47] != "Friday 23" {
		t.Errorf("two days are %v, %v", sel.Having, err)
	}
	sel, err = refine(&s, m, "hour:0")
	if err != nil || len(sel.Having) != 1 || len(sel.Having[0].Keys) != 7 || sel.Having[0].Keys[6] != "Saturday 0" {
		t.Errorf("an hour is %v, %v", sel.Having, err)
	}
}

func TestRefineAcceptsFilterFields(t *testing.T) {
	sel, err := refine(new(Service), berlinMonitor(), `site:www.example.com|keywords:"a|b"|author:ann,bob|gender:f|language:EN|geolocation:USA;DEU|hour:3`)
	if err != nil {
		t.Fatal(err)
	}
	post := earshot.Post{
		Site: "example.com", Contents: "a|b", Author: "Ann", Gender: "F", Language: "en", Place: earshot.Place{Country: "DEU"},
		Time: time.Date(2024, time.March, 1, 2, 0, 0, 0, time.UTC),
	}
	if !enginekit.MatchesPost(&sel, &post) || sel.Where == nil || fmt.Sprint(sel.Sites, sel.Authors) != "[example.com] [ann bob]" {
		t.Errorf("%+v does not select %+v", sel, post)
	}
	post.Time = post.Time.Add(time.Hour)
	if enginekit.MatchesPost(&sel, &post) {
		t.Errorf("%+v selects %+v", sel, post)
	}
}

func TestRefineErrors(t *testing.T) {
	var all = joinFields(Fields) + ", sentiment, emotion, hashtag, age, interest, image, brand, weekday, hour, time, engagement, followers, likes, shares, comments, interactions, own, tag, starred, assigned, corrected"
	many := "hashtag:a" + strings.Repeat(",a", maxValues)
	for filter, want := range map[string]string{
		"colour:red":                  "there is no field 'colour'; the fields are " + all,
		"hashtag":                     "pairs field:value separated by |, with the fields " + all,
		"hashtag:,":                   "hashtag has no value",
		"hashtag:#":                   "hashtag '#' is not a hashtag, with or without #",
		"age:17":                      "age '17' is not one of ZERO_TO_SEVENTEEN, EIGHTEEN_TO_TWENTYFOUR, TWENTYFIVE_TO_THIRTYFOUR, THIRTYFIVE_AND_OVER",
		"interest:tea":                "interest 'tea' is not the id of an interest",
		"interest:65535":              "interest '65535' is not the id of an interest",
		"image:cat":                   "image 'cat' is not the id of an image class",
		"weekday:Mon":                 "weekday 'Mon' is not a day of the week, like Monday",
		"hour:24":                     "hour '24' is not a whole number from 0 to 23",
		"hour:-1":                     "hour '-1' is not a whole number from 0 to 23",
		"engagement:POST,SHARED":      "engagement 'SHARED' is not one of POST, RETWEET, REPLY, COMMENT",
		many:                          "at most 1000 values",
		"-" + many:                    "at most 1000 values",
		"--source:News":               "there is no field '--source'; the fields are " + all,
		"-colour:red":                 "there is no field '-colour'; the fields are " + all,
		"-author:, ,":                 "author has no value",
		"-hour:24":                    "hour '24' is not a whole number from 0 to 23",
		"-":                           "pairs field:value separated by |, with the fields " + all,
		"sentiment:happy":             "sentiment 'happy' is not one of positive, neutral, negative",
		"emotion:rage":                "emotion 'rage' is not one of joy, sadness, neutral, disgust, anger, surprise, fear",
		"likes:many":                  "likes 'many' is not a range of whole numbers like 5..50, 5.. or ..50",
		"likes:..":                    "likes '..' is not a range of whole numbers like 5..50, 5.. or ..50",
		"likes:-1..":                  "likes '-1..' is not a range of whole numbers like 5..50, 5.. or ..50",
		"likes:1..2..3":               "likes '1..2..3' is not a range of whole numbers like 5..50, 5.. or ..50",
		"likes:9..3":                  "likes '9..3' ends before it starts",
		"likes:9223372036854775808..": "likes '9223372036854775808..' is not a range of whole numbers like 5..50, 5.. or ..50",
		"time:2026-03-10T14:00":       "time '2026-03-10T14:00' is not a range of hours like 2026-03-10T14:00..2026-03-10T18:00",
		"time:2026-03-10T14:30..2026-03-10T15:00":  "time '2026-03-10T14:30..2026-03-10T15:00' is not a range of hours like 2026-03-10T14:00..2026-03-10T18:00",
		"-time:2026-03-10T14:00..2026-03-10T14:00": "time '2026-03-10T14:00..2026-03-10T14:00' must span 1 hour to 31 days",
		"time:2026-01-10T14:00..2026-03-10T14:00":  "time '2026-01-10T14:00..2026-03-10T14:00' must span 1 hour to 31 days",
		"own:yes":              "own must be exclude or only",
		"own:only|own:exclude": "own appears twice",
		strings.Repeat("-hour:1|", maxExcept) + "-hour:1": "there are more than 50 negated pairs",
	} {
		_, err := refine(new(Service), berlinMonitor(), filter)
		if want := earshot.InvalidParameter("filter", filter, want).Error(); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", earshot.Clip(filter, 50), err, want)
		}
	}
}

// brand is a Monitors with own accounts.
type brand struct{ Monitors }

func (brand) OwnAccounts(*earshot.Monitor) []string { return []string{"acme", "AcmeHelp"} }

func (brand) FindSource(_ earshot.TeamID, name string) (string, bool) { return name, true }

// picks reports whether a selection picks a post that is in the given sets.
func picks(s *poststore.Selection, p *earshot.Post, sets ...poststore.SetID) bool {
	return (s.Set == 0 || slices.Contains(sets, s.Set)) && enginekit.Matches(s, query.NewDocument(p)) &&
		!slices.ContainsFunc(s.Except, func(other poststore.Selection) bool { return picks(&other, p, sets...) })
}

func TestNegatedPairsSelectTheOtherPosts(t *testing.T) {
	m := berlinMonitor()
	m.Type, m.Categories, m.Emotions = earshot.Social, make([]earshot.Category, 3), make([]earshot.Category, 7)
	m.Emotions[earshot.Joy].ID = 5
	unknown := earshot.Post{Source: "News", Contents: "tea", Time: time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)}
	known := earshot.Post{
		Source: earshot.Twitter, GUID: "known", Site: "www.example.com", Contents: `a recall: "tea|milk"`, Author: "Acme", AuthorUsername: "ACME", Gender: "F", Language: "en",
		Place: earshot.Place{Country: "DEU"}, Time: time.Date(2024, time.March, 4, 2, 0, 0, 0, time.UTC), AgeGroup: earshot.UnderEighteen,
		Hashtags: []string{"tea"}, Sentiment: earshot.Sentiment{100, 0, 0}, Emotion: earshot.Emotion{earshot.Joy: 100}, Engagement: earshot.Reply,
		Interests: []earshot.InterestID{1}, Images: []earshot.Image{{Objects: []earshot.ImageObject{{ClassID: 4, ClassName: "cup"}}, Brands: []earshot.ImageBrand{{ID: "b", Name: "B"}}}},
		Followers: earshot.Counted(10), Likes: earshot.Counted(1), Retweets: earshot.Counted(2), Replies: earshot.Counted(3),
	}
	for _, pair := range []string{
		"site:example.com", "keywords:recall", `keywords:"tea|milk"`, "geolocation:DEU;USA", "category:5", "language:en", "source:Twitter,Reddit", "gender:F",
		"author:acme,bob", "sentiment:positive", "emotion:joy,fear", "hashtag:tea", "age:ZERO_TO_SEVENTEEN", "interest:1", "image:4", "brand:b",
		"weekday:Monday", "hour:3", "engagement:reply", "followers:10", "likes:..1", "shares:2..", "comments:1..3", "interactions:6..6", "own:only", "-own:exclude",
		"tag:press,other", "starred:yes", "-starred:no", "assigned:Ann", "assigned:bob,ann", "-assigned:nobody",
	} {
		s := &Service{Monitors: brand{}, Marks: starredPost{}}
		f := func(filter string, p *earshot.Post, want bool) {
			t.Helper()
			sel, err := refine(s, m, filter)
			if err != nil {
				t.Errorf("%s: %v", filter, err)
			} else if got := picks(&sel, p); got != want {
				t.Errorf("%s: got %v, want %v", filter, got, want)
			}
		}
		f(pair, &known, true)
		f(pair, &unknown, false)
		if pair[0] != '-' {
			f("-"+pair, &known, false)
			f("-"+pair, &unknown, true)
			f(pair+"|-"+pair, &known, false)
		}
	}
}

// starredPost is a team that has starred one post, tagged it press, and assigned it to ann, user 7.
type starredPost struct{ Marks }

func (starredPost) FindMember(_ earshot.TeamID, username string) (earshot.UserID, bool) {
	id, ok := map[string]earshot.UserID{"ann": 7, "bob": 8}[strings.ToLower(username)]
	return id, ok
}

func (starredPost) Select(_ earshot.TeamID, f earshot.MarkFilter) *poststore.KeySet {
	found := []earshot.PostKey{{Source: earshot.Twitter, GUID: "known"}}
	for _, tags := range f.Tags {
		if !slices.Contains(tags, "press") {
			found = nil
		}
	}
	for _, users := range f.Assignees {
		if !slices.Contains(users, 7) {
			found = nil
		}
	}
	return poststore.NewKeySet(slices.Values(found))
}

func TestMarksFilter(t *testing.T) {
	m := berlinMonitor()
	s := &Service{Monitors: brand{}, Marks: starredPost{}}
	ann := earshot.NewCaller(&earshot.User{ID: 7, Username: "ann"})
	f := func(filter string, c *earshot.Caller, want bool) {
		t.Helper()
		sel, err := s.Refinement(c, m, filter).Selection(nil)
		if err != nil {
			t.Errorf("%s: %v", filter, err)
		} else if got := picks(&sel, &earshot.Post{Source: earshot.Twitter, GUID: "known"}); got != want {
			t.Errorf("%s by %s: got %v, want %v", filter, c.Name, got, want)
		}
	}
	f("assigned:me", ann, true)
	f("assigned:me", &earshot.Caller{}, false)
	f("tag:press|tag:other", ann, false)
	f("tag:other", ann, false)
	f("starred:no", ann, false)
	f("assigned:nobody", ann, false)
	f("starred:yes|assigned:ann|tag:press", ann, true)

	if _, err := s.Refinement(ann, m, "assigned:cy").Selection(nil); err == nil || !strings.Contains(err.Error(), "assigned 'cy' is not the username of a member") {
		t.Errorf("got %v", err)
	}
	keys := map[string]bool{}
	for _, filter := range []string{"assigned:me", "-tag:press", "starred:no", "assigned:nobody"} {
		key := s.Refinement(ann, m, filter).Key()
		if !strings.HasPrefix(key, filter+" ") || keys[key] {
			t.Errorf("%s: key %q does not depend on the posts", filter, key)
		}
		keys[key] = true
	}
	if s.Refinement(ann, m, "assigned:me").Key() == s.Refinement(&earshot.Caller{}, m, "assigned:me").Key() {
		t.Error("callers with different posts share a key")
	}
}

func TestOwnPostsOfAnAccountAreItsOwnUnderAnyName(t *testing.T) {
	m := berlinMonitor()
	s := &Service{Monitors: brand{}, Marks: starredPost{}}
	page := earshot.Post{Source: earshot.Facebook, Author: "Acme Coffee Roasters", PageID: "77", AuthorProfileID: "77"}
	f := func(filter string, want bool, sets ...poststore.SetID) {
		t.Helper()
		sel, err := refine(s, m, filter)
		if err != nil {
			t.Fatal(err)
		}
		if got := picks(&sel, &page, sets...); got != want {
			t.Errorf("%s, %s: got %v, want %v", m.Type, filter, got, want)
		}
	}
	f("own:only", false, poststore.OwnSet(m.ID))
	f("own:exclude", true, poststore.OwnSet(m.ID))
	m.Type = earshot.Social
	f("own:only", true, poststore.OwnSet(m.ID))
	f("own:exclude", false, poststore.OwnSet(m.ID))
	f("own:exclude", true)
}

func FuzzRefine(f *testing.F) {
	for _, text := range []string{
		"", "|", "-", "|-source:Twitter|keywords:\"a|b\"", "-keywords:{a|b}|likes:..5|own:only", "followers:1000..|-hour:1,2|sentiment:positive", "geolocation:USA;DEU|-age:x",
		"tag:a,b|-tag:c|starred:no", "assigned:me|-assigned:nobody|starred:yes",
	} {
		f.Add(text)
	}
	m := berlinMonitor()
	f.Fuzz(func(t *testing.T, text string) {
		parsed := Filter{more: &refinement{}}
		err := parsed.UnmarshalText([]byte(text))
		if err == nil && (parsed.len() > maxValues || len(parsed.more.except) > maxExcept) {
			t.Errorf("accepts %d values and %d negated pairs", parsed.len(), len(parsed.more.except))
		}
		s := Service{Monitors: brand{}, Marks: starredPost{}}
		if sel, err := refine(&s, m, text); err == nil {
			picks(&sel, &earshot.Post{Contents: text})
		}
		var public Filter
		if public.UnmarshalText([]byte(text)) == nil && err != nil {
			t.Errorf("rejects a filter of the public API: %v", err)
		}
	})
}

func TestFilterRejectsRefinementFields(t *testing.T) {
	negated := []string{"-source", "-keywords", "-sentiment"}
	for _, field := range append(negated, strings.Split(joinFields(refinementFields), ", ")...) {
		err := new(Filter).UnmarshalText([]byte(field + ":1"))
		if want := fmt.Sprintf("there is no field '%s'; the fields are %s", field, joinFields(Fields)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestFilterIgnoresOuterSeparators(t *testing.T) {
	var want Filter
	if err := want.UnmarshalText([]byte("source:Twitter|keywords:coffee")); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"|source:Twitter|keywords:coffee", "source:Twitter|keywords:coffee|", "|source:Twitter|keywords:coffee|"} {
		var got Filter
		if err := got.UnmarshalText([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"|", "||", "source:Twitter||", "source:Twitter||keywords:coffee"} {
		if err := new(Filter).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%s: got no error", text)
		}
	}
}
