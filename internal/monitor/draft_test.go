package monitor_test

import (
	"strings"
	"testing"

	"earshot"
	"earshot/internal/monitor"
	"earshot/internal/query"
)

func TestDraftIsValidatedButNotStored(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme", MonitorLimit: 1})
	w.add(t, changes("the only one", "a"))
	ch := changes("", "coffee")
	ch.Name = nil
	languages := earshot.Choice{Values: []string{"en"}}
	ch.Criteria.Languages = &languages
	m, err := w.Draft(w.caller, ch)
	if err != nil {
		t.Fatal(err)
	}
	if m.ID != 0 || m.Timezone != "UTC" || m.Criteria.Languages.Values[0] != "EN" {
		t.Errorf("got %+v, want a monitor without id in its normal form", m)
	}
	if n := len(w.List(w.caller, 1)); n != 1 {
		t.Errorf("the team has %d monitors, want 1", n)
	}
	f := func(change func(ch *monitor.Changes), want string) {
		t.Helper()
		ch := changes("", "coffee")
		change(&ch)
		if _, err := w.Draft(w.caller, ch); err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	team, zone, keywords := earshot.TeamID(2), "Mars", "(coffee"
	f(func(ch *monitor.Changes) { ch.Team = nil }, "Invalid request body: team is missing")
	f(func(ch *monitor.Changes) { ch.Team = &team }, "Team 2 does not exist")
	f(func(ch *monitor.Changes) { ch.Timezone = &zone }, "Invalid request body: timezone 'Mars' is not a time zone; use a name like UTC or America/New_York")
	f(func(ch *monitor.Changes) { ch.Criteria.Keywords = &keywords }, "Invalid keywords at position 1: unclosed parenthesis opened at 1")
}

func TestConditionOfFilterIncludesMonitor(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	// Joined into one text, the two queries exceed the maximum length of a query.
	wide := strings.Repeat(" ", 60_000)
	coffee, tea := "coffee OR"+wide+"espresso", "tea OR"+wide+"chai"
	m := w.add(t, changes("m", coffee))
	name := "f"
	f, err := w.AddFilter(t.Context(), w.caller, m.ID, monitor.FilterChanges{Name: &name, Criteria: monitor.CriteriaChanges{Keywords: &tea}})
	if err != nil {
		t.Fatal(err)
	}
	selects := func(id earshot.MonitorID, contents string, want bool) {
		t.Helper()
		found, err := w.Find(w.caller, id)
		if err != nil {
			t.Fatal(err)
		}
		c, err := w.Condition(found)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Match(query.NewDocument(&earshot.Post{Contents: contents})); got != want {
			t.Errorf("%d on %q: got %t, want %t", id, contents, got, want)
		}
	}
	selects(m.ID, "coffee", true)
	selects(m.ID, "tea", false)
	selects(f.ID, "coffee", false)
	selects(f.ID, "tea", false)
	selects(f.ID, "coffee and tea", true)

	gone, err := w.Find(w.caller, f.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.RemoveFilter(t.Context(), w.caller, f.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Condition(gone); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("removed filter: got error %v, want NotFound", err)
	}
}
