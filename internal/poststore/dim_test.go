package poststore

import (
	"slices"
	"testing"
	"time"

	"earshot"
)

func TestAppendKeys(t *testing.T) {
	post := earshot.Post{
		Source: "Letters", ContentSource: 3, Time: time.Date(2024, time.March, 1, 23, 45, 0, 0, time.UTC), Site: "example.com", Language: "en",
		Place: earshot.Place{Country: "JAM", State: "St. Elizabeth", City: "Santa Cruz"}, Gender: earshot.Male, Age: earshot.Counted(18),
		Author: "Kim (Kim Example)", Hashtags: []string{"b", "a", "", "b"}, Cashtags: []string{"acme", "acme"}, Engagement: earshot.Reply, ParentGUID: "parent",
		Sentiment: earshot.Sentiment{10, 10, 80}, Emotion: earshot.Emotion{earshot.Surprise: 100},
		Interests: []earshot.InterestID{2, 7}, AuthorInterests: []earshot.InterestID{2, 300},
		Images: []earshot.Image{{Objects: []earshot.ImageObject{{ClassID: 3, ClassName: "cat"}}, Brands: []earshot.ImageBrand{{ID: "b", Name: "Acme"}}}},
	}
	want := map[Dim][]string{
		ByHour:          {"2024-03-01T23:30:00Z"},
		ByDay:           {"2024-03-02"},
		BySource:        {"Letters"},
		ByContentSource: {"3"},
		BySite:          {"example.com"},
		ByLanguage:      {"en"},
		ByCountry:       {"JAM"},
		ByState:         {"JAM.St. Elizabeth"},
		ByCity:          {"JAM.St. Elizabeth.Santa Cruz"},
		ByGender:        {"M"},
		ByAge:           {"EIGHTEEN_TO_TWENTYFOUR"},
		ByAuthor:        {"kim (kim example)"},
		ByHashtag:       {"b", "a"},
		ByCashtag:       {"acme"},
		ByEngagement:    {"REPLY"},
		ByParent:        {"parent"},
		BySentiment:     {"Basic Negative"},
		ByEmotion:       {"Surprise"},
		ByInterest:      {"2", "7", "300"},
		ByImageClass:    {"3 cat"},
		ByBrand:         {"b Acme"},
		ByPicture:       {"yes"},
		ByClock:         {"Friday 18"},
	}
	india := time.FixedZone("", 19800)
	for _, d := range Dims {
		// What is in the slice already is neither changed nor compared with.
		got := d.AppendKeys([]string{"a"}, &post, india)
		if got[0] != "a" || !slices.Equal(got[1:], want[d]) {
			t.Errorf("dimension %d: got %q, want %q", d, got[1:], want[d])
		}
		if d == ByHour || d == ByDay || d == ByClock {
			continue
		}
		if got := d.AppendKeys(nil, &earshot.Post{}, india); len(got) > 0 {
			t.Errorf("dimension %d: got %q of a post that states nothing", d, got)
		}
	}
}
