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

// TestEventsAreExplained checks that the recall, the launch and nothing else have stories.
func TestEventsAreExplained(t *testing.T) {
	const id = 1
	start := standard.calendar().start
	var posts []poststore.MatchedPost
	for _, p := range standardPosts() {
		if strings.Contains(strings.ToLower(p.Contents+" "+p.Title), strings.ToLower(Brand)) {
			posts = append(posts, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(id)}})
		}
	}
	store := memory.New()
	if err := store.Append(t.Context(), 1, posts); err != nil {
		t.Fatal(err)
	}
	m := &earshot.Monitor{
		ID: id, Team: 3, Type: earshot.Buzz, Timezone: "UTC", Start: earshot.DateOf(start), Enabled: true,
		Criteria: earshot.Criteria{Keywords: Brand},
	}
	s := &insight.Service{Store: store, Now: func() time.Time { return start.AddDate(0, 0, standard.Days) }}
	explain := func(day int) *insight.Explanation {
		t.Helper()
		e, err := s.Explain(t.Context(), m, insight.ExplainRequest{From: start.AddDate(0, 0, day), To: start.AddDate(0, 0, day+1)})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := explain(64)
	if e.Change != insight.ChangeMore || e.Cause == insight.CauseNone || e.Explained < 0.8 {
		t.Errorf("recall: got change %q, cause %q, explained %.2f, %d posts, expected %+v, stories %+v", e.Change, e.Cause, e.Explained, e.Posts, e.Expected, spell(e))
	}
	if !slices.ContainsFunc(e.Stories, func(s insight.Story) bool { return slices.Contains(s.Terms, "solanorecall") }) {
		t.Errorf("recall: got stories %v, want solanorecall in one", spell(e))
	}
	if !slices.ContainsFunc(e.Hashtags, func(d insight.Driver) bool { return d.Name == "solanorecall" }) {
		t.Errorf("recall: got hashtags %+v", e.Hashtags)
	}
	if e := explain(36); e.Change != insight.ChangeMore || len(e.Stories) == 0 {
		t.Errorf("launch: got change %q, stories %v, %d posts, expected %+v", e.Change, spell(e), e.Posts, e.Expected)
	}
	for day := 46; day < 64; day += 3 { // after the launch
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
