package insight_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
	"earshot/internal/query/watchlist"
)

func TestReportTopics(t *testing.T) {
	s, _ := watched(t, talk()...)
	m := coffeeMonitor("coffee")
	f := func(start, end int, want string) {
		t.Helper()
		for range 2 { // the second result is cached
			r, err := s.ReportTopics(t.Context(), m, insight.ReportRequest{Days: earshot.Days{Start: date(start), End: date(end)}}, 10)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%d of %d, %d steps, previous %s %.2f", r.About, r.Posts, len(r.Steps), r.Previous.Start, r.Coverage)
			for _, topic := range r.Topics {
				var examples []string
				for _, p := range topic.Examples {
					examples = append(examples, p.GUID)
				}
				got += fmt.Sprintf("; %s: %d, before %d, %v %v", topic.Name(), topic.Posts, topic.Previous, topic.Steps, examples)
			}
			if got != want {
				t.Errorf("March %d to %d: got\n%s, want\n%s", start, end, got, want)
			}
		}
	}
	f(2, 5, "8 of 13, 3 steps, previous 2026-03-01 0.33; beans: 5, before 0, [4 0 1] [2 0 7]; machine: 3, before 0, [0 3 0] [5 6 4]")
	f(1, 4, "7 of 7, 3 steps, previous 0000-00-00 0.00; machine: 3, before 0, [0 0 3] [5 6 4]; beans: 2, before 0, [0 2 0] [0 1]; harvest: 2, before 0, [0 2 0] [2 3]")
	f(20, 22, "0 of 0, 0 steps, previous 0000-00-00 0.00") // no results yet
}

func TestReportTopicsOfHoursAndRefinement(t *testing.T) {
	s, _ := watched(t, talk()...)
	r, err := s.ReportTopics(t.Context(), coffeeMonitor("coffee"), insight.ReportRequest{
		Days: earshot.Days{Start: date(3), End: date(4)}, Filter: "x",
		Refine: func(filter.Categories) (poststore.Selection, error) {
			return poststore.Selection{Where: compile(t, "repair")}, nil
		},
	}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Hourly || len(r.Steps) != 24 || r.Posts != 2 {
		t.Errorf("got %d posts in %d steps, hourly %v, want 2 in 24 hours", r.Posts, len(r.Steps), r.Hourly)
	}
	for _, topic := range r.Topics {
		if topic.Posts > 2 || topic.Steps[12] != topic.Posts {
			t.Errorf("topic %s: got %d posts, %v", topic.Name(), topic.Posts, topic.Steps)
		}
	}
}

// TestReportCountsEveryPostOfATopic compares counts with a loop over all posts.
func TestReportCountsEveryPostOfATopic(t *testing.T) {
	c := newChatter(t, 3)
	c.addWeeks(60)
	for range 200 {
		c.add(chatterDay, "the harvest in brazil was lost to frost "+c.usual(), nil)
	}
	if err := c.store.Append(t.Context(), 1, c.posts); err != nil {
		t.Fatal(err)
	}
	day := earshot.DateOf(chatterDay)
	r, err := c.ReportTopics(t.Context(), c.monitor(), insight.ReportRequest{Days: earshot.Days{Start: day.AddDays(-3), End: day.AddDays(2)}}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(r.Topics[0].Terms, "harvest") {
		t.Fatalf("got first topic %q, want the one about the harvest", r.Topics[0].Terms)
	}
	for _, topic := range r.Topics {
		steps, before := make([]int64, 5), int64(0)
		for _, p := range c.posts {
			words, having := strings.Fields(p.Post.Contents), 0
			for _, term := range topic.Terms {
				if slices.Contains(words, term) {
					having++
				}
			}
			step := earshot.DateOf(p.Post.Time).DaysUntil(day)
			if having >= min(2, len(topic.Terms)) && step <= 3 && step > -2 {
				steps[3-step]++
			} else if having >= min(2, len(topic.Terms)) && step > 3 && step <= 8 {
				before++
			}
		}
		if !slices.Equal(topic.Steps, steps) || topic.Previous != before {
			t.Errorf("topic %s: got %v, before %d, want %v, before %d", topic.Name(), topic.Steps, topic.Previous, steps, before)
		}
	}
}

func TestWordChanges(t *testing.T) {
	c := newChatter(t, 4)
	c.addWeeks(60)
	for i := range 80 {
		c.add(chatterDay.AddDate(0, 0, -i%3), "frost and harvest "+c.usual(), nil)
		c.add(chatterDay.AddDate(0, 0, -3-i%4), "harvest "+c.usual(), func(p *earshot.Post) {
			if i%8 > 0 {
				p.Contents = c.usual()
			}
		})
	}
	if err := c.store.Append(t.Context(), 1, c.posts); err != nil {
		t.Fatal(err)
	}
	day := earshot.DateOf(chatterDay)
	changes := func(m *earshot.Monitor, days int) *insight.WordChanges {
		t.Helper()
		w, err := c.WordChanges(t.Context(), m, insight.ReportRequest{Days: earshot.Days{Start: day.AddDays(1 - days), End: day.AddDays(1)}})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := changes(c.monitor(), 3)
	if got := names(w.Words); !slices.Equal(got, []string{"frost", "harvest"}) {
		t.Fatalf("got words %+v, want frost and harvest", w.Words)
	}
	if f, h := w.Words[0], w.Words[1]; f.Posts != 80 || f.Expected != 0 || h.Posts != 80 || h.Expected == 0 {
		t.Errorf("got %+v and %+v, want 80 posts each, and frost to be new", f, h)
	}
	short := c.monitor()
	short.Start = day.AddDays(-4)
	if half := changes(short, 3); half.Coverage > 0.67 || half.Previous.Len() != 2 || len(half.Words) == 0 || half.Words[0].Name != "frost" {
		t.Errorf("got coverage %.2f, expected %+v, want two thirds of the period, and frost to be new", half.Coverage, half.Words)
	}
	short.Start = day.AddDays(-2)
	if none := changes(short, 3); none.Coverage != 0 || len(none.Words) > 0 {
		t.Errorf("got %+v, want nothing without a previous period", none)
	}
}

// TestTopicNames names topics with what people write.
func TestTopicNames(t *testing.T) {
	f := func(want string, m *earshot.Monitor, texts ...string) {
		t.Helper()
		var posts []earshot.Post
		for i, text := range texts {
			p := post(fmt.Sprint(i), "2026-03-02T12:00:00Z", text)
			p.Language, p.AuthorUsername = "en", fmt.Sprint("user", i)
			if strings.Contains(text, "le ") {
				p.Language = "fr"
			}
			posts = append(posts, p)
		}
		for i, word := range strings.Fields("sun rain wind snow fog hail ice cloud storm dew") {
			posts = append(posts, post(fmt.Sprint("weather", i), "2026-03-02T12:00:00Z", word+" today"))
		}
		s, _ := watched(t, posts...)
		r, err := s.ReportTopics(t.Context(), m, insight.ReportRequest{Days: earshot.Days{Start: date(2), End: date(3)}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.Topics[0].Name() != want {
			t.Errorf("got %q, want %q", r.Topics[0].Name(), want)
		}
	}
	m := coffeeMonitor("coffee")
	f("flat white", m, "A flat white, please", "Flat White! I love it", "the flat white was cold", "Who has a flat white?")
	f("night train", m, "Hello night train!", "on the night train", "NIGHT TRAIN IS LOUD", "from the night train with love")
	f("battery fire, #SolanoRecall", m, "a battery fire #SolanoRecall", "another battery fire #SolanoRecall", "the battery fire, again #solanorecall", "battery fire")
	f("battery fire", coffeeMonitor("recall"), "recall after a battery fire", "a battery fire and a recall", "battery fire: recall #recall", "battery fire, no recall")
	f("installation difficile", m, "le guide de l'installation difficile", "le pire : l’installation difficile", "le jour de l'installation difficile", "l'installation difficile, le soir")
	f("cost of living", m, "the cost of living rises", "cost of living again", "a high cost of living", "cost of living, you know")
	f("battery", m, "battery <b> fire", "battery <i> fire", "fire <u> battery", "battery </b> fire") // no longer phrase
}

// compile returns the condition of keywords.
func compile(t *testing.T, keywords string) *watchlist.Condition {
	t.Helper()
	c, err := watchlist.Compile(3, earshot.Criteria{Keywords: keywords})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
