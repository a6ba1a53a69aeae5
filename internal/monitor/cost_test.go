package monitor_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/config"
	"earshot/internal/monitor"
)

// phrases returns a query of n phrases, each of which costs 6.
func phrases(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(`"the x%d"`, i)
	}
	return strings.Join(parts, " OR ")
}

func keywords(text string) monitor.CriteriaChanges { return monitor.CriteriaChanges{Keywords: &text} }

func TestCostLimit(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	w.CostLimit = 900
	first := w.add(t, changes("first", phrases(100))) // 601 with the criteria themselves
	second := w.add(t, changes("second", "coffee"))   // 2
	refused := func(what string, err error) {
		t.Helper()
		if !earshot.IsKind(err, earshot.OverLimit) {
			t.Errorf("%s: got %v, want an OverLimit error", what, err)
		}
		if got := w.TeamCost(1); got != 603 {
			t.Errorf("%s: the team's monitors cost %d, want 603", what, got)
		}
	}
	_, err := w.Add(t.Context(), w.caller, changes("third", phrases(60)+" OR (a NEAR/5 b)"))
	refused("create", err)
	want := "The monitor would cost 383, and the other monitors of team Acme cost 603, but the team may spend only 900 (monitor_cost_limit). " +
		"The most expensive part of its query, a NEAR/5 b, costs 22. Use fewer NEAR, ~, wildcards and phrases, disable other monitors, or ask an administrator to raise the limit"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = w.Edit(t.Context(), w.caller, second.ID, monitor.Changes{Criteria: keywords(phrases(60))})
	refused("edit", err)
	name := "f"
	_, err = w.AddFilter(t.Context(), w.caller, second.ID, monitor.FilterChanges{Name: &name, Criteria: keywords(phrases(60))})
	refused("add a filter", err)

	// A monitor that already exceeds the limit keeps running and can be changed, but not made more
	// expensive.
	w.CostLimit = 500
	rename := "renamed"
	if _, err := w.Edit(t.Context(), w.caller, first.ID, monitor.Changes{Name: &rename}); err != nil {
		t.Error("rename:", err)
	}
	_, err = w.Edit(t.Context(), w.caller, first.ID, monitor.Changes{Criteria: keywords(phrases(101))})
	refused("edit beyond the limit", err)
	if _, err := w.Edit(t.Context(), w.caller, first.ID, monitor.Changes{Criteria: keywords(phrases(90))}); err != nil {
		t.Error("make it cheaper:", err)
	}
	if _, err := w.Disable(t.Context(), w.caller, first.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Enable(t.Context(), w.caller, first.ID); !earshot.IsKind(err, earshot.OverLimit) {
		t.Errorf("enable: got %v, want an OverLimit error", err)
	}
	w.CostLimit = 0
	if _, err := w.Enable(t.Context(), w.caller, first.ID); err != nil {
		t.Error("enable without a limit:", err)
	}
}

func TestConcurrentEditsStayWithinCostLimit(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	w.CostLimit = 1000
	var all []*earshot.Monitor
	for range 20 {
		all = append(all, w.add(t, changes("m", "a")))
	}
	var wait sync.WaitGroup
	for _, m := range all {
		wait.Go(func() {
			_, err := w.Edit(context.Background(), w.caller, m.ID, monitor.Changes{Criteria: keywords(phrases(40))})
			if err != nil && !earshot.IsKind(err, earshot.OverLimit) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := w.TeamCost(1); got > 1000 || got < 700 {
		t.Errorf("the monitors cost %d, want almost 1000", got)
	}
}

// TestThousandOrdinaryMonitorsFit uses the default limit.
func TestThousandOrdinaryMonitorsFit(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	w.CostLimit = config.New().MonitorCostLimit
	m := w.add(t, changes("m", `("acme phone" OR acmephone OR #acme OR @acme OR (acme NEAR/5 (phone OR mobile))) AND (buy* OR price OR review OR "how to") -(jobs OR hiring OR "we are hiring")`))
	if cost := w.TeamCost(1); 1000*cost > w.CostLimit/2 {
		t.Errorf("%s costs %d, and a team may spend %d", m.Criteria.Keywords, cost, w.CostLimit)
	}
}

func TestMostExpensive(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	a, b, c := w.add(t, changes("a", "a")), w.add(t, changes("b", phrases(9))), w.add(t, changes("c", phrases(5)))
	disabled := w.add(t, changes("d", phrases(50)))
	if _, err := w.Disable(t.Context(), w.caller, disabled.ID); err != nil {
		t.Fatal(err)
	}
	order := func(n int) (ids []earshot.MonitorID) {
		for _, c := range w.MostExpensive(n) {
			ids = append(ids, c.Monitor.ID)
		}
		return ids
	}
	if got, want := fmt.Sprint(order(10)), fmt.Sprint([]earshot.MonitorID{b.ID, c.ID, a.ID}); got != want {
		t.Errorf("got %s, want %s by cost", got, want)
	}
	w.Times = func() map[earshot.MonitorID]time.Duration {
		return map[earshot.MonitorID]time.Duration{a.ID: time.Second}
	}
	if got, want := fmt.Sprint(order(2)), fmt.Sprint([]earshot.MonitorID{a.ID, b.ID}); got != want {
		t.Errorf("got %s, want %s by time", got, want)
	}
}
