package demo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
)

// TestThePaywallIsInTheLastCompleteWeek starts the demo at every hour of two weeks, one of which has a
// clock change.
func TestThePaywallIsInTheLastCompleteWeek(t *testing.T) {
	zone, err := time.LoadLocation(timezone)
	if err != nil {
		t.Fatal(err)
	}
	for hour := range 14 * 24 {
		g := Generator{Seed: 1, Days: 20, End: time.Date(2026, time.October, 25, hour, 0, 0, 0, time.UTC)}
		today := earshot.DateOf(g.End.In(zone))
		monday := today
		for monday.Weekday() != time.Monday {
			monday = monday.AddDays(-1)
		}
		from, to := monday.AddDays(-7).Start(zone), monday.Start(zone)
		start := g.calendar().paywall
		if start.Before(from) || start.In(zone).Weekday() != time.Wednesday || start.Add(paywallLength).After(to) {
			t.Errorf("demo that ends at %v: the story begins at %v, want a Wednesday in %v to %v", g.End, start, from, to)
		}
	}
}

func TestAShortDemoHasNoPaywall(t *testing.T) {
	for _, p := range collect(Generator{Seed: 1, Days: 4, End: standard.End, PerDay: 100}) {
		if slices.Contains(p.Hashtags, paywallTag) {
			t.Fatalf("got %q", p.Contents)
		}
	}
}

// TestThePaywallIsExplained checks that the explanation of the day names the planted posts: for the
// demo, and for a smaller one that starts on any day of the week.
func TestThePaywallIsExplained(t *testing.T) {
	list := []Generator{standard}
	for day := range 7 {
		list = append(list, Generator{Seed: 1, Days: 35, End: standard.End.AddDate(0, 0, day).Add(18 * time.Hour), PerDay: 200})
	}
	for i, g := range list {
		t.Run(fmt.Sprintf("%d days to %s", g.Days, g.End.Format(time.RFC1123)), func(t *testing.T) {
			w := newExplained(t, g)
			day := g.calendar().paywall.Truncate(24 * time.Hour)
			e := w.explain(day)
			if e.Change != insight.ChangeMore || e.Cause != insight.CauseSingle || e.Explained < 0.75 {
				t.Fatalf("got change %q, cause %q, explained %.2f, %d posts, expected %+v, stories %v", e.Change, e.Cause, e.Explained, e.Posts, e.Expected, spell(e))
			}
			s := e.Stories[0]
			for _, term := range []string{"subscription", "update", paywallTag} {
				if !slices.Contains(s.Terms, term) {
					t.Errorf("got the terms %q, want %s too", s.Terms, term)
				}
			}
			if s.Earliest.AuthorUsername != firstPost.by.username || s.Top.AuthorUsername != reviewPost.by.username {
				t.Errorf("got the earliest post by %s and the top post by %s", s.Earliest.AuthorUsername, s.Top.AuthorUsername)
			}
			if len(s.Links) == 0 || !strings.HasSuffix(paywallArticle, s.Links[0].Name) {
				t.Errorf("got links %+v, want %s first", s.Links, paywallArticle)
			}
			if len(e.Hashtags) == 0 || e.Hashtags[0].Name != paywallTag {
				t.Errorf("got hashtags %+v, want %s first", e.Hashtags, paywallTag)
			}
			if i == 0 && (len(e.Authors) == 0 || e.Authors[0].Name != petitionPost.by.username) {
				t.Errorf("got authors %+v, want %s first", e.Authors, petitionPost.by.username)
			}
			w.checkCopies(day)
		})
	}
}

// checkCopies checks that the posts with the most engagement of the day of the paywall are planted, and
// that their reposts and copies are in their groups.
func (w *explained) checkCopies(day time.Time) {
	w.Helper()
	sel := poststore.Selection{Set: poststore.MonitorSet(w.monitor.ID), From: day, To: day.AddDate(0, 0, 1)}
	ranked, err := w.store.Rank(w.Context(), sel, poststore.Ranking{Order: poststore.MostEngagement, Limit: 10, Group: true})
	if err != nil {
		w.Fatal(err)
	}
	copies := map[string]int64{}
	for _, r := range ranked.Posts {
		copies[r.Post.AuthorUsername] += r.Copies
	}
	if first := ranked.Posts[0].Post.AuthorUsername; first != reviewPost.by.username {
		w.Errorf("the top post is by %s", first)
	}
	for _, planted := range []*plantedPost{firstPost, reviewPost, pressPost, petitionPost} {
		if n := copies[planted.by.username]; n < 10 {
			w.Errorf("the group of the post by %s has %d posts, want many", planted.by.username, n)
		}
	}
}

// TestCustomersSwitchToTheRival checks that the rival has more posts on the day of the paywall.
func TestCustomersSwitchToTheRival(t *testing.T) {
	days := map[string]int{}
	for _, p := range standardPosts() {
		if strings.Contains(p.Contents, FirstRival) {
			days[p.Time.Format(time.DateOnly)]++
		}
	}
	day := standard.calendar().paywall
	before, on := days[day.AddDate(0, 0, -7).Format(time.DateOnly)], days[day.Format(time.DateOnly)]
	if on < before*3/2 {
		t.Errorf("got %d posts, and %d a week before", on, before)
	}
}
