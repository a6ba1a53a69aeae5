package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/poststore"
)

// TestMonitorOfAnAnalysis checks the settings that a monitor takes from an analysis.
func TestMonitorOfAnAnalysis(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // on January 1, 2000
		w := newWorld(t)
		s := w.service()
		f := func(change func(f *analysis.Form), want string) {
			t.Helper()
			form := coffee()
			change(&form)
			form.Echo = fmt.Appendf(nil, `{"timezone":%q}`, form.Timezone)
			m := s.Monitor(submit(t, s, form))
			c := m.Criteria
			got := fmt.Sprintf("%s | %s | %q %s | %s from %s", m.Name, c.Keywords, c.Sources, c.Gender, m.Timezone, m.Start)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		f(func(*analysis.Form) {}, `coffee | coffee | ["Twitter"]  | UTC from 1999-12-02`)
		f(func(f *analysis.Form) { f.Timezone = "Asia/Tokyo" }, `coffee | coffee | ["Twitter"]  | Asia/Tokyo from 1999-12-02`)
		f(func(f *analysis.Form) { // an earlier day
			f.StartDate, f.EndDate = "1999-11-05T22:00:00", "1999-11-06T01:00:00"
		}, `coffee | coffee | ["Twitter"]  | UTC from 1999-11-05`)
		f(func(f *analysis.Form) { // all sources
			f.Sources = nil
			for _, n := range earshot.Networks {
				f.Sources = append(f.Sources, n.AnalysisName())
			}
		}, `coffee | coffee | []  | UTC from 1999-12-02`)

		genders := func(kind string, values ...string) func(f *analysis.Form) {
			return func(f *analysis.Form) { f.Gender = &analysis.Choice{Type: kind, Values: values} }
		}
		f(genders("include", "F"), `coffee | coffee | ["Twitter"] F | UTC from 1999-12-02`)
		f(genders("exclude", "F"), `coffee | (coffee) AND NOT authorGender:F | ["Twitter"]  | UTC from 1999-12-02`)
		f(genders("include", "all"), `coffee | (coffee) AND NOT authorGender:unknown | ["Twitter"]  | UTC from 1999-12-02`)
		f(genders("exclude", "all"), `coffee | (coffee) AND authorGender:unknown | ["Twitter"]  | UTC from 1999-12-02`)

		long := "(coffee OR espresso) AND\n(machine OR grinder OR kettle) NOT (tea OR \"hot chocolate\")"
		f(func(f *analysis.Form) { f.Keywords = long }, "coffee, espresso, machine, grinder, kettle | "+long+` | ["Twitter"]  | UTC from 1999-12-02`)
	})
}

// TestVolume counts posts at the borders of steps. The length of steps depends on that of the range.
func TestVolume(t *testing.T) {
	w := newWorld(t)
	s := w.patientService()
	midnight := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i, after := range []time.Duration{0, time.Minute - 1, time.Minute, 59*time.Minute + 59*time.Second, time.Hour, 24*time.Hour - 1, 24 * time.Hour} {
		p := post(earshot.Twitter, fmt.Sprint(i))
		p.Time = midnight.Add(after)
		w.add(t, p)
	}
	f := func(end string, want string) {
		t.Helper()
		form := coffee()
		form.EndDate = end
		steps, length, err := s.Volume(t.Context(), submit(t, s, form), poststore.Selection{})
		if err != nil {
			t.Fatal(err)
		}
		var counts []string
		for i, step := range steps {
			if want := midnight.Add(time.Duration(i) * length); !step.Start.Equal(want) {
				t.Errorf("to %s: step %d starts at %s, want %s", end, i, step.Start, want)
			}
			if step.Posts > 0 {
				counts = append(counts, fmt.Sprintf("%d:%d", i, step.Posts))
			}
		}
		if got := fmt.Sprintf("%d of %s: %s", len(steps), length, strings.Join(counts, " ")); got != want {
			t.Errorf("to %s: got %s, want %s", end, got, want)
		}
	}
	f("2026-03-01T00:20:00", "20 of 1m0s: 0:2 1:1")
	f("2026-03-01T00:31:00", "7 of 5m0s: 0:3")
	f("2026-03-01T01:00:00", "12 of 5m0s: 0:3 11:1")
	f("2026-03-01T06:00:00", "24 of 15m0s: 0:3 3:1 4:1")
	f("2026-03-02T00:00:00", "24 of 1h0m0s: 0:4 1:1 23:1")
}

// TestPostsOfAnAnalysis lists the posts of an analysis and pages through them.
func TestPostsOfAnAnalysis(t *testing.T) {
	w := newWorld(t)
	s := w.patientService()
	for _, guid := range []string{"a", "b", "c"} {
		w.add(t, post(earshot.Twitter, guid))
	}
	hidden := post("Survey", "d") // of a team that the analysis is not about
	hidden.Team, hidden.ContentSource = 5, 6
	late := post(earshot.Twitter, "e")
	late.Time = late.Time.AddDate(0, 0, 1)
	tea := post(earshot.Twitter, "f")
	tea.Contents = "tea"
	w.add(t, hidden, late, tea)

	r := submit(t, s, coffee())
	var listed []string
	var after *poststore.RankPosition
	for range 4 {
		page, err := s.Posts(t.Context(), r, poststore.Selection{}, poststore.Ranking{Limit: 1, After: after})
		if err != nil {
			t.Fatal(err)
		}
		if page.Total != 3 {
			t.Errorf("got a total of %d, want 3", page.Total)
		}
		if len(page.Posts) == 0 {
			break
		}
		p := page.Posts[0]
		listed = append(listed, p.Post.GUID)
		at, err := s.RankPosition(t.Context(), r, p.Post.Key(), p.Position.Score)
		if err != nil || at != p.Position {
			t.Errorf("got the position %v %v, want %v", at, err, p.Position)
		}
		after = &at
	}
	slices.Sort(listed)
	if got := strings.Join(listed, " "); got != "a b c" {
		t.Errorf("got the posts %s, want a b c", got)
	}
	for _, p := range []earshot.Post{hidden, late, tea} {
		if _, err := s.RankPosition(t.Context(), r, p.Key(), 0); !earshot.IsKind(err, earshot.NotFound) {
			t.Errorf("position of %s, which is not a post of the analysis: got %v", p.GUID, err)
		}
	}
}
