package digest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/state/ledger"
)

const (
	acme  earshot.TeamID    = 1
	other earshot.TeamID    = 2
	mail  earshot.ChannelID = 20
	chat  earshot.ChannelID = 21
)

var ann = earshot.NewCaller(&earshot.User{ID: 1, Username: "ann", Teams: []earshot.TeamID{acme}})

// A world is the state that outlives a process, with a clock.
type world struct {
	*testing.T
	records, entries *faultyStore
	catalog          *catalog.Catalog
	now              time.Time

	mu   sync.Mutex
	sent map[string]int // notifications by key, as delivery deduplicates them
}

// start is a Sunday.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, records: &faultyStore{Store: kv.NewMemory()}, entries: &faultyStore{Store: kv.NewMemory()}, now: start, sent: map[string]int{}}
	c, err := catalog.Open(t.Context(), w.records, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w.catalog = c
	for _, id := range []earshot.TeamID{acme, other} {
		w.check(c.Teams.Add(t.Context(), id, &earshot.Team{ID: id, Name: "t"}))
	}
	for id, team := range map[earshot.MonitorID]earshot.TeamID{10: acme, 11: acme, 12: other} {
		w.check(c.Monitors.Add(t.Context(), id, &earshot.Monitor{ID: id, Team: team, Name: "Coffee", Timezone: "Europe/Berlin", Filters: []earshot.Filter{{ID: id + 100, Name: "Women"}}}))
	}
	for id, team := range map[earshot.ChannelID]earshot.TeamID{mail: acme, chat: acme, 22: other} {
		w.check(c.Channels.Add(t.Context(), id, &earshot.Channel{ID: id, Team: team, Name: "Mail", Kind: earshot.EmailChannel}))
	}
	for id, team := range map[earshot.DashboardID]earshot.TeamID{30: acme, 31: other} {
		w.check(c.Dashboards.Add(t.Context(), id, &earshot.Dashboard{ID: id, Team: team, Name: "Brand", Cards: []earshot.Card{{ID: 1, Kind: earshot.VolumeCard, Monitor: 10}}}))
	}
	return w
}

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// service returns a process.
func (w *world) service() *Service {
	return New(Options{Catalog: w.catalog, Ledger: ledger.New(w.entries), Now: func() time.Time { return w.now }, Notify: w.notify})
}

func (w *world) notify(_ context.Context, n earshot.Notification) error {
	if err := w.entries.fault(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent[n.Key]++
	return nil
}

func (w *world) report(s *Service, cron string) *earshot.ScheduledReport {
	w.Helper()
	r, err := s.Add(w.Context(), ann, earshot.ScheduledReport{Team: acme, Name: "Weekly", Monitors: []earshot.MonitorID{10}, Cron: cron, Channels: []earshot.ChannelID{mail}})
	w.check(err)
	return r
}

// wantSent checks which notifications were handed over. Repeats do not count.
func (w *world) wantSent(want ...string) {
	w.Helper()
	var got []string
	for key := range w.sent {
		got = append(got, key)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.Errorf("got %v, want %v", got, want)
	}
}

// A faultyStore is a store of a process that dies: the write with number at fails, and all after it. If
// lost is set, the store has the write although the process did not learn it.
type faultyStore struct {
	kv.Store
	mu     sync.Mutex
	writes int
	at     int // 0: never
	lost   bool
}

var errDied = errors.New("the process died")

// fault counts a write, or another step that can fail.
func (s *faultyStore) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writes++; s.at > 0 && s.writes >= s.at {
		return errDied
	}
	return nil
}

func (s *faultyStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	err := s.fault()
	if err != nil && (!s.lost || s.writes > s.at) {
		return 0, err
	}
	written, putErr := s.Store.Put(ctx, key, value, revision)
	return written, errors.Join(err, putErr)
}

func TestReports(t *testing.T) {
	w := newWorld(t)
	s := w.service()
	r := w.report(s, "0 8 * * 1")
	if r.Timezone != "Europe/Berlin" || r.Range != "lastweek" || !r.Since.Equal(start) || r.CreatedBy != "ann" {
		t.Errorf("got %+v", r)
	}
	valid := earshot.ScheduledReport{Team: acme, Name: " R ", Monitors: []earshot.MonitorID{10, 110}, Dashboards: []earshot.DashboardID{30}, Cron: "@daily"}
	f := func(change func(*earshot.ScheduledReport), want string) {
		t.Helper()
		r := valid
		change(&r)
		_, err := s.Add(t.Context(), ann, r)
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	f(func(r *earshot.ScheduledReport) {}, "")
	f(func(r *earshot.ScheduledReport) { r.Name = " " }, "Invalid request body: name must have 1 to 200 characters")
	f(func(r *earshot.ScheduledReport) { r.Name = "a\r\nBcc: b" }, "Invalid request body: name must not contain control characters")
	f(func(r *earshot.ScheduledReport) { r.Team = other }, "Team 2 does not exist")
	f(func(r *earshot.ScheduledReport) { r.Monitors, r.Dashboards = nil, nil }, "Invalid request body: monitors, dashboards, or cards is missing: the report would be empty")
	f(func(r *earshot.ScheduledReport) { r.Monitors = make([]earshot.MonitorID, 20) }, "Invalid request body: monitors and dashboards must have at most 20 entries together")
	f(func(r *earshot.ScheduledReport) { r.Monitors = []earshot.MonitorID{12} }, earshot.NoMonitor(12).Error())
	f(func(r *earshot.ScheduledReport) { r.Monitors = []earshot.MonitorID{10, 10} }, "Invalid request body: monitors contains 10 twice")
	f(func(r *earshot.ScheduledReport) { r.Dashboards = []earshot.DashboardID{31} }, "Dashboard 31 does not exist")
	f(func(r *earshot.ScheduledReport) { r.Channels = []earshot.ChannelID{22} }, "Channel 22 does not exist")
	f(func(r *earshot.ScheduledReport) { r.Channels = make([]earshot.ChannelID, 11) }, "Invalid request body: channels must have at most 10 entries")
	f(func(r *earshot.ScheduledReport) { r.Timezone = "Mars" }, "Invalid request body: unknown timezone 'Mars'")

	// The second of two people who edit the same version is told.
	name, old := "Other", r.Edits
	r, err := s.Edit(t.Context(), ann, r.ID, Changes{Name: &name, Edits: &old})
	if err != nil || r.Name != "Other" || r.Edits != 1 || !r.Since.Equal(start) {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := s.Edit(t.Context(), ann, r.ID, Changes{Name: &name, Edits: &old}); !earshot.IsKind(err, earshot.Conflict) {
		t.Errorf("got %v, want a conflict", err)
	}

	// What was removed may stay, but a removed channel disappears.
	w.check(w.catalog.Channels.Remove(t.Context(), mail))
	_, err = w.catalog.Monitors.Update(t.Context(), 10, func(m *earshot.Monitor) error { m.Removed = true; return nil })
	w.check(err)
	if r, err = s.Edit(t.Context(), ann, r.ID, Changes{Name: &name}); err != nil || len(r.Channels) != 0 || len(r.Monitors) != 1 {
		t.Errorf("got %+v, %v", r, err)
	}

	stranger := earshot.NewCaller(&earshot.User{ID: 2, Teams: []earshot.TeamID{other}})
	if _, err := s.Find(stranger, r.ID); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("got %v, want not found", err)
	}
	if err := s.Remove(t.Context(), stranger, r.ID); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("got %v, want not found", err)
	}
	w.check(s.Remove(t.Context(), ann, r.ID))
	if got := s.List(ann, 0); len(got) != 1 || len(s.List(stranger, 0)) != 0 {
		t.Errorf("got %v", got)
	}
}
