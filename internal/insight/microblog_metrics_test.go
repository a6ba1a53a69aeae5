package insight_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
)

func retweet(guid, at, sel string) earshot.Post {
	p := post(guid, at, "RT coffee")
	p.Source, p.Engagement, p.ParentGUID, p.URL = earshot.Twitter, earshot.Retweet, sel, "http://twitter.com/b/status/"+guid
	return p
}

func spread(t *testing.T, s *insight.Service) []insight.Retweets {
	t.Helper()
	days, err := s.MicroblogMetrics(t.Context(), buzz(), between(10, 11))
	if err != nil {
		t.Fatal(err)
	}
	return days[0].Retweets
}

// TestRetweetedPostsHaveURLs checks that a post that was repeated very often does not hide the URLs
// of others.
func TestRetweetedPostsHaveURLs(t *testing.T) {
	posts := []earshot.Post{retweet("a", "2026-03-10T01:00:00Z", "small"), retweet("b", "2026-03-10T01:00:01Z", "small")}
	for i := range 1500 {
		posts = append(posts, retweet(fmt.Sprint("x", i), "2026-03-10T12:00:00Z", "large"))
	}
	s := monitored(t, posts...)
	for range 2 { // first looked up, then cached
		got := spread(t, s)
		if len(got) != 2 || got[0].URL == "" || got[1].URL != "http://twitter.com/b/status/b" {
			t.Errorf("got %+v", got)
		}
	}
}

func TestOriginalIngestedLaterIsShown(t *testing.T) {
	s := monitored(t, retweet("a", "2026-03-10T01:00:00Z", "o"))
	if got := spread(t, s)[0]; got.Original {
		t.Errorf("got %+v before the original was ingested", got)
	}
	o := post("o", "2026-03-09T01:00:00Z", "tea")
	o.Source, o.URL = earshot.Twitter, "http://twitter.com/ann/status/o"
	if err := s.Store.(*memory.Store).Append(t.Context(), 2, []poststore.MatchedPost{{Post: o}}); err != nil {
		t.Fatal(err)
	}
	if got := spread(t, s)[0]; !got.Original || got.URL != o.URL {
		t.Errorf("got %+v, want the original", got)
	}
}

// racing is a store that calls a function after counting days.
type racing struct {
	*memory.Store
	after func()
}

func (r *racing) Days(ctx context.Context, sel poststore.Selection, starts []time.Time, ts []poststore.Tally) ([][][]poststore.Row, error) {
	rows, err := r.Store.Days(ctx, sel, starts, ts)
	if f := r.after; f != nil {
		r.after = nil
		f()
	}
	return rows, err
}

func TestRetweetsIngestedDuringRequestCountNextTime(t *testing.T) {
	s := monitored(t, retweet("a", "2026-03-10T01:00:00Z", "o"))
	store := s.Store.(*memory.Store)
	s.Store = &racing{store, func() {
		m := poststore.MatchedPost{Post: retweet("b", "2026-03-10T02:00:00Z", "o"), Sets: []poststore.SetID{poststore.MonitorSet(theMonitor)}}
		if err := store.Append(t.Context(), 2, []poststore.MatchedPost{m}); err != nil {
			t.Fatal(err)
		}
	}}
	spread(t, s)
	if got := spread(t, s)[0].Posts; got != 2 {
		t.Errorf("got %d retweets, want 2", got)
	}
}

func TestTargetsInAnySpelling(t *testing.T) {
	p := post("a", "2026-03-10T12:00:00Z", "x")
	p.Source, p.Hashtags = earshot.Instagram, []string{"coffee"}
	m := buzz()
	m.TargetHashtags = []string{"#Coffee"}
	list, err := monitored(t, p).InstagramHashtags(t.Context(), m, between(10, 11))
	if err != nil || fmt.Sprint(list[0].Hashtags) != "[{coffee 1}]" {
		t.Errorf("got %v, %v", list, err)
	}
}

func TestBrandsWithAnyID(t *testing.T) {
	p := post("a", "2026-03-10T12:00:00Z", "x")
	p.Images = []earshot.Image{{URL: "u",
		Brands:  []earshot.ImageBrand{{ID: "coca cola", Name: "Coca-Cola"}, {Name: "Nike"}, {Name: "Puma"}, {ID: "3001", Name: "Adidas"}},
		Objects: []earshot.ImageObject{{ClassID: 3500, ClassName: "a foreign class"}}}}
	list, err := monitored(t, p).Images(t.Context(), buzz(), between(10, 11), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	ids, names := map[int64]bool{}, ""
	for _, l := range list[0].Logos {
		ids[l.Class.ID] = true
		names += l.Class.Name + " "
	}
	if len(ids) != 4 || names != "Nike Puma Adidas Coca-Cola " || list[0].Classes[0].Class.Type != "object" {
		t.Errorf("got logos %+v and classes %+v", list[0].Logos, list[0].Classes)
	}
}

func TestTopicsRejectLongRange(t *testing.T) {
	s := monitored(t, post("a", "2026-03-10T12:00:00Z", "coffee"))
	f := func(days earshot.Days, by earshot.Grouping, top int, want string) {
		t.Helper()
		_, err := s.Topics(t.Context(), buzz(), days, by, top)
		if err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	ever := earshot.Days{Start: earshot.Date{Year: 1, Month: 1, Day: 1}, End: earshot.Date{Year: 9999, Month: 12, Day: 31}}
	f(ever, earshot.Daily, 10, "The selected range has more than 8000 days")
	f(ever, "", 10, "The selected range has more than 8000 days")
	f(earshot.Days{Start: date(1).AddDays(-3000), End: date(1)}, earshot.Hourly, 10, "10 topics of the selected range have more than 200000 steps")
}
