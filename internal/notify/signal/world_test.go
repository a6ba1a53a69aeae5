package signal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/query/filter"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

const (
	coffee  earshot.MonitorID = 11
	machine earshot.MonitorID = 111 // a filter of coffee
)

// A world has a store, a catalog and a clock that only tests move, and any number of services, which
// may be replaced by restarts.
type world struct {
	*testing.T
	clock   time.Time
	store   *memory.Store
	kv      kv.Store
	at      earshot.Position
	posts   int
	started time.Time

	sent   []earshot.Notification // what was handed over for delivery
	refuse error                  // of Enqueue
	gaps   []catalog.Gap
	broken func(ctx context.Context, m *earshot.Monitor) error // when posts of a monitor are selected
	why    func() (*insight.Explanation, error)
	erase  func(removed, changed []string) error
}

// An instance is a running service, apart from its loops, which tests turn by hand.
type instance struct {
	*world
	*Service
}

var start = time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC) // a Monday

func newWorld(t *testing.T) *instance {
	t.Helper()
	w := &world{T: t, clock: start, kv: kv.NewMemory(), started: start}
	w.store = memory.NewAt(func() time.Time { return w.clock })
	s := w.open()
	w.must(s.Catalog.Teams.Add(t.Context(), 1, &earshot.Team{ID: 1}))
	w.must(s.Catalog.Monitors.Add(t.Context(), coffee, &earshot.Monitor{
		ID: coffee, Team: 1, Name: "Coffee", Type: earshot.Buzz, Enabled: true, Timezone: "UTC", Start: earshot.DateOf(start.AddDate(-1, 0, 0)),
		Filters: []earshot.Filter{{ID: machine, Name: "Machines"}},
	}))
	return s
}

// open starts a service, as if the process had been started again.
func (w *world) open() *instance {
	w.Helper()
	c, err := catalog.Open(w.Context(), w.kv, slog.New(slog.DiscardHandler))
	w.must(err)
	w.Cleanup(c.Close)
	monitors := knownMonitors{c}
	return &instance{w, &Service{
		restUntil: map[earshot.TeamID]time.Time{}, Posts: w.store, Catalog: c, Now: func() time.Time { return w.clock }, Log: slog.New(slog.DiscardHandler),
		Monitors: monitors, Filters: &filter.Service{Monitors: monitors}, Insight: w, Sources: w, Deliveries: w,
	}}
}

// knownMonitors finds monitors and saved filters, no matter who asks. Posts have any source, and no
// account is the brand's own.
type knownMonitors struct{ *catalog.Catalog }

func (k knownMonitors) Find(_ *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error) {
	m, ok := (&Service{Catalog: k.Catalog}).findMonitor(id)
	if !ok {
		return nil, earshot.NoMonitor(id)
	}
	return m, nil
}

func (knownMonitors) FindSource(_ earshot.TeamID, name string) (string, bool) { return name, true }

func (knownMonitors) OwnAccounts(*earshot.Monitor) []string { return nil }

// WithCategorization implements Insight.
func (w *world) WithCategorization(ctx context.Context, m *earshot.Monitor, do func(insight.Categorization) error) error {
	if w.broken != nil {
		if err := w.broken(ctx, m); err != nil {
			return err
		}
	}
	return do(insight.Categorization{})
}

// Explain implements Insight.
func (w *world) Explain(context.Context, *earshot.Monitor, insight.ExplainRequest) (*insight.Explanation, error) {
	if w.why == nil {
		return nil, errors.New("nobody knows why")
	}
	return w.why()
}

// Overview implements Insight.
func (w *world) Overview(context.Context, *earshot.Monitor, insight.OverviewRequest) (*insight.Overview, error) {
	return &insight.Overview{}, nil
}

// ReportTopics implements Insight.
func (w *world) ReportTopics(context.Context, *earshot.Monitor, insight.ReportRequest, int) (*insight.TopicReport, error) {
	return &insight.TopicReport{}, nil
}

// Outages implements Sources.
func (w *world) Outages(*earshot.Monitor, time.Time, time.Time) []catalog.Gap { return w.gaps }

// Enqueue implements Deliveries.
func (w *world) Enqueue(_ context.Context, n earshot.Notification) error {
	if w.refuse != nil {
		return w.refuse
	}
	if !slices.ContainsFunc(w.sent, func(o earshot.Notification) bool { return o.Key == n.Key }) {
		w.sent = append(w.sent, n)
	}
	return nil
}

// RemoveThreads implements Deliveries.
func (w *world) RemoveThreads(_ context.Context, removed, changed []string) error {
	if w.erase == nil {
		return nil
	}
	return w.erase(removed, changed)
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// add stores n posts at a time, each by another author and about something else, unless change says
// otherwise.
func (s *instance) add(n int, at time.Time, change func(p *earshot.Post)) {
	s.Helper()
	var batch []poststore.MatchedPost
	for range n {
		s.posts++
		p := earshot.Post{
			Source: earshot.Twitter, GUID: fmt.Sprint(s.posts), Time: at, Contents: fmt.Sprintf("coffee %d", s.posts),
			AuthorUsername: fmt.Sprintf("author%d", s.posts%1000), Sentiment: earshot.Sentiment{0, 100, 0},
		}
		if change != nil {
			change(&p)
		}
		batch = append(batch, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(coffee)}})
	}
	s.store1(batch...)
}

func (s *instance) store1(batch ...poststore.MatchedPost) {
	s.Helper()
	s.at++
	s.must(s.store.Append(s.Context(), s.at, batch))
	s.Touch(batch)
}

// live moves the clock by a number of hours, in each of which perHour posts arrive, and evaluates every
// hour.
func (s *instance) live(hours, perHour int) {
	s.Helper()
	for range hours {
		for i := range perHour {
			s.add(1, s.clock.Add(time.Duration(i)*time.Hour/time.Duration(perHour)), nil)
		}
		s.clock = s.clock.Add(time.Hour)
		s.turn()
	}
}

// past stores posts of the given days before now, without evaluating anything.
func (s *instance) past(days, perHour int) {
	s.Helper()
	var batch []poststore.MatchedPost
	for at := s.clock.Add(-time.Duration(days) * 24 * time.Hour); at.Before(s.clock); at = at.Add(time.Hour) {
		for i := range perHour + int(at.Unix()/3600)%3 - 1 {
			s.posts++
			batch = append(batch, poststore.MatchedPost{Sets: []poststore.SetID{poststore.MonitorSet(coffee)}, Post: earshot.Post{
				Source: earshot.Twitter, GUID: fmt.Sprint(s.posts), Time: at.Add(time.Duration(i) * time.Minute), Contents: fmt.Sprintf("coffee %d", s.posts),
				AuthorUsername: fmt.Sprintf("author%d", s.posts%1000), Sentiment: earshot.Sentiment{0, 100, 0},
			}})
		}
	}
	s.at++
	s.must(s.store.Append(s.Context(), s.at, batch))
}

// turn does what the loops of Run do once.
func (s *instance) turn() {
	s.Helper()
	s.evaluatePrompt(s.Context())
	s.evaluateAll(s.Context(), func(time.Duration) {})
	s.explainAll(s.Context())
	s.deliver(s.Context())
}

// wait moves the clock and evaluates every 5 minutes.
func (s *instance) wait(d time.Duration) {
	s.Helper()
	for end := s.clock.Add(d); s.clock.Before(end); {
		s.clock = s.clock.Add(5 * time.Minute)
		s.turn()
	}
}

// rule adds a rule.
func (s *instance) rule(r earshot.Rule) earshot.RuleID {
	s.Helper()
	id, err := s.Catalog.NextIDs(s.Context(), 1)
	s.must(err)
	r.ID, r.Team, r.Created = earshot.RuleID(id), 1, s.clock
	if r.Monitor == 0 {
		r.Monitor = coffee
	}
	if r.Severity == "" {
		r.Severity = earshot.Warning
	}
	s.must(s.Catalog.Rules.Add(s.Context(), r.ID, &r))
	return r.ID
}

// list returns the signals, oldest first, each as "kind subject state events".
func (s *instance) list() []string {
	s.Helper()
	lines := []string{}
	for _, sig := range s.Catalog.Signals.List() {
		line := string(sig.Kind)
		if sig.Subject != "" {
			line += " " + sig.Subject
		}
		line += " " + string(sig.State)
		for _, e := range sig.Events {
			line += " " + string(e.Kind)
		}
		lines = append(lines, line)
	}
	return lines
}

func (s *instance) want(lines ...string) {
	s.Helper()
	if got := s.list(); !slices.Equal(got, lines) {
		s.Errorf("at %s: got signals\n\t%s\nwant\n\t%s", s.clock.Format(time.DateTime), strings.Join(got, "\n\t"), strings.Join(lines, "\n\t"))
	}
}

// only returns the only signal.
func (s *instance) only() *earshot.Signal {
	s.Helper()
	list := s.Catalog.Signals.List()
	if len(list) != 1 {
		s.Fatalf("got signals %q, want one", s.list())
	}
	return list[0]
}

// wantSent checks the keys of all notifications.
func (s *instance) wantSent(keys ...string) {
	s.Helper()
	got := []string{}
	for _, n := range s.sent {
		got = append(got, n.Key+" "+n.Message.Event)
	}
	if !slices.Equal(got, keys) {
		s.Errorf("got notifications %q, want %q", got, keys)
	}
}
