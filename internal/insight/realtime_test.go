package insight_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
)

func recent(start, end string) insight.RecentQuery {
	return insight.RecentQuery{Start: instant(start), End: instant(end)}
}

func wantRecent(t *testing.T, s *insight.Service, m *earshot.Monitor, r insight.RecentQuery, want string) {
	t.Helper()
	v, err := s.RecentVolume(t.Context(), m, r)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(v.Posts, v.Sources)
	for _, step := range v.Steps {
		got += fmt.Sprintf(" %s-%s:%d", step.StartDate.String()[11:16], step.EndDate.String()[11:16], step.Posts)
	}
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRecentVolume(t *testing.T) {
	tweet := post("d", "2026-03-20T10:00:00Z", "coffee")
	tweet.Source = earshot.Twitter
	s := monitored(t,
		post("a", "2026-03-20T08:29:59Z", "coffee"), // before
		post("b", "2026-03-20T08:30:00Z", "coffee"),
		post("c", "2026-03-20T08:59:59Z", "coffee"),
		tweet,
		post("e", "2026-03-20T10:15:00Z", "coffee"), // after
	)
	m := buzz()
	r := recent("2026-03-20T08:30:00Z", "2026-03-20T10:15:00Z")
	wantRecent(t, s, m, r, "3 [{News 2} {Twitter 1}] 09:30-10:00:2 10:00-11:00:0 11:00-11:15:1")
	r.Sources = []earshot.Source{earshot.Twitter}
	wantRecent(t, s, m, r, "1 [{Twitter 1}] 09:30-10:00:0 10:00-11:00:0 11:00-11:15:1")
	r.End = r.Start
	wantRecent(t, s, m, r, "0 []")
}

func TestRecentVolumeOfDaysWithResults(t *testing.T) {
	s := monitored(t, post("a", "2026-03-19T22:59:59Z", "coffee"), post("b", "2026-03-19T23:00:00Z", "coffee"))
	m := buzz()
	m.Start = date(20)
	wantRecent(t, s, m, recent("2026-03-19T22:00:00Z", "2026-03-20T00:00:00Z"), "1 [{News 1}] 23:00-00:00:0 00:00-01:00:1")
	m.Start, m.Enabled, m.DisabledOn = date(1), false, date(19)
	wantRecent(t, s, m, recent("2026-03-19T22:00:00Z", "2026-03-20T00:00:00Z"), "1 [{News 1}] 23:00-00:00:1 00:00-01:00:0")
	m.Start = date(22)
	m.Enabled = true
	wantRecent(t, s, m, recent("2026-03-19T23:00:00Z", "2026-03-20T00:00:00Z"), "0 [] 00:00-01:00:0")
}

// In Berlin, clocks skip from 2:00 to 3:00 on March 29, 2026.
func TestRecentHoursAtClockChange(t *testing.T) {
	s := monitored(t, post("a", "2026-03-29T00:30:00Z", "coffee"), post("b", "2026-03-29T01:00:00Z", "coffee"))
	s.Now = func() time.Time { return instant("2026-03-29T02:00:00Z") }
	wantRecent(t, s, buzz(), recent("2026-03-28T23:30:00Z", "2026-03-29T02:00:00Z"), "2 [{News 2}] 00:30-01:00:0 01:00-03:00:1 03:00-04:00:1")
}

func TestRecentSentimentsAndEmotions(t *testing.T) {
	s := monitored(t, postWithSentiment("a", earshot.Positive), postWithSentiment("b", earshot.Negative), postWithSentiment("c", earshot.Negative), post("d", "2026-03-10T13:30:00Z", "不明"))
	r := recent("2026-03-10T12:00:00Z", "2026-03-10T14:00:00Z")
	sentiments, err := s.RecentSentiments(t.Context(), buzz(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := formatBreakdown(sentiments), "4 [1 0 2] 3 [1 0 2] 1 [0 0 0]"; got != want {
		t.Errorf("sentiments: got %s, want %s", got, want)
	}
	emotions, err := s.RecentEmotions(t.Context(), buzz(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := formatBreakdown(emotions), "4 [3 0 0 0 0 0 0] 3 [3 0 0 0 0 0 0] 1 [0 0 0 0 0 0 0]"; got != want {
		t.Errorf("emotions: got %s, want %s", got, want)
	}
}

func formatBreakdown(f insight.RecentBreakdown) string {
	text := fmt.Sprint(f.Posts, " ", f.Counts)
	for _, step := range f.Steps {
		text += fmt.Sprint(" ", step.Posts, " ", step.Counts)
	}
	return text
}

func TestRecentSentimentsOfOpinionMonitor(t *testing.T) {
	w := newTrainedWorld(t)
	w.bring(t, 10, 6, 3, 1)
	r := recent("2026-03-10T12:00:00Z", "2026-03-10T13:00:00Z")
	f, err := w.RecentSentiments(t.Context(), w.monitor, r)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := formatBreakdown(f), "10 [6 3 1] 10 [6 3 1]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	w.monitor.Categories = append(w.monitor.Categories, earshot.Category{ID: 104, Name: "New"})
	if f, err = w.RecentSentiments(t.Context(), w.monitor, r); err != nil {
		t.Fatal(err)
	}
	if got, want := formatBreakdown(f), "10 [6 3 1 0] 10 [6 3 1 0]"; got != want {
		t.Errorf("with a category that the model lacks: got %s, want %s", got, want)
	}
	w.used = earshot.Model{}
	if _, err := w.RecentSentiments(t.Context(), w.monitor, r); err == nil {
		t.Error("without a model: got no error")
	}
}

func TestRecentTags(t *testing.T) {
	a, b := post("a", "2026-03-20T09:00:00Z", "coffee"), post("b", "2026-03-20T09:00:00Z", "coffee")
	a.Hashtags, a.Cashtags = []string{"x", "y"}, []string{"acme"}
	b.Hashtags, b.Cashtags = []string{"y"}, []string{"acme", "ko"}
	s := monitored(t, a, b, post("c", "2026-03-20T09:00:00Z", "coffee"))
	r := recent("2026-03-20T09:00:00Z", "2026-03-20T10:00:00Z")
	posts, tags, err := s.RecentHashtags(t.Context(), buzz(), r, 1)
	if got, want := fmt.Sprint(posts, tags, err), "3 [{y 2}] <nil>"; got != want {
		t.Errorf("hashtags: got %s, want %s", got, want)
	}
	posts, tags, err = s.RecentCashtags(t.Context(), buzz(), r, 5)
	if got, want := fmt.Sprint(posts, tags, err), "3 [{acme 2} {ko 1}] <nil>"; got != want {
		t.Errorf("cashtags: got %s, want %s", got, want)
	}
}

func TestRecentRetweets(t *testing.T) {
	o := post("o", "2026-03-01T01:00:00Z", "tea")
	o.Source, o.URL = earshot.Twitter, "http://twitter.com/ann/status/o"
	nameless := retweet("e", "2026-03-20T09:00:04Z", "")
	news := retweet("f", "2026-03-20T09:00:05Z", "o")
	news.Source = earshot.News // not a microblog
	s := monitored(t, o, nameless, news,
		retweet("a", "2026-03-20T09:00:00Z", "o"), retweet("b", "2026-03-20T09:00:01Z", "o"),
		retweet("c", "2026-03-20T09:00:02Z", "gone"), retweet("d", "2026-03-20T08:59:59Z", "gone"))
	r := recent("2026-03-20T09:00:00Z", "2026-03-20T10:00:00Z")
	for range 2 { // first looked up, then cached
		posts, list, err := s.RecentRetweets(t.Context(), buzz(), r, 50)
		want := "4 [{http://twitter.com/ann/status/o true 2} {http://twitter.com/b/status/c false 1}] <nil>"
		if got := fmt.Sprint(posts, list, err); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	r.Start = instant("2026-03-20T09:00:03Z")
	posts, list, err := s.RecentRetweets(t.Context(), buzz(), r, 50)
	if got, want := fmt.Sprint(posts, list, err), "1 [] <nil>"; got != want {
		t.Errorf("retweet without a parent: got %s, want %s", got, want)
	}
}

// arrivals lists the times at which entries were appended, the first at position 1.
type arrivals []time.Time

// LastBefore implements [insight.Journal].
func (a arrivals) LastBefore(_ context.Context, instant time.Time) (last earshot.Position, _ error) {
	for i, came := range a {
		if came.Before(instant) {
			last = earshot.Position(i + 1)
		}
	}
	return last, nil
}

func TestRecentPostsByReceiptTime(t *testing.T) {
	s := monitored(t, post("a", "2026-03-20T09:30:00Z", "coffee"))
	late := poststore.MatchedPost{Post: post("b", "2026-03-20T09:00:00Z", "coffee"), Sets: []poststore.SetID{poststore.MonitorSet(theMonitor)}}
	if err := s.Store.(*memory.Store).Append(t.Context(), 2, []poststore.MatchedPost{late}); err != nil {
		t.Fatal(err)
	}
	s.Journal = arrivals{instant("2026-03-20T09:31:00Z"), instant("2026-03-20T09:45:00Z")}
	f := func(received time.Time, want ...string) {
		t.Helper()
		r := recent("2026-03-20T09:00:00Z", "2026-03-20T10:00:00Z")
		r.Received = received
		posts, total, err := s.RecentPosts(t.Context(), buzz(), r, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range posts {
			got = append(got, p.GUID)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || total != int64(len(want)) {
			t.Errorf("received since %v: got %v of %d, want %v", received, got, total, want)
		}
	}
	f(time.Time{}, "a", "b")
	f(instant("2026-03-20T09:31:00Z"), "a", "b")
	f(instant("2026-03-20T09:31:01Z"), "b")
	f(instant("2026-03-20T09:45:00Z"), "b")
	f(instant("2026-03-20T09:45:01Z"))
}

// noCounts is a store that fails to count.
type noCounts struct{ insight.Store }

var errNoCounts = errors.New("no disk")

func (noCounts) Tallies(context.Context, poststore.Selection, []poststore.Tally) ([][]poststore.Row, error) {
	return nil, errNoCounts
}

func TestRecentErrorsAreReturned(t *testing.T) {
	s := monitored(t)
	s.Store = noCounts{s.Store}
	m, r := buzz(), recent("2026-03-20T09:00:00Z", "2026-03-20T10:00:00Z")
	f := func(name string, err error) {
		t.Helper()
		if !errors.Is(err, errNoCounts) {
			t.Errorf("%s: got %v, want %v", name, err, errNoCounts)
		}
	}
	_, err := s.RecentVolume(t.Context(), m, r)
	f("volume", err)
	_, err = s.RecentSentiments(t.Context(), m, r)
	f("sentiments", err)
	_, err = s.RecentEmotions(t.Context(), m, r)
	f("emotions", err)
	_, _, err = s.RecentHashtags(t.Context(), m, r, 5)
	f("hashtags", err)
	_, _, err = s.RecentCashtags(t.Context(), m, r, 5)
	f("cashtags", err)
	_, _, err = s.RecentRetweets(t.Context(), m, r, 5)
	f("retweets", err)
}
