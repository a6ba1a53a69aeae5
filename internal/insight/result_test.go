package insight_test

import (
	"fmt"
	"math"
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
func monitored(t testing.TB, posts ...earshot.Post) *insight.Service {
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

// TestProportionsFollowFromVolumes checks that volumes are counts of assigned posts and that
// proportions are fractions of them, although the estimates differ.
func TestProportionsFollowFromVolumes(t *testing.T) {
	var unsure []earshot.Post
	for i := range 7 {
		p := post(fmt.Sprint("p", i), "2026-03-10T12:00:00Z", "coffee")
		p.Language = "en"
		p.Sentiment[earshot.Negative], p.Sentiment[earshot.Neutral] = 60, 40
		if i == 0 {
			p.Sentiment[earshot.Positive] = 61
		}
		p.Emotion[earshot.Anger], p.Emotion[earshot.Joy] = 55, 45
		unsure = append(unsure, p)
	}
	w := newTrainedWorld(t)
	assigned := map[earshot.CategoryID]int64{}
	var matched []poststore.MatchedPost
	for i := range 30 {
		p := post(fmt.Sprint("p", i), "2026-03-10T12:00:00Z", []string{"expensive flavour", "smooth rain costs", "aroma tomorrow", "weather"}[i%4])
		category, levels := w.model.Categorize(&p, nil)
		assigned[w.model.Categories[category]]++
		sets := poststore.AppendCategorySets([]poststore.SetID{poststore.MonitorSet(theMonitor)}, w.model.Categories, w.used.Buffer, category, levels)
		matched = append(matched, poststore.MatchedPost{Post: p, Sets: sets})
	}
	if err := w.store.Append(t.Context(), 1, matched); err != nil {
		t.Fatal(err)
	}
	f := func(name string, s *insight.Service, m *earshot.Monitor, want map[earshot.CategoryID]int64) {
		t.Helper()
		results, err := s.EstimatedResults(t.Context(), m, between(9, 11), false)
		if err != nil || len(results) != 2 {
			t.Fatalf("%s: got %d results, %v", name, len(results), err)
		}
		differs := false
		for _, r := range results {
			counted := int64(0)
			for _, c := range r.Categories {
				counted += c.Posts
				if r.Posts > 0 && c.Posts != want[c.Category.ID] {
					t.Errorf("%s: %s has %d posts, want %d", name, c.Category.Name, c.Posts, want[c.Category.ID])
				}
			}
			for _, c := range r.Categories {
				if fraction := math.Round(100*float64(c.Posts)/float64(max(counted, 1))) / 100; c.Proportion != fraction {
					t.Errorf("%s: %s has the proportion %v, want %v", name, c.Category.Name, c.Proportion, fraction)
				}
				if c.Estimate == nil || c.Estimate.Category.ID != c.Category.ID || c.Estimate.Low > c.Estimate.Share || c.Estimate.High < c.Estimate.Share {
					t.Fatalf("%s: %s has the estimate %+v", name, c.Category.Name, c.Estimate)
				}
				differs = differs || math.Abs(c.Estimate.Share-c.Proportion) > 0.01
			}
			for _, c := range r.Emotions {
				if c.Estimate == nil || c.Estimate.Category.ID != c.Category.ID {
					t.Errorf("%s: %s has the estimate %+v", name, c.Category.Name, c.Estimate)
				}
			}
		}
		if !differs {
			t.Errorf("%s: all estimates are the same as the proportions, so the test shows nothing", name)
		}
	}
	f("buzz", monitored(t, unsure...), buzz(), map[earshot.CategoryID]int64{1: 1, 3: 6})
	f("opinion", w.Service, w.monitor, assigned)
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
