package insight_test

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/model/interest"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
)

const theMonitor earshot.MonitorID = 9

// monitored returns a service with a monitor that has the posts. Its time is noon on 2026-03-20.
func monitored(t *testing.T, posts ...earshot.Post) *insight.Service {
	t.Helper()
	now := func() time.Time { return time.Date(2026, time.March, 20, 12, 0, 0, 0, time.UTC) }
	s := memory.NewAt(now)
	var matched []poststore.MatchedPost
	for _, p := range posts {
		matched = append(matched, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(theMonitor)}})
	}
	if err := s.Append(t.Context(), 1, matched); err != nil {
		t.Fatal(err)
	}
	return &insight.Service{Store: s, Now: now, Baseline: func() interest.Baseline { return interest.Baseline{} }}
}

func buzz() *earshot.Monitor {
	m := &earshot.Monitor{ID: theMonitor, Team: 7, Type: earshot.Buzz, Timezone: "Europe/Berlin", Start: date(1), Enabled: true}
	for i, name := range earshot.BasicCategories {
		m.Categories = append(m.Categories, earshot.Category{ID: earshot.CategoryID(i + 1), Name: name})
	}
	for i, name := range earshot.BasicEmotions {
		m.Emotions = append(m.Emotions, earshot.Category{ID: earshot.CategoryID(i + 4), Name: name})
	}
	return m
}

func between(start, end int) earshot.Days { return earshot.Days{Start: date(start), End: date(end)} }

func postWithSentiment(guid string, sentiment int) earshot.Post {
	p := post(guid, "2026-03-10T12:00:00Z", "coffee")
	p.Sentiment[sentiment] = 100
	p.Emotion[earshot.Joy] = 100
	return p
}

func TestHiddenCategories(t *testing.T) {
	s := monitored(t, postWithSentiment("a", earshot.Positive), postWithSentiment("b", earshot.Positive), postWithSentiment("c", earshot.Negative), postWithSentiment("d", earshot.Neutral),
		post("e", "2026-03-10T12:00:00Z", "不明"))
	m := buzz()
	m.Categories[earshot.Neutral].Hidden = true
	f := func(visible bool, want string) {
		t.Helper()
		results, err := s.Results(t.Context(), m, between(10, 11), visible)
		if err != nil || len(results) != 1 {
			t.Fatalf("got %d results, %v", len(results), err)
		}
		r := results[0]
		got := fmt.Sprintf("%d of %d:", r.Relevant, r.Posts)
		for _, share := range r.Categories {
			got += fmt.Sprintf(" %d %.2f", share.Posts, share.Proportion)
		}
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f(false, "4 of 5: 2 0.50 1 0.25 1 0.25")
	f(true, "4 of 5: 2 0.67 1 0.00 1 0.33")
}

func TestResultsIncludeDaysWithoutPosts(t *testing.T) {
	s := monitored(t, postWithSentiment("a", earshot.Positive))
	results, err := s.Results(t.Context(), buzz(), between(9, 30), false)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 12 || results[0].Day != date(9) || results[11].Day != date(20) {
		t.Fatalf("got %d days from %s, want March 9 to 20", len(results), results[0].Day)
	}
	if r := results[0]; r.Posts != 0 || len(r.Categories) != 3 || len(r.Emotions) != 7 || r.Changed.Format(time.RFC3339) != "2026-03-09T00:00:00+01:00" {
		t.Errorf("day without posts: got %+v", r)
	}
}

func TestTooManyDays(t *testing.T) {
	m := buzz()
	m.Start = earshot.Date{Year: 1970, Month: time.January, Day: 1}
	_, err := monitored(t).Ages(t.Context(), m, earshot.Days{Start: m.Start, End: date(20)})
	if err == nil || err.Error() != "The selected range has more than 8000 days" {
		t.Errorf("got error %v", err)
	}
}
