package enginekit

import (
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
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
	want := map[poststore.Dim][]string{
		poststore.ByHour:          {"2024-03-01T23:30:00Z"},
		poststore.ByDay:           {"2024-03-02"},
		poststore.BySource:        {"Letters"},
		poststore.ByContentSource: {"3"},
		poststore.BySite:          {"example.com"},
		poststore.ByLanguage:      {"en"},
		poststore.ByCountry:       {"JAM"},
		poststore.ByState:         {"JAM.St. Elizabeth"},
		poststore.ByCity:          {"JAM.St. Elizabeth.Santa Cruz"},
		poststore.ByGender:        {"M"},
		poststore.ByAge:           {"EIGHTEEN_TO_TWENTYFOUR"},
		poststore.ByAuthor:        {"kim (kim example)"},
		poststore.ByHashtag:       {"b", "a"},
		poststore.ByCashtag:       {"acme"},
		poststore.ByEngagement:    {"REPLY"},
		poststore.ByParent:        {"parent"},
		poststore.BySentiment:     {"Basic Negative"},
		poststore.ByEmotion:       {"Surprise"},
		poststore.BySentimentCell: {"26"},
		poststore.ByEmotionCell:   {"6"},
		poststore.ByInterest:      {"2", "7", "300"},
		poststore.ByImageClass:    {"3 cat"},
		poststore.ByBrand:         {"b Acme"},
		poststore.ByPicture:       {"yes"},
		poststore.ByClock:         {"Friday 18"},
		poststore.ByModels:        {"0"},
	}
	india := time.FixedZone("", 19800)
	for _, d := range poststore.Dims {
		// Existing elements of the slice are neither modified nor compared with new ones.
		got := AppendKeys([]string{"a"}, d, &post, india)
		if got[0] != "a" || !slices.Equal(got[1:], want[d]) {
			t.Errorf("dimension %d: got %q, want %q", d, got[1:], want[d])
		}
		if d == poststore.ByHour || d == poststore.ByDay || d == poststore.ByClock || d == poststore.ByModels {
			continue
		}
		if got := AppendKeys(nil, d, &earshot.Post{}, india); len(got) > 0 {
			t.Errorf("dimension %d: got %q for an empty post", d, got)
		}
	}
}
