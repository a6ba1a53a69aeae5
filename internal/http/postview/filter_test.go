package postview

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

func berlinMonitor() *earshot.Monitor {
	return &earshot.Monitor{ID: earshot.FirstID, Team: earshot.FirstID, Timezone: "Europe/Berlin"}
}

func TestRefine(t *testing.T) {
	m := berlinMonitor()
	var s Service
	f := func(filter string, want ...poststore.Having) {
		t.Helper()
		sel, err := s.Refine(m, filter, insight.Categorization{})
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
	f("weekday:monday|hour:13, 7", poststore.Having{By: poststore.ByClock, Keys: []string{"Monday 7", "Monday 13"}, Zone: m.Location()})

	sel, err := s.Refine(m, "weekday:Sunday,Friday", insight.Categorization{})
	if err != nil || len(sel.Having) != 1 || len(sel.Having[0].Keys) != 48 || sel.Having[0].Keys[47] != "Friday 23" {
		t.Errorf("two days are %v, %v", sel.Having, err)
	}
	sel, err = s.Refine(m, "hour:0", insight.Categorization{})
	if err != nil || len(sel.Having) != 1 || len(sel.Having[0].Keys) != 7 || sel.Having[0].Keys[6] != "Saturday 0" {
		t.Errorf("an hour is %v, %v", sel.Having, err)
	}
}

func TestRefineAcceptsFilterFields(t *testing.T) {
	sel, err := new(Service).Refine(berlinMonitor(), `site:www.example.com|keywords:"a|b"|author:ann,bob|gender:f|language:EN|geolocation:USA;DEU|hour:3`, insight.Categorization{})
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
	const all = filterFields + ", hashtag, age, interest, image, brand, weekday, hour, engagement"
	many := "hashtag:a" + strings.Repeat(",a", maxValues)
	for filter, want := range map[string]string{
		"colour:red":             "there is no field 'colour'; the fields are " + all,
		"hashtag":                "pairs field:value separated by |, with the fields " + all,
		"hashtag:,":              "hashtag has no value",
		"hashtag:#":              "hashtag '#' is not a hashtag, with or without #",
		"age:17":                 "age '17' is not one of ZERO_TO_SEVENTEEN, EIGHTEEN_TO_TWENTYFOUR, TWENTYFIVE_TO_THIRTYFOUR, THIRTYFIVE_AND_OVER",
		"interest:tea":           "interest 'tea' is not the id of an interest",
		"interest:65535":         "interest '65535' is not the id of an interest",
		"image:cat":              "image 'cat' is not the id of an image class",
		"weekday:Mon":            "weekday 'Mon' is not a day of the week, like Monday",
		"hour:24":                "hour '24' is not a whole number from 0 to 23",
		"hour:-1":                "hour '-1' is not a whole number from 0 to 23",
		"engagement:POST,SHARED": "engagement 'SHARED' is not one of POST, RETWEET, REPLY, COMMENT",
		many:                     "at most 1000 values",
	} {
		_, err := new(Service).Refine(berlinMonitor(), filter, insight.Categorization{})
		if want := earshot.InvalidParameter("filter", filter, want).Error(); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", earshot.Clip(filter, 50), err, want)
		}
	}
}

func TestFilterRejectsRefinementFields(t *testing.T) {
	for _, field := range refinementFields {
		err := new(Filter).UnmarshalText([]byte(field + ":1"))
		if want := fmt.Sprintf("there is no field '%s'; the fields are %s", field, filterFields); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
