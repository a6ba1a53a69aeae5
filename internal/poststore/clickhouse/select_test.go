package clickhouse

import (
	commandline "flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

var updateSelect = commandline.Bool("update-select", false, "rewrite the files in testdata")

// selections are the cases of TestSelect.
var selections = []struct {
	name string
	of   poststore.Selection
}{
	{"all posts", poststore.Selection{}},
	{"a set within a time range", poststore.Selection{Set: 7, From: time.Unix(1000, 0), To: time.Unix(2000, 5)}},
	{"a set of a category", poststore.Selection{Set: poststore.CategorySet(9, 0), From: time.Unix(1000, 0)}},
	{"keys", poststore.Selection{Keys: poststore.NewKeySet(slices.Values([]earshot.PostKey{{Source: "Twitter", GUID: "a"}}))}},
	{"no keys", poststore.Selection{Keys: poststore.NewKeySet(slices.Values([]earshot.PostKey(nil)))}},
	{"a post and those after it", poststore.Selection{FromPost: &earshot.Post{Time: time.Unix(1000, 7), GUID: "a", Source: "Twitter"}}},
	{"a post and those after it in a set", poststore.Selection{Set: 7, FromPost: &earshot.Post{Time: time.Unix(1000, 7), GUID: "a", Source: "Twitter"}}},
	{"origin", poststore.Selection{
		Sources: []earshot.Source{"Twitter", "Reddit"}, ContentSource: 3, Geotagged: true, Engagement: earshot.Reply, After: 12,
		Parents: []string{"p", ""}, Authors: []string{"ANN", "Kurt"}, Handles: []string{"@Ann"}, Accounts: []string{"ann"},
	}},
	{"sites", poststore.Selection{Sites: []string{"Example.com", ""}}},
	{"a site that needs more than SQL", poststore.Selection{Sites: []string{"münchen.de"}}},
	{"categories", poststore.Selection{Set: 7, Categories: poststore.CategoryFilter{Sentiments: 5, Emotions: 2, Sets: []poststore.SetID{poststore.CategorySet(9, 1), 8}}}},
	{"ranges", poststore.Selection{Ranges: []poststore.Range{{Of: []poststore.Measure{poststore.Likes, poststore.Views}, Min: 1, Max: 9}, {Of: []poststore.Measure{poststore.Impressions}, Min: 5, Max: 6}}}},
	{"a range of nothing", poststore.Selection{Ranges: []poststore.Range{{}}}},
	{"having", poststore.Selection{Having: []poststore.Having{
		{By: poststore.ByLanguage, Keys: []string{"en", ""}},
		{By: poststore.ByHashtag, Keys: []string{"x"}},
		{By: poststore.ByBrand, Keys: []string{"b1"}},
		{By: poststore.BySentiment, Keys: []string{earshot.BasicCategories[1], "unknown"}},
		{By: poststore.ByContentSource, Keys: []string{"4", "04", "0"}},
		{By: poststore.ByRetweeted, Keys: []string{"Twitter 1"}},
		{By: poststore.ByPicture, Keys: []string{"yes"}},
		{By: poststore.ByDay, Keys: []string{"2024-03-01", "2024-3-1"}},
		{By: poststore.ByHour, Keys: []string{"2024-03-01T12:00:00Z"}},
		{By: poststore.ByClock, Keys: []string{"Monday 13"}},
		{By: poststore.ByLanguage},
	}}},
	{"having in a zone without a table", poststore.Selection{Having: []poststore.Having{{By: poststore.ByDay, Keys: []string{"2024-03-01"}, Zone: time.FixedZone("", 3600)}}}},
	{"except", poststore.Selection{Set: 7, From: time.Unix(1000, 0), Except: []poststore.Selection{
		{Set: 8, Sources: []earshot.Source{"Reddit"}, Except: []poststore.Selection{{Geotagged: true}}},
		{},
		{Sites: []string{"münchen.de"}},
	}}},
	{"corrections", poststore.Selection{
		Set:        poststore.CategorySet(9, 0),
		Categories: poststore.CategoryFilter{Sentiments: 1, Sets: []poststore.SetID{poststore.CorrectedSet(9), poststore.ScoreBitSet(9, 0, 1)}},
		Having:     []poststore.Having{{By: poststore.ByEmotionCell, Keys: []string{"3"}}},
		Corrections: poststore.NewCorrections(map[earshot.PostKey]poststore.Correction{
			{Source: "Twitter", GUID: "a"}: {Sentiment: 1, Category: 9},
			{Source: "Twitter", GUID: "b"}: {Emotion: 2, Category: 4},
		}),
	}},
}

// TestSelect compares the conditions of selections with those in testdata/select.txt. Run it with
// -update-select to rewrite the file, and review the difference.
func TestSelect(t *testing.T) {
	v := &view{commit: 5, aborted: []uint64{3}, sets: map[poststore.SetID]setState{7: {gen: 70}, poststore.CategorySet(9, 0): {gen: 90}}}
	table, _ := newZoneTable(time.UTC, 0, 1)
	var b strings.Builder
	for _, c := range selections {
		sel := newSelector(v, &c.of, copiesOf(&c.of), prepared{zones: zones{time.UTC: table}}, new(chhttp.Args))
		conds, exact := sel.conditions(&c.of)
		fmt.Fprintf(&b, "# %s: set %d, exact: %v\n", c.name, sel.set, exact)
		for _, cond := range conds {
			fmt.Fprintf(&b, "%s\n", cond)
		}
		b.WriteString("\n")
	}
	const path = "testdata/select.txt"
	if *updateSelect {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got conditions that differ from %s:\n%s", path, b.String())
	}
}

func TestIntervals(t *testing.T) {
	at := func(sec, nanos int64) time.Time { return time.Unix(sec, nanos).UTC() }
	for _, c := range []struct {
		starts []time.Time
		want   string
	}{
		{[]time.Time{at(0, 0), at(10, 0)}, "toInt64({p1:Int64})"},
		{[]time.Time{at(0, 0), at(10, 0), at(20, 0)}, "({p1:Int64} + intDiv(sec - {p2:Int64}, {p3:Int64}) * {p4:Int64})"},
		{[]time.Time{at(0, 0), at(10, 0), at(15, 0), at(30, 0)}, "transform(roundDown(sec, {p1:Array(Int64)}), {p2:Array(Int64)}, {p3:Array(Int64)})"},
		{[]time.Time{at(0, 0), at(10, 1), at(20, 0)}, "{p3:Array(Int64)}[arrayCount((x, y) -> sec > x OR sec = x AND nanos >= y, {p1:Array(Int64)}, {p2:Array(Int64)})]"},
	} {
		if got := (intervals{c.starts}).number(new(chhttp.Args)); got != c.want {
			t.Errorf("%v: got %s, want %s", c.starts, got, c.want)
		}
	}
	days := intervals{[]time.Time{at(0, 0), at(10, 0), at(10, 0), at(20, 0)}}
	for sec, want := range map[int64]int{0: 0, 9: 0, 10: 2, 19: 2} {
		if got := days.find(at(sec, 0)); got != want {
			t.Errorf("second %d: got interval %d, want %d", sec, got, want)
		}
	}
}
