package insight_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
)

// talk returns posts about two topics and a few others, in order of days.
func talk() (posts []earshot.Post) {
	add := func(day int, texts ...string) {
		for _, text := range texts {
			at := fmt.Sprintf("2026-03-%02dT12:00:00Z", day)
			p := post(fmt.Sprint(len(posts)), at, "coffee "+text)
			p.Language = "en"
			posts = append(posts, p)
		}
	}
	add(2, "beans from Brazil, roasted", "I like the roasted beans", "#beans #Brazil harvest", "the harvest in Brazil")
	add(3, "a machine is broken", "broken machine, no repair", "repair your machine")
	add(4, "beans and the harvest", "milk", "sugar", "cream", "water", "cake")
	return posts
}

// formatTopics returns topics as text.
func formatTopics(t *testing.T, s *insight.Service, m *earshot.Monitor, days earshot.Days, by earshot.Grouping, top int) string {
	t.Helper()
	topics, err := s.Topics(t.Context(), m, days, by, top)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%s to %s: %d", topics.Start, topics.End, topics.Posts)
	for _, topic := range topics.Topics {
		text += fmt.Sprintf("; %s: %d =", topic.Name(), topic.Posts)
		for _, step := range topic.Steps {
			text += fmt.Sprint(" ", step.Posts)
		}
	}
	return strings.ReplaceAll(text, "T00:00:00", "")
}

func TestTopics(t *testing.T) {
	s, _ := watched(t, talk()...)
	m := coffeeMonitor("coffee")
	f := func(days earshot.Days, by earshot.Grouping, top int, want string) {
		t.Helper()
		for range 2 { // the second result is cached
			if got := formatTopics(t, s, m, days, by, top); got != want {
				t.Errorf("%s to %s, %q, %d: got\n%s, want\n%s", days.Start, days.End, by, top, got, want)
			}
		}
	}
	three := earshot.Days{Start: date(2), End: date(5)}
	f(three, "", 10, "2026-03-02 to 2026-03-05: 8; beans, brazil, harvest: 5 = 5; machine, broken, repair: 3 = 3")
	f(three, earshot.Daily, 10, "2026-03-02 to 2026-03-05: 8; beans, brazil, harvest: 5 = 4 0 1; machine, broken, repair: 3 = 0 3 0")
	f(three, "", 1, "2026-03-02 to 2026-03-05: 5; beans, brazil, harvest: 5 = 5")
	f(march, earshot.Weekly, 10, "2026-03-02 to 2026-03-09: 8; beans, brazil, harvest: 5 = 5; machine, broken, repair: 3 = 3")
	f(earshot.Days{Start: date(3), End: date(12)}, earshot.Daily, 10, "2026-03-03 to 2026-03-12: 3; machine, broken, repair: 3 = 3 0 0 0 0 0 0 0 0")
	f(earshot.Days{Start: date(6), End: date(8)}, earshot.Daily, 10, "2026-03-06 to 2026-03-08: 0")
	f(earshot.Days{Start: date(20), End: date(22)}, "", 10, "2026-03-20 to 2026-03-22: 0") // no results yet
}

func TestTopicsByHour(t *testing.T) {
	s, _ := watched(t, talk()...)
	got, err := s.Topics(t.Context(), coffeeMonitor("coffee"), earshot.Days{Start: date(2), End: date(5)}, earshot.Hourly, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int64{{4, 0, 1}, {0, 3, 0}} {
		steps := got.Topics[i].Steps
		if len(steps) != 72 || steps[12].Posts != want[0] || steps[36].Posts != want[1] || steps[60].Posts != want[2] {
			t.Errorf("%s: got %v, want 72 hours, with %v posts at noon", got.Topics[i].Name(), steps, want)
		}
	}
}

func TestTopicsExcludeSearchWords(t *testing.T) {
	s, _ := watched(t, talk()...)
	got := formatTopics(t, s, coffeeMonitor("coffee OR #beans OR machine"), march, "", 10)
	if want := "2026-03-01 to 2026-03-11: 2; brazil, harvest: 2 = 2"; got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// TestTopicsOfOneWord uses posts without words that often occur together.
func TestTopicsOfOneWord(t *testing.T) {
	s, _ := watched(t, said("en", "coffee milk", "coffee milk", "coffee #sugar", "coffee sugar", "sugar", "coffee", "coffee cup")...)
	got := formatTopics(t, s, coffeeMonitor("coffee"), march, "", 10)
	if want := "2026-03-01 to 2026-03-11: 5; sugar: 3 = 3; milk: 2 = 2"; got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestTopicsChangeWithPosts(t *testing.T) {
	s, store := watched(t, talk()...)
	m := coffeeMonitor("coffee")
	before := formatTopics(t, s, m, march, "", 1)
	appendPosts(t, store, 2, post("new", "2026-03-05T12:00:00Z", "coffee from the harvest in Brazil"))
	if got, want := formatTopics(t, s, m, march, "", 1), strings.ReplaceAll(before, "5", "6"); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestTopicsFail(t *testing.T) {
	s, _ := watched(t, talk()...)
	var wrong *earshot.Error
	_, err := s.Topics(t.Context(), coffeeMonitor("coffee"), earshot.Days{Start: date(2), End: date(4)}, earshot.Weekly, 10)
	if !errors.As(err, &wrong) || wrong.Message != "The selected range contains no full week" {
		t.Errorf("got error %v, want one about full weeks", err)
	}
}

// TestTopicVolumesAreExact counts more posts than a sample has.
func TestTopicVolumesAreExact(t *testing.T) {
	if testing.Short() {
		t.Skip("stores 12,000 posts")
	}
	store := memory.New()
	var matched []poststore.MatchedPost
	for i := range 12_000 {
		text := [...]string{"beans brazil", "machine repair", "milk", "sugar", "cream"}[i%5]
		p := post(fmt.Sprint(i), "2026-03-02T12:00:00Z", text)
		matched = append(matched, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(coffee)}})
	}
	if err := store.Append(t.Context(), 1, matched); err != nil {
		t.Fatal(err)
	}
	s, _ := watched(t)
	s.Store = store
	got := formatTopics(t, s, coffeeMonitor("coffee"), march, "", 10)
	if want := "2026-03-01 to 2026-03-11: 4800; beans, brazil: 2400 = 2400; machine, repair: 2400 = 2400"; got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}
