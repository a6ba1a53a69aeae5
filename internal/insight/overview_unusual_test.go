package insight_test

import (
	"slices"
	"testing"

	"earshot"
	"earshot/internal/insight"
)

// TestUnusualDays checks that the unusual days of a range are those that explanations call unusual,
// with the same numbers.
func TestUnusualDays(t *testing.T) {
	c := newChatter(t, 5)
	c.addWeeks(60)
	for range 100 {
		c.add(chatterDay, c.usual(), nil)
	}
	for range 300 {
		c.add(chatterDay.AddDate(0, 0, -9), c.usual(), nil)
	}
	c.explain(chatterDay) // stores the posts
	m := c.monitor()
	days := earshot.Days{Start: m.Start, End: earshot.DateOf(c.Now()).AddDays(1)}
	o, err := c.Overview(t.Context(), m, insight.OverviewRequest{Days: days, Parts: []insight.Part{insight.UnusualPart}})
	if err != nil {
		t.Fatal(err)
	}
	var want []insight.UnusualDay
	for day := days.Start; day.Before(days.End.AddDays(-1)); day = day.AddDays(1) { // the last day is not over
		e, err := c.Explain(t.Context(), m, insight.ExplainRequest{From: day.Start(m.Location()), To: day.AddDays(1).Start(m.Location())})
		if err != nil {
			t.Fatal(err)
		}
		if e.Change == insight.ChangeMore || e.Change == insight.ChangeFewer {
			want = append(want, insight.UnusualDay{Day: day, Posts: e.Posts, Expected: *e.Expected, Change: e.Change})
		}
	}
	got := slices.SortedFunc(slices.Values(o.Unusual), func(a, b insight.UnusualDay) int { return b.Day.DaysUntil(a.Day) })
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if first := earshot.DateOf(chatterDay.AddDate(0, 0, -9)); len(o.Unusual) < 2 || o.Unusual[0].Day != first {
		t.Errorf("got %+v, want %s first", o.Unusual, first)
	}
}
