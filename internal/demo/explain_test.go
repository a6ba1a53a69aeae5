package demo

import (
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
)

// An explained is a monitor of the brand with the posts of a demo.
type explained struct {
	*testing.T
	store   *memory.Store
	service *insight.Service
	monitor *earshot.Monitor
}

func newExplained(t *testing.T, g Generator) *explained {
	t.Helper()
	const id = 1
	start := g.calendar().start
	var posts []poststore.MatchedPost
	for p := range g.Posts() {
		if strings.Contains(strings.ToLower(p.Contents+" "+p.Title), strings.ToLower(Brand)) {
			posts = append(posts, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(id)}})
		}
	}
	w := &explained{T: t, store: memory.New()}
	if err := w.store.Append(t.Context(), 1, posts); err != nil {
		t.Fatal(err)
	}
	w.monitor = &earshot.Monitor{
		ID: id, Team: 3, Type: earshot.Buzz, Timezone: "UTC", Start: earshot.DateOf(start), Enabled: true,
		Criteria: earshot.Criteria{Keywords: Brand},
	}
	w.service = &insight.Service{Store: w.store, Now: func() time.Time { return g.End }}
	return w
}

// explain explains the day that begins at a time.
func (w *explained) explain(day time.Time) *insight.Explanation {
	w.Helper()
	e, err := w.service.Explain(w.Context(), w.monitor, insight.ExplainRequest{From: day, To: day.AddDate(0, 0, 1)})
	if err != nil {
		w.Fatal(err)
	}
	return e
}

// TestEventsAreExplained checks that the recall and the launch have stories, and the days between them
// have none.
func TestEventsAreExplained(t *testing.T) {
	w := newExplained(t, standard)
	c := standard.calendar()
	explain := func(day int) *insight.Explanation {
		t.Helper()
		return w.explain(c.start.AddDate(0, 0, day))
	}
	e := explain(c.crisis)
	if e.Change != insight.ChangeMore || e.Cause == insight.CauseNone || e.Explained < 0.8 {
		t.Errorf("recall: got change %q, cause %q, explained %.2f, %d posts, expected %+v, stories %+v", e.Change, e.Cause, e.Explained, e.Posts, e.Expected, spell(e))
	}
	if !slices.ContainsFunc(e.Stories, func(s insight.Story) bool { return slices.Contains(s.Terms, "solanorecall") }) {
		t.Errorf("recall: got stories %v, want solanorecall in one", spell(e))
	}
	if !slices.ContainsFunc(e.Hashtags, func(d insight.Driver) bool { return d.Name == "solanorecall" }) {
		t.Errorf("recall: got hashtags %+v", e.Hashtags)
	}
	if e := explain(c.launch); e.Change != insight.ChangeMore || len(e.Stories) == 0 {
		t.Errorf("launch: got change %q, stories %v, %d posts, expected %+v", e.Change, spell(e), e.Posts, e.Expected)
	}
	for day := c.launch + 10; day < c.crisis; day += 3 { // after the launch
		if e := explain(day); len(e.Stories) > 0 {
			t.Errorf("day %d: got stories %v, %d posts, expected %+v", day, spell(e), e.Posts, e.Expected)
		}
	}
}

// spell returns the terms of stories.
func spell(e *insight.Explanation) (stories []string) {
	for _, s := range e.Stories {
		stories = append(stories, strings.Join(s.Terms, " "))
	}
	return stories
}
