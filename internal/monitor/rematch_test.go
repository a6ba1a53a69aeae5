package monitor_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/monitor"
)

// TestSelectionChangesIncrementGeneration checks that the generation is saved in the same record as
// the change, and that each increment causes one rematch of stored posts.
func TestSelectionChangesIncrementGeneration(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	m := w.add(t, changes("m", "a"))
	id := m.ID
	var filter *earshot.Filter
	keywords, name, gender := "b", "f", earshot.Female
	march10, march1 := earshot.Date{Year: 2026, Month: 3, Day: 10}, earshot.Date{Year: 2026, Month: 1, Day: 1}
	for _, step := range []struct {
		name      string
		change    func() error
		matching  int64
		from      earshot.Date
		rematched func() []earshot.MonitorID
	}{
		{"created", func() error { return nil }, 1, earshot.Date{}, nil},
		{"edited", func() error {
			_, err := w.Edit(t.Context(), w.caller, id, monitor.Changes{Criteria: monitor.CriteriaChanges{Keywords: &keywords}})
			return err
		}, 2, earshot.Date{}, nil},
		{"renamed", func() error {
			_, err := w.Edit(t.Context(), w.caller, id, monitor.Changes{Name: &name})
			return err
		}, 2, earshot.Date{}, func() []earshot.MonitorID { return nil }},
		{"reset from a day", func() error {
			_, err := w.Reset(t.Context(), w.caller, id, march10)
			return err
		}, 3, march10, nil},
		{"renamed after a partial reset", func() error {
			name = "g"
			_, err := w.Edit(t.Context(), w.caller, id, monitor.Changes{Name: &name})
			return err
		}, 3, march10, func() []earshot.MonitorID { return nil }},
		{"disabled", func() error { _, err := w.Disable(t.Context(), w.caller, id); return err }, 4, earshot.Date{}, nil},
		{"disabled again", func() error { _, err := w.Disable(t.Context(), w.caller, id); return err }, 4, earshot.Date{},
			func() []earshot.MonitorID { return nil }},
		{"enabled", func() error { _, err := w.Enable(t.Context(), w.caller, id); return err }, 5, earshot.Date{}, nil},
		{"reset from before its start", func() error {
			_, err := w.Reset(t.Context(), w.caller, id, march1)
			return err
		}, 6, earshot.Date{}, nil},
		{"with a filter", func() (err error) {
			filter, err = w.AddFilter(t.Context(), w.caller, id, monitor.FilterChanges{Name: &name})
			return err
		}, 7, earshot.Date{}, nil},
		{"with an edited filter", func() error {
			_, _, err := w.EditFilter(t.Context(), w.caller, filter.ID, monitor.FilterChanges{Criteria: monitor.CriteriaChanges{Gender: &gender}})
			return err
		}, 8, earshot.Date{}, nil},
		{"with a renamed filter", func() error {
			name = "h"
			_, _, err := w.EditFilter(t.Context(), w.caller, filter.ID, monitor.FilterChanges{Name: &name})
			return err
		}, 8, earshot.Date{}, func() []earshot.MonitorID { return nil }},
		{"with a removed filter", func() error { return w.RemoveFilter(t.Context(), w.caller, filter.ID) }, 8, earshot.Date{},
			func() []earshot.MonitorID { return []earshot.MonitorID{filter.ID} }},
		{"removed", func() error { return w.Remove(t.Context(), w.caller, id) }, 8, earshot.Date{}, nil},
	} {
		if err := step.change(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		want := []earshot.MonitorID{id}
		if step.rematched != nil {
			want = step.rematched()
		}
		if got := w.matcher.rematched; !slices.Equal(got, want) {
			t.Errorf("%s: got rematches of %v, want %v", step.name, got, want)
		}
		w.matcher.rematched = nil
		stored, ok := w.Catalog.Monitors.Find(id)
		if !ok || stored.Generation != step.matching || stored.RematchFrom != step.from {
			t.Errorf("%s: got %d from %v, want %d from %v", step.name, stored.Generation, stored.RematchFrom, step.matching, step.from)
		}
	}
}

// TestChangesWaitForRematchWithLimit makes every kind of change while rematches never finish.
func TestChangesWaitForRematchWithLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
		start := time.Now()
		m := w.add(t, changes("m", "a"))
		if took := time.Since(start); took != 0 {
			t.Errorf("created in %v, want no wait after the rematch", took)
		}
		w.matcher.heldUp = true
		name, keywords := "f", "b"
		for what, change := range map[string]func() error{
			"add": func() error { _, err := w.Add(t.Context(), w.caller, changes("n", "a")); return err },
			"edit": func() error {
				keywords += "b"
				_, err := w.Edit(t.Context(), w.caller, m.ID, monitor.Changes{Criteria: monitor.CriteriaChanges{Keywords: &keywords}})
				return err
			},
			"reset": func() error { _, err := w.Reset(t.Context(), w.caller, m.ID, earshot.Date{}); return err },
			"add a filter": func() error {
				_, err := w.AddFilter(t.Context(), w.caller, m.ID, monitor.FilterChanges{Name: &name})
				return err
			},
		} {
			start := time.Now()
			err := change()
			if took := time.Since(start); took != 2*time.Second || err != nil {
				t.Errorf("%s: returned after %v with %v, want success after 2s", what, took, err)
			}
		}
		start = time.Now()
		err := w.Remove(t.Context(), w.caller, m.ID)
		if took := time.Since(start); took != 2*time.Second || err != nil {
			t.Errorf("remove: returned after %v with %v, want success after 2s", took, err)
		}
	})
}

func TestChangeSurvivesCanceledCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
		m := w.add(t, changes("m", "a"))
		w.matcher.heldUp = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		m, err := w.Reset(ctx, w.caller, m.ID, earshot.Date{})
		if took := time.Since(start); took != time.Second || err != nil || m.Generation != 2 {
			t.Errorf("got %+v %v after %v, want the change after 1s, when the caller cancels", m, err, took)
		}
	})
}
