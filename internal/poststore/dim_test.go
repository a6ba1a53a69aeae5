package poststore

import (
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // the zones below are known wherever the test runs

	"earshot"
)

func TestAppendKeys(t *testing.T) {
	post := earshot.Post{
		Source: "Letters", ContentSource: 3, Time: time.Date(2024, time.March, 1, 23, 45, 0, 0, time.UTC), Site: "example.com", Language: "en",
		Place: earshot.Place{Country: "JAM", State: "St. Elizabeth", City: "Santa Cruz"}, Gender: earshot.Male, Age: earshot.Counted(18),
		Author: "Kim (Kim Example)", Hashtags: []string{"b", "a", "", "b"}, Engagement: earshot.Reply, ParentGUID: "parent",
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
		ByEngagement:    {"REPLY"},
		ByParent:        {"parent"},
	}
	india := time.FixedZone("", 19800)
	for _, d := range Dims {
		// What is in the slice already is neither changed nor compared with.
		got := d.AppendKeys([]string{"a"}, &post, india)
		if got[0] != "a" || !slices.Equal(got[1:], want[d]) {
			t.Errorf("dimension %d: got %q, want %q", d, got[1:], want[d])
		}
		if d == ByHour || d == ByDay {
			continue
		}
		if got := d.AppendKeys(nil, &earshot.Post{}, india); len(got) > 0 {
			t.Errorf("dimension %d: got %q of a post that states nothing", d, got)
		}
	}
}

func TestHourStart(t *testing.T) {
	f := func(zone, at, want string) {
		t.Helper()
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := HourStart(moment, loc).UTC().Format(time.RFC3339); got != want {
			t.Errorf("HourStart(%s, %s) = %s, want %s", at, zone, got, want)
		}
	}
	f("UTC", "2024-03-01T12:00:00Z", "2024-03-01T12:00:00Z")
	f("UTC", "2024-03-01T12:59:59.999999999Z", "2024-03-01T12:00:00Z")
	f("Asia/Kathmandu", "2024-03-01T12:00:00Z", "2024-03-01T11:15:00Z")

	// Berlin: 2:00 becomes 3:00, and 3:00 becomes 2:00.
	f("Europe/Berlin", "2024-03-31T00:59:59Z", "2024-03-31T00:00:00Z")
	f("Europe/Berlin", "2024-03-31T01:00:00Z", "2024-03-31T01:00:00Z")
	f("Europe/Berlin", "2024-10-27T00:30:00Z", "2024-10-27T00:00:00Z")
	f("Europe/Berlin", "2024-10-27T01:30:00Z", "2024-10-27T01:00:00Z")

	// Lord Howe Island: 2:00 becomes 1:30, and 2:00 becomes 2:30.
	f("Australia/Lord_Howe", "2024-04-06T14:59:00Z", "2024-04-06T14:00:00Z")
	f("Australia/Lord_Howe", "2024-04-06T15:10:00Z", "2024-04-06T15:00:00Z")
	f("Australia/Lord_Howe", "2024-04-06T15:30:00Z", "2024-04-06T15:30:00Z")
	f("Australia/Lord_Howe", "2024-10-05T15:29:00Z", "2024-10-05T14:30:00Z")
	f("Australia/Lord_Howe", "2024-10-05T15:40:00Z", "2024-10-05T15:30:00Z")
}
