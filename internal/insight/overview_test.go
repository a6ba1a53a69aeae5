package insight_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
)

// opinions lists the parts that are different for an opinion monitor.
var opinions = []insight.Part{insight.DaysPart, insight.CategoriesPart, insight.EmotionsPart}

// overview returns an overview with those parts.
func (w *trainedWorld) overview(t *testing.T, v insight.OverviewRequest) *insight.Overview {
	t.Helper()
	v.Parts = opinions
	o, err := w.Overview(t.Context(), w.monitor, v)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// formatOverview returns a line per day with its categories, and one with the totals.
func formatOverview(o *insight.Overview) (list []string) {
	for _, d := range o.ByDay {
		list = append(list, fmt.Sprint(d.Posts, d.Categories))
	}
	all := ""
	for _, c := range o.Categories {
		all += fmt.Sprintf("%d %.2f ", c.Posts, c.Share)
	}
	return append(list, strings.TrimSpace(all))
}

func TestOverviewOfOpinionMonitor(t *testing.T) {
	w := newTrainedWorld(t)
	w.bring(t, 10, 60, 30, 10)
	w.bring(t, 12, 0, 0, 200)
	o := w.overview(t, insight.OverviewRequest{Days: between(9, 13)})
	if got, want := formatOverview(o), []string{"0 [0 0 0]", "100 [60 30 10]", "0 [0 0 0]", "200 [0 0 200]", "60 0.67 30 0.33 210 0.00"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !o.Estimated || o.NeedsTraining != "" || len(o.Intervals) != 4 {
		t.Errorf("got estimated %t, %q and %d intervals", o.Estimated, o.NeedsTraining, len(o.Intervals))
	}
	bounds, err := w.Proportions(t.Context(), w.monitor, between(9, 13))
	if err != nil {
		t.Fatal(err)
	}
	for i, day := range bounds.Days {
		if got := o.Intervals[i]; !reflect.DeepEqual(got.Categories, day.Categories) {
			t.Errorf("got %+v, want %+v", got, day)
		}
	}
}

// TestRefinedOverviewOfOpinionMonitor checks that a refined overview counts posts as assigned.
func TestRefinedOverviewOfOpinionMonitor(t *testing.T) {
	w := newTrainedWorld(t)
	w.bring(t, 10, 6, 3, 1)
	w.bring(t, 11, 0, 2, 0)
	narrow := func(c filter.Categories) (poststore.Selection, error) {
		set, err := c.Set(w.monitor, price)
		return poststore.Selection{Categories: poststore.CategoryFilter{Sets: []poststore.SetID{set}}}, err
	}
	o := w.overview(t, insight.OverviewRequest{Days: between(10, 12), Filter: "category:102", Refine: narrow})
	if got, want := formatOverview(o), []string{"3 [0 3 0]", "2 [0 2 0]", "0 0.00 5 1.00 0 0.00"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	all := func(filter.Categories) (poststore.Selection, error) { return poststore.Selection{}, nil }
	o = w.overview(t, insight.OverviewRequest{Days: between(10, 12), Filter: "keywords:number", Refine: all})
	if got, want := formatOverview(o), []string{"10 [6 3 1]", "2 [0 2 0]", "6 0.55 5 0.45 1 0.00"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if o.Estimated || len(o.Intervals) > 0 {
		t.Errorf("got estimated %t and %d intervals", o.Estimated, len(o.Intervals))
	}
}

func TestOverviewWithoutModel(t *testing.T) {
	w := newTrainedWorld(t)
	w.bring(t, 10, 1, 1, 1)
	w.used = earshot.Model{}
	w.monitor.Categories[1].TrainingDocs = 3
	o := w.overview(t, insight.OverviewRequest{Days: between(10, 11)})
	if got, want := formatOverview(o), []string{"3 [0 0 0]", "0 0.00 0 0.00 0 0.00"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if o.Estimated || !strings.Contains(o.NeedsTraining, "Price has 3") {
		t.Errorf("got estimated %t, %q", o.Estimated, o.NeedsTraining)
	}
}

func TestOverviewOmitsDaysWithoutResults(t *testing.T) {
	w := newTrainedWorld(t) // results from March 1 to March 20
	f := func(from, to earshot.Date, want, before earshot.Days) {
		t.Helper()
		o, err := w.Overview(t.Context(), w.monitor, insight.OverviewRequest{Days: earshot.Days{Start: from, End: to}, Parts: []insight.Part{insight.PreviousPart}})
		if err != nil {
			t.Fatal(err)
		}
		var previous earshot.Days
		if o.Previous != nil {
			previous = o.Previous.Days
		}
		if o.Days != want || previous != before {
			t.Errorf("got %v after %v, want %v after %v", o.Days, previous, want, before)
		}
	}
	f(date(10), date(30), between(10, 21), earshot.Days{}) // two of the previous days have no results
	f(date(12), date(23), between(12, 21), between(3, 12))
	f(date(11), date(21), between(11, 21), between(1, 11))
	f(date(1).AddDays(-30), date(3), between(1, 3), earshot.Days{})
	f(date(19), date(20), between(19, 20), between(18, 19))
	f(date(25), date(28), earshot.Days{}, earshot.Days{})
	w.monitor.Start = date(1).AddDays(-9000)
	if _, err := w.Overview(t.Context(), w.monitor, insight.OverviewRequest{Days: earshot.Days{Start: w.monitor.Start, End: date(20)}}); err == nil || !strings.Contains(err.Error(), "more than 8000 days") {
		t.Errorf("9000 days: got %v", err)
	}
}

// TestOverviewChangesWithPosts checks that an overview is cached until its posts change.
func TestOverviewChangesWithPosts(t *testing.T) {
	w := newTrainedWorld(t)
	get := func() string {
		o, err := w.Overview(t.Context(), w.monitor, insight.OverviewRequest{Days: between(10, 12), Parts: []insight.Part{insight.DaysPart, insight.SourcesPart}})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(o.Posts, formatOverview(o), o.Sources)
	}
	w.bring(t, 10, 2, 0, 0)
	first := get()
	if again := get(); again != first {
		t.Errorf("got %s, want %s", again, first)
	}
	w.bring(t, 10, 0, 3, 0)
	if now := get(); !strings.HasPrefix(now, "5 ") {
		t.Errorf("with three more posts: got %s, previously %s", now, first)
	}
}

// TestAuthorsByPostsAndByReach checks that an author with one post and a million followers is among
// the authors with the most impressions.
func TestAuthorsByPostsAndByReach(t *testing.T) {
	w := newAccountWorld(t)
	at := instant("2026-03-10T12:00:00Z")
	add := func(author string, followers int64, posts int) {
		for i := range posts {
			w.add(false, earshot.Post{GUID: fmt.Sprint(author, i), Author: author, Followers: earshot.Counted(followers), Time: at})
		}
	}
	for i := range 50 {
		add(fmt.Sprintf("busy%02d", i), int64(i), 2)
	}
	add("famous", 1e6, 1)
	add("unknown", 0, 1)
	o, err := w.Overview(t.Context(), w.monitor, insight.OverviewRequest{Days: between(10, 11), Parts: []insight.Part{insight.AuthorsPart}})
	if err != nil {
		t.Fatal(err)
	}
	a := o.Authors
	if len(a.Top) != 50 || a.Top[0] != (insight.AuthorCount{Name: "busy00", Posts: 2}) || a.Top[49] != (insight.AuthorCount{Name: "busy49", Posts: 2, Impressions: 98}) {
		t.Errorf("most posts: got %v", a.Top)
	}
	if len(a.Reach) != 50 || a.Reach[0] != (insight.AuthorCount{Name: "famous", Posts: 1, Impressions: 1e6}) || a.Reach[1].Name != "busy49" || a.Reach[49].Name != "busy01" {
		t.Errorf("most impressions: got %v", a.Reach)
	}
}

// A tallyCounter counts the tallies that a store is asked for.
type tallyCounter struct {
	insight.Store
	tallies int
}

func (s *tallyCounter) Tallies(ctx context.Context, sel poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	s.tallies += len(ts)
	return s.Store.Tallies(ctx, sel, ts)
}

// TestOverviewsShareParts checks that overviews of the same posts count each part once, whatever parts
// they are requested with.
func TestOverviewsShareParts(t *testing.T) {
	w := newAccountWorld(t)
	for i := range 3 {
		w.add(false, earshot.Post{GUID: fmt.Sprint(i), Author: "ann", Language: "en", Time: instant("2026-03-10T12:00:00Z")})
	}
	counter := &tallyCounter{Store: w.Service.Store}
	w.Service.Store = counter
	get := func(parts ...insight.Part) string {
		t.Helper()
		o, err := w.Overview(t.Context(), w.monitor, insight.OverviewRequest{Days: between(10, 11), Parts: parts})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(o.Posts, o.Sources, o.Languages, o.Hashtags)
	}
	f := func(tallies int, parts ...insight.Part) {
		t.Helper()
		before := counter.tallies
		get(parts...)
		if got := counter.tallies - before; got != tallies {
			t.Errorf("%v: got %d tallies, want %d", parts, got, tallies)
		}
	}
	f(3, insight.SourcesPart, insight.LanguagesPart) // and one of all posts
	f(0, insight.LanguagesPart)
	f(0, insight.LanguagesPart, insight.SourcesPart)
	f(2, insight.LanguagesPart, insight.HashtagsPart)
	f(0, insight.SourcesPart, insight.HashtagsPart, insight.LanguagesPart)
	all := get(insight.SourcesPart, insight.LanguagesPart, insight.HashtagsPart)
	if want := "3 "; !strings.HasPrefix(all, want) || !strings.Contains(all, "{en 3}") {
		t.Errorf("got %s", all)
	}
	w.add(false, earshot.Post{GUID: "new", Author: "ann", Language: "en", Time: instant("2026-03-10T13:00:00Z")})
	f(2, insight.LanguagesPart)
	if got := get(insight.LanguagesPart); !strings.Contains(got, "{en 4}") {
		t.Errorf("with one more post: got %s", got)
	}
}
