package insight_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
)

// TestCompare compares two monitors: Coffee with ten posts on each day, and Tea, which began later,
// with five.
func TestCompare(t *testing.T) {
	c := newChatter(t, 1)
	day := earshot.DateOf(chatterDay)
	add := func(monitor earshot.MonitorID, offset, posts int, text string) {
		for range posts {
			c.add(chatterDay.AddDate(0, 0, offset), c.usual()+" "+text, func(p *earshot.Post) {
				p.Likes, p.Shares, p.Followers = earshot.Counted(1), earshot.Counted(1), earshot.Counted(100)
			})
			c.posts[len(c.posts)-1].Sets = []poststore.SetID{poststore.MonitorSet(monitor)}
		}
	}
	const tea = coffee + 1
	for offset := -14; offset < 0; offset++ {
		add(coffee, offset, 20, "espresso machine")
	}
	for offset := -9; offset < 0; offset++ {
		add(tea, offset, 10, "green leaves")
	}
	if err := c.store.Append(t.Context(), 1, c.posts); err != nil {
		t.Fatal(err)
	}
	coffeeMonitor, teaMonitor := c.monitor(), c.monitor()
	teaMonitor.ID, teaMonitor.Start = tea, day.AddDays(-9)
	week, before := earshot.Days{Start: day.AddDays(-7), End: day}, earshot.Days{Start: day.AddDays(-14), End: day.AddDays(-7)}
	row := func(m *earshot.Monitor, days earshot.Days, keywords string) insight.CompareRow {
		return insight.CompareRow{Monitor: m, Before: &before, ReportRequest: insight.ReportRequest{Days: days, Filter: keywords,
			Refine: func(filter.Categories) (poststore.Selection, error) {
				return poststore.Selection{Where: compile(t, keywords)}, nil
			}}}
	}
	rows, err := c.Compare(t.Context(), []insight.CompareRow{row(coffeeMonitor, week, ""), row(teaMonitor, week, ""), row(coffeeMonitor, before, ""), row(coffeeMonitor, week, "nothing")}, insight.CompareParts...)
	if err != nil {
		t.Fatal(err)
	}
	f := func(i int, want string) {
		t.Helper()
		r := &rows[i]
		got := fmt.Sprintf("%d posts, %.2f of all, covered %.2f, partial %v, %d reactions", r.Posts, r.Share, r.Coverage, r.IsPartial(), r.Reactions)
		if e := r.Earlier; e != nil {
			got += fmt.Sprintf("; before %d on %d days, %.2f", e.Posts, e.Days.Len(), e.Coverage)
			if e.Change != nil {
				got += fmt.Sprintf(", %+.2f", *e.Change)
			}
		}
		words := names(r.Separating.Words)
		slices.Sort(words)
		if got += "; " + strings.Join(words, " "); got != want {
			t.Errorf("row %d: got %q, want %q", i, got, want)
		}
	}
	f(0, "140 posts, 0.67 of all, covered 1.00, partial false, 280 reactions; before 140 on 7 days, 1.00, +0.00; espresso machine")
	f(1, "70 posts, 0.33 of all, covered 1.00, partial true, 140 reactions; before 20 on 2 days, 0.29, +0.00; green leaves")
	f(2, "140 posts, 1.00 of all, covered 1.00, partial false, 280 reactions; before 140 on 7 days, 1.00, +0.00; espresso machine")
	f(3, "0 posts, 0.00 of all, covered 1.00, partial false, 0 reactions; before 0 on 7 days, 1.00; ")
}

func TestAuthor(t *testing.T) {
	c := newChatter(t, 2)
	const tea = coffee + 1
	both := []poststore.SetID{poststore.MonitorSet(coffee), poststore.MonitorSet(tea)}
	for i := range 12 {
		c.add(chatterDay, "green leaves", func(p *earshot.Post) {
			p.AuthorUsername, p.Source, p.Likes, p.Followers = []string{"Ann", "ANN", "bob"}[i%3], earshot.Reddit, earshot.Counted(int64(i)), earshot.Counted(10)
			p.Time = chatterDay.Add(time.Duration(i) * time.Hour)
		})
		c.posts[len(c.posts)-1].Sets = both[i%2 : i%2+1]
		if i < 4 {
			c.posts[len(c.posts)-1].Sets = both
		}
	}
	c.add(chatterDay, "in no monitor", func(p *earshot.Post) { p.AuthorUsername = "ann" })
	c.posts[len(c.posts)-1].Sets = nil
	if err := c.store.Append(t.Context(), 1, c.posts); err != nil {
		t.Fatal(err)
	}
	teaMonitor := c.monitor()
	teaMonitor.ID = tea
	day := earshot.DateOf(chatterDay)
	q := insight.AuthorQuery{Name: "aNN", Monitors: []*earshot.Monitor{c.monitor(), teaMonitor}, Days: earshot.Days{Start: day.AddDays(-1), End: day.AddDays(1)}, Zone: time.UTC}
	a, err := c.Author(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%d posts, %d impressions, %d reactions, %d followers, %v", a.Posts, a.Impressions, a.Engagement, a.Followers.Int(), a.Newest.Time.Sub(a.Oldest.Time))
	for _, d := range a.ByDay {
		got += fmt.Sprintf("; %s: %d posts, %d followers", d.Day, d.Posts, d.Followers.Int())
	}
	for _, m := range a.Monitors {
		got += fmt.Sprintf("; %d in %d", m.Posts, m.Monitor.ID)
	}
	// Posts 0, 1, 3, 4, 6, 7, 9 and 10: coffee has 0, 1, 3, 4, 6 and 10, tea 0, 1, 3, 7 and 9.
	want := fmt.Sprintf("8 posts, 80 impressions, 40 reactions, 10 followers, 10h0m0s; 2026-03-31: 0 posts, 0 followers; 2026-04-01: 8 posts, 10 followers; 6 in %d; 5 in %d", coffee, tea)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	posts, total, err := c.AuthorPosts(t.Context(), q, poststore.Ranking{Order: poststore.MostEngagement, Limit: 3, After: &poststore.RankPosition{Score: 5}})
	if err != nil || total != 8 {
		t.Fatalf("got total %d, error %v, want 8", total, err)
	}
	got = ""
	for _, p := range posts {
		got += fmt.Sprintf("%d:", p.Position.Score)
		for _, m := range p.Monitors {
			got += fmt.Sprint(m.ID-coffee, " ")
		}
	}
	if want := "4:0 3:0 1 1:0 1 "; got != want {
		t.Errorf("got posts %q, want %q", got, want)
	}
	if none, err := c.Author(t.Context(), insight.AuthorQuery{Name: "ann", Days: q.Days, Zone: time.UTC}); err != nil || none.Posts != 0 {
		t.Errorf("without monitors: got %+v, error %v", none, err)
	}
	if _, err := c.AuthorPosition(t.Context(), q, earshot.PostKey{Source: earshot.Reddit, GUID: "2"}, 2); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("post of another author: got error %v, want not found", err)
	}
}
