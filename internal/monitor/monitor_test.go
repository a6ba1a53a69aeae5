package monitor_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/monitor"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A matcher records rematch requests. It completes each of them immediately unless heldUp is set.
type matcher struct {
	mu        sync.Mutex
	rematched []earshot.MonitorID
	during    func() // called during a rematch
	heldUp    bool
}

func (m *matcher) Rematch(id earshot.MonitorID) <-chan struct{} {
	if m.during != nil {
		m.during()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rematched = append(m.rematched, id)
	done := make(chan struct{})
	if !m.heldUp {
		close(done)
	}
	return done
}

type fixedJournal earshot.Position

func (j fixedJournal) Last(context.Context) (earshot.Position, error) {
	return earshot.Position(j), nil
}

type world struct {
	*monitor.Service
	matcher *matcher
	caller  *earshot.Caller
}

func newWorld(t *testing.T, team earshot.Team) *world {
	t.Helper()
	return newWorldOn(t, kv.NewMemory(), team)
}

func newWorldOn(t *testing.T, store kv.Store, team earshot.Team) *world {
	t.Helper()
	c, err := catalog.Open(t.Context(), store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Teams.Add(t.Context(), team.ID, &team); err != nil {
		t.Fatal(err)
	}
	w := &world{matcher: &matcher{}, caller: earshot.NewCaller(&earshot.User{Username: "ann", Teams: []earshot.TeamID{team.ID}})}
	noon := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	w.Service = &monitor.Service{Catalog: c, Rematcher: w.matcher, Journal: fixedJournal(7), Now: func() time.Time { return noon }}
	return w
}

func changes(name, keywords string) monitor.Changes {
	team := earshot.TeamID(1)
	return monitor.Changes{Name: &name, Team: &team, Criteria: monitor.CriteriaChanges{Keywords: &keywords}}
}

func (w *world) add(t *testing.T, ch monitor.Changes) *earshot.Monitor {
	t.Helper()
	m, err := w.Add(t.Context(), w.caller, ch)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func events(m *earshot.Monitor) string {
	var kinds []string
	for _, e := range m.Audit {
		kinds = append(kinds, string(e.Kind))
	}
	return strings.Join(kinds, " ")
}

func TestTeamMonitorLimit(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme", MonitorLimit: 5})
	var wait sync.WaitGroup
	var made atomic.Int64
	for range 24 {
		wait.Go(func() {
			if _, err := w.Add(context.Background(), w.caller, changes("m", "a")); err == nil {
				made.Add(1)
			} else if !earshot.IsKind(err, earshot.OverLimit) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if made.Load() != 5 || len(w.List(w.caller, 1)) != 5 {
		t.Errorf("got %d monitors, want 5", made.Load())
	}
}

func TestMonitorIsNotAddedToRemovedTeam(t *testing.T) {
	for range 20 {
		w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
		accounts := account.New(account.Options{Catalog: w.Catalog, Secret: make([]byte, 32)})
		var wait sync.WaitGroup
		var added, removed error
		wait.Go(func() { _, added = w.Add(context.Background(), w.caller, changes("m", "a")) })
		wait.Go(func() { removed = accounts.RemoveTeam(context.Background(), 1) })
		wait.Wait()
		if (added == nil) == (removed == nil) {
			t.Fatalf("adding a monitor: %v, removing its team: %v; one must fail", added, removed)
		}
	}
}

// TestRematchDoesNotBlockOtherChanges makes another change during the rematch of a new monitor,
// which can take a long time. If that change had to wait for the rematch, the test would never
// return.
func TestRematchDoesNotBlockOtherChanges(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	accounts := account.New(account.Options{Catalog: w.Catalog, Secret: make([]byte, 32)})
	var err error
	w.matcher.during = func() {
		w.matcher.during = nil
		err = accounts.RemoveTeam(context.Background(), 1) // fails because the team has a monitor
	}
	w.add(t, changes("m", "a"))
	if !earshot.IsKind(err, earshot.Invalid) {
		t.Errorf("got %v, want an error that the team still has a monitor", err)
	}
}

func TestOnlySelectionChangesRematch(t *testing.T) {
	text := func(s string) *string { return &s }
	day := earshot.Date{Year: 2026, Month: 1, Day: 1}
	f := func(name string, ch monitor.Changes, rematches int, want string) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
			m := w.add(t, changes("m", "a"))
			w.matcher.rematched = nil
			m, err := w.Edit(t.Context(), w.caller, m.ID, ch)
			if err != nil {
				t.Fatal(err)
			}
			if len(w.matcher.rematched) != rematches || events(m) != want {
				t.Errorf("got %d rematches and %s, want %d and %s", len(w.matcher.rematched), events(m), rematches, want)
			}
		})
	}
	f("no change", monitor.Changes{}, 0, "ENABLED")
	f("same name", monitor.Changes{Name: text("m")}, 0, "ENABLED")
	f("new name", monitor.Changes{Name: text("n")}, 0, "ENABLED EDITED")
	f("keywords", monitor.Changes{Criteria: monitor.CriteriaChanges{Keywords: text("b")}}, 1, "ENABLED EDITED RESET")
	f("earlier start", monitor.Changes{Start: &day}, 1, "ENABLED EDITED RESET")
	f("time zone", monitor.Changes{Timezone: text("Asia/Tokyo")}, 1, "ENABLED EDITED RESET")
}

func TestDisabledMonitorRecordsPosition(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	m := w.add(t, changes("m", "a"))
	m, err := w.Disable(t.Context(), w.caller, m.ID)
	if err != nil || m.Enabled || m.DisabledAt != 7 || m.DisabledOn.String() != "2026-03-15" {
		t.Fatalf("got %+v %v, want a monitor disabled at entry 7", m, err)
	}
	keywords := "b"
	if m, err = w.Edit(t.Context(), w.caller, m.ID, monitor.Changes{Criteria: monitor.CriteriaChanges{Keywords: &keywords}}); err != nil || m.DisabledAt != 7 {
		t.Errorf("an edit changed DisabledAt to %d, %v", m.DisabledAt, err)
	}
	if again, err := w.Disable(t.Context(), w.caller, m.ID); err != nil || events(again) != "ENABLED DISABLED EDITED RESET" {
		t.Errorf("disable again: got %s %v", events(again), err)
	}
	w.matcher.rematched = nil
	m, err = w.Enable(t.Context(), w.caller, m.ID)
	if err != nil || !m.Enabled || m.DisabledAt != 0 || len(w.matcher.rematched) != 1 {
		t.Errorf("got %+v %v and %d rematches, want it enabled and rematched", m, err, len(w.matcher.rematched))
	}
}

func TestHostDependentTimeZonesAreRejected(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	for _, zone := range []string{"Local", "localtime", "posixrules", "Factory", "../etc/passwd", "Mars"} {
		ch := changes("m", "a")
		ch.Timezone = &zone
		if _, err := w.Add(t.Context(), w.caller, ch); !earshot.IsKind(err, earshot.Invalid) {
			t.Errorf("%s: got %v, want an error", zone, err)
		}
	}
}

func TestSetRealtimeIsIdempotent(t *testing.T) {
	w := newWorld(t, earshot.Team{ID: 1, Name: "Acme"})
	id := w.add(t, changes("m", "coffee")).ID
	for _, step := range []struct {
		enabled bool
		events  int
	}{{true, 2}, {true, 2}, {false, 3}, {false, 3}} {
		m, err := w.SetRealtime(t.Context(), w.caller, id, step.enabled)
		if err != nil {
			t.Fatal(err)
		}
		if m.Realtime != step.enabled || len(m.Audit) != step.events {
			t.Errorf("set to %t: got %t with %d events, want %d", step.enabled, m.Realtime, len(m.Audit), step.events)
		}
	}
	if _, err := w.SetRealtime(t.Context(), w.caller, 999, true); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("unknown monitor: got error %v, want NotFound", err)
	}
}

// A fullStore refuses writes like a full disk.
type fullStore struct {
	kv.Store
	full bool
}

func (s *fullStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if s.full {
		return 0, &earshot.Error{Kind: earshot.StorageFull, Message: "The disk is full"}
	}
	return s.Store.Put(ctx, key, value, revision)
}

func TestExportsWorkOnAFullDisk(t *testing.T) {
	store := &fullStore{Store: kv.NewMemory()}
	w := newWorldOn(t, store, earshot.Team{ID: 1, Name: "Acme"})
	var log strings.Builder
	w.Log = slog.New(slog.NewTextHandler(&log, nil))
	m := w.add(t, changes("Coffee", "coffee"))
	store.full = true
	if err := w.RecordExport(t.Context(), w.caller, m); err != nil {
		t.Errorf("got %v, want nil", err)
	}
	if got := log.String(); !strings.Contains(got, "not in the audit log") || !strings.Contains(got, "user=ann") {
		t.Errorf("got log %q, want the export of ann", got)
	}
	store.full = false
	if err := w.RecordExport(t.Context(), w.caller, m); err != nil {
		t.Fatal(err)
	}
	if _, events, err := w.Audit(w.caller, m.ID); err != nil || events[0].Kind != earshot.EventTwitterExport {
		t.Errorf("got %+v, %v, want the export first", events, err)
	}
}
