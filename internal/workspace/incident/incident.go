// Package incident says what happened to monitors. It names the incidents that insight finds, rates
// how severe they are, joins those of several monitors that are about the same posts, and sums up a
// period in two sentences.
//
//	counts ──▶ insight.Incidents ──▶ Incident: title, severity ──▶ Team: one per event
//	texts ───▶ insight.Explain ────▶ what it is about                │
//	authors ─▶ insight.Voices ─────▶ who drove it ───────────────▶ Summary: sentences of claims
//
// Everything follows from the posts in the store at the time of the request, so nothing has to be
// stored, and history that is imported later has incidents too.
package incident

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
	"earshot/internal/state/catalog"
)

// A Service says what happened. It is safe for concurrent use.
type Service struct {
	Insight  *insight.Service
	Filters  *filter.Service
	Monitors Monitors
	Catalog  *catalog.Catalog
	Now      func() time.Time
	Log      *slog.Logger

	// Restricted lists sources whose texts visitors must not read. What visitors see about incidents
	// comes from posts of other sources.
	Restricted []earshot.Source
}

// Monitors finds monitors.
type Monitors interface {
	// List returns the monitors that c may see, ordered by ID. If team is not 0, it returns only those of
	// that team.
	List(c *earshot.Caller, team earshot.TeamID) []*earshot.Monitor
}

// A Query selects posts of a monitor on behalf of a caller.
type Query struct {
	Caller   *earshot.Caller
	Monitor  *earshot.Monitor
	Days     earshot.Days
	Filter   string
	Visitors bool // whoever reads the answer must not read texts of restricted sources
}

// A List are the incidents of a monitor, newest first.
type List struct {
	Incidents []Incident `json:"incidents"`

	// Learning reports whether incidents may be missing because too few weeks were observed before.
	Learning bool `json:"learning"`
}

// An Incident is a time in which a monitor has far more posts than usual. Times are in the time zone
// of the monitor. Monitors lists other monitors with the same incident, which share posts with the
// first one.
type Incident struct {
	Monitor  Monitor            `json:"monitor"`
	Monitors []Monitor          `json:"monitors"`
	Title    string             `json:"title"`
	Severity earshot.Severity   `json:"severity"`
	From     time.Time          `json:"from"` // first unusual hour
	To       time.Time          `json:"to"`
	Ongoing  bool               `json:"ongoing"`
	Timezone string             `json:"timezone"`
	Metric   earshot.Metric     `json:"metric"` // posts or negative: what there is more of
	Posts    int64              `json:"posts"`
	Expected Expectation        `json:"expected"`
	Ratio    jsonvalue.Decimal4 `json:"ratio"`
	Peak     Peak               `json:"peak"`
	Reach    *int64             `json:"reach"` // followers of the authors, added up over posts; null if unknown
	Topics   []Topic            `json:"topics"`
	Signals  []earshot.SignalID `json:"signals"` // of the monitors, raised during the incident
}

// A Monitor is the name of a monitor.
type Monitor struct {
	ID   earshot.MonitorID `json:"id"`
	Name string            `json:"name"`
}

// An Expectation is an expected number of posts with its 95% prediction interval.
type Expectation struct {
	Posts float64 `json:"posts"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// A Peak is the hour with the most posts.
type Peak struct {
	Time     time.Time `json:"time"`
	Posts    int64     `json:"posts"`
	Expected float64   `json:"expected"`
}

// A Topic is what posts of an incident are about. Share is its part of the posts that are more than
// usual.
type Topic struct {
	Name   string             `json:"name"`
	Filter string             `json:"filter"`
	Posts  int64              `json:"posts"`
	Share  jsonvalue.Decimal4 `json:"share"`
}

// maxDescribed is the number of incidents of a list whose topics and reach are found out: the newest
// ones. It takes a pass over texts for each.
const maxDescribed = 20

// maxExplained is the longest part of an incident that is explained: its beginning.
const maxExplained = 7 * 24 * time.Hour

// Find returns the incidents on some days.
func (s *Service) Find(ctx context.Context, q Query) (List, error) {
	found, err := s.find(ctx, q)
	if err != nil {
		return List{}, err
	}
	list := List{Incidents: []Incident{}, Learning: found.Learning}
	for i := range found.List {
		shown, err := s.describe(ctx, q, &found.List[i], i < maxDescribed)
		if err != nil {
			return List{}, err
		}
		list.Incidents = append(list.Incidents, shown)
	}
	return list, nil
}

func (s *Service) find(ctx context.Context, q Query) (*insight.Incidents, error) {
	refinement := s.Filters.Refinement(q.Caller, q.Monitor, q.Filter)
	return s.Insight.Incidents(ctx, q.Monitor, insight.IncidentRequest{Days: q.Days, Filter: refinement.Key(), Refine: refinement.Selection})
}

// describe names an incident and rates it. If it is read, its topics and reach are found out.
func (s *Service) describe(ctx context.Context, q Query, i *insight.Incident, read bool) (Incident, error) {
	zone := q.Monitor.Location()
	shown := Incident{
		Monitor: Monitor{q.Monitor.ID, s.nameOf(q.Monitor)}, Monitors: []Monitor{}, From: i.From.In(zone), To: i.To.In(zone), Ongoing: i.Ongoing, Timezone: zone.String(),
		Metric: earshot.PostsMetric, Posts: i.Posts, Expected: NewExpectation(i.Expected), Ratio: jsonvalue.Decimal4(i.Ratio()),
		Peak: Peak{i.Peak.Time.In(zone), i.Peak.Posts, jsonvalue.Round1(i.Peak.Expected)}, Topics: []Topic{}, Signals: []earshot.SignalID{},
	}
	if i.Negative {
		shown.Metric = earshot.NegativeMetric
	}
	if read {
		e, err := s.explain(ctx, q, i)
		if err != nil {
			return shown, err
		}
		shown.Topics = topicsOf(e)
		if shown.Reach, err = s.reach(ctx, q, i); err != nil {
			return shown, err
		}
	}
	shown.Severity = severityOf(i, shown.Reach)
	shown.Title = titleOf(&shown, earshot.DateOf(s.Now().In(zone)))
	shown.Signals = s.signals(q.Monitor, i)
	return shown, nil
}

// ForVisitors returns what people without an account see of an incident: no IDs and no filters.
func (i Incident) ForVisitors() Incident {
	i.Monitor.ID, i.Monitors, i.Signals = 0, []Monitor{}, []earshot.SignalID{}
	i.Topics = jsonvalue.Map(i.Topics, func(t Topic) Topic { return Topic{Name: t.Name, Posts: t.Posts, Share: t.Share} })
	return i
}

// nameOf returns the name of a monitor, with that of its parent if it is a filter.
func (s *Service) nameOf(m *earshot.Monitor) string {
	name := m.Name
	if parent, ok := s.Catalog.FindMonitor(m.Parent); m.Parent != 0 && ok {
		name = parent.Name + ": " + name
	}
	return earshot.OneLine(name, maxName)
}

// NewExpectation returns an expectation, rounded.
func NewExpectation(e insight.Expected) Expectation {
	return Expectation{jsonvalue.Round1(e.Posts), jsonvalue.Round1(e.Low), jsonvalue.Round1(e.High)}
}

// explain explains an incident. If it is long, it explains how it began.
func (s *Service) explain(ctx context.Context, q Query, i *insight.Incident) (*insight.Explanation, error) {
	return s.Insight.Explain(ctx, q.Monitor, s.request(q, i))
}

// request selects the posts of an incident.
func (s *Service) request(q Query, i *insight.Incident) insight.ExplainRequest {
	text := q.Filter
	if i.Negative {
		text = filter.And(text, negative)
	}
	if q.Visitors {
		text = filter.Without(text, s.Restricted)
	}
	refinement := s.Filters.Refinement(q.Caller, q.Monitor, text)
	r := insight.ExplainRequest{From: i.From, To: i.To, Incident: i, Filter: refinement.Key(), Refine: refinement.Selection}
	if r.To.Sub(r.From) > maxExplained {
		r.To, r.Incident = r.From.Add(maxExplained), nil
	}
	return r
}

func topicsOf(e *insight.Explanation) []Topic {
	return jsonvalue.Map(e.Stories, func(story insight.Story) Topic {
		return Topic{earshot.OneLine(story.Name(), maxName), filter.Keywords.Is(story.Query), story.Posts, jsonvalue.Decimal4(story.Share)}
	})
}

// reach returns the followers of the authors of an incident, or nil if no post states them.
func (s *Service) reach(ctx context.Context, q Query, i *insight.Incident) (reach *int64, err error) {
	of := poststore.Selection{Set: poststore.MonitorSet(q.Monitor.ID), From: i.From, To: i.To}
	rows, err := poststore.TallyOne(ctx, s.Insight.Store, of, poststore.Tally{Sum: []poststore.Measure{poststore.Impressions}})
	if err == nil && len(rows) > 0 && rows[0].Sums[0] > 0 {
		reach = &rows[0].Sums[0]
	}
	return reach, err
}

// Sizes from which an incident is severe.
const (
	criticalRatio  = 3
	criticalExcess = 100       // posts more than usual
	criticalReach  = 5_000_000 // followers
	warningRatio   = 2
	warningExcess  = 30
)

// severityOf rates an incident by its size and reach.
func severityOf(i *insight.Incident, reach *int64) earshot.Severity {
	switch {
	case i.Excess() >= criticalExcess && (i.Ratio() >= criticalRatio || reach != nil && *reach >= criticalReach):
		return earshot.Critical
	case i.Excess() >= warningExcess && i.Ratio() >= warningRatio:
		return earshot.Warning
	}
	return earshot.Info
}

// negative is the filter of negative posts.
var negative = filter.Sentiment.Is("negative")

// signalsAfter is how long after an incident its signals may be raised: shares are counted over a day.
const signalsAfter = 24 * time.Hour

// signals returns the signals of a monitor and its filters that were raised during an incident.
func (s *Service) signals(m *earshot.Monitor, i *insight.Incident) []earshot.SignalID {
	ids := []earshot.SignalID{}
	for _, sig := range s.Catalog.Signals.List() {
		_, isFilter := m.Filter(sig.Monitor)
		if (sig.Monitor == m.ID || isFilter) && sig.Team == m.Team && !sig.Raised.Before(i.From) && sig.Raised.Before(i.To.Add(signalsAfter)) {
			ids = append(ids, sig.ID)
		}
	}
	return ids
}

// Maximum number of incidents that [Service.Team] compares with each other.
const maxCompared = 500

// sharedPosts is the part of the posts of the smaller of two incidents that the other one has too, if
// they are the same event.
const sharedPosts = 0.3

// Team returns the incidents of all monitors of a team, or of all teams of the caller if team is 0, on the
// last days, newest first. Incidents of several monitors that share posts are one. A monitor whose posts
// cannot be counted is left out.
func (s *Service) Team(ctx context.Context, c *earshot.Caller, team earshot.TeamID, days int) (List, error) {
	var all []found
	list := List{Incidents: []Incident{}}
	for _, m := range s.Monitors.List(c, team) {
		tomorrow := earshot.DateOf(s.Now().In(m.Location())).AddDays(1)
		q := Query{Caller: c, Monitor: m, Days: earshot.Days{Start: tomorrow.AddDays(-days), End: tomorrow}}
		incidents, err := s.find(ctx, q)
		if ctx.Err() != nil {
			return list, ctx.Err()
		}
		if err != nil {
			s.Log.Error("cannot find the incidents of a monitor", "monitor", m.ID, "error", err)
			continue
		}
		list.Learning = list.Learning || incidents.Learning
		for i := range incidents.List {
			all = append(all, found{query: q, incident: &incidents.List[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.incident.Excess(), a.incident.Excess()) })
	groups, err := s.group(ctx, all[:min(len(all), maxCompared)])
	if err != nil {
		return list, err
	}
	slices.SortStableFunc(groups, func(a, b []found) int { return b[0].incident.From.Compare(a[0].incident.From) })
	for i, g := range groups {
		shown, err := s.describe(ctx, g[0].query, g[0].incident, i < maxDescribed)
		if err != nil {
			return list, err
		}
		for _, other := range g[1:] {
			m := other.query.Monitor
			if name := (Monitor{m.ID, s.nameOf(m)}); name != shown.Monitor && !slices.Contains(shown.Monitors, name) {
				shown.Monitors = append(shown.Monitors, name)
			}
			shown.Signals = append(shown.Signals, s.signals(m, other.incident)...)
		}
		slices.Sort(shown.Signals)
		shown.Signals = slices.Compact(shown.Signals)
		list.Incidents = append(list.Incidents, shown)
	}
	return list, nil
}

// A found is an incident with the query that found it.
type found struct {
	query    Query
	incident *insight.Incident
}

// group joins incidents that are the same event. The first one of a group is the largest.
func (s *Service) group(ctx context.Context, all []found) (groups [][]found, err error) {
	for _, f := range all {
		at := -1
		for i := range groups {
			same, err := s.isSame(ctx, groups[i][0], f)
			if err != nil {
				return nil, err
			}
			if same {
				at = i
				break
			}
		}
		if at < 0 {
			groups = append(groups, []found{f})
			continue
		}
		groups[at] = append(groups[at], f)
	}
	return groups, nil
}

// isSame reports whether two incidents, the larger one first, are the same event: they are at the same
// time, and share posts.
func (s *Service) isSame(ctx context.Context, a, b found) (bool, error) {
	if a.query.Monitor.Team != b.query.Monitor.Team || !a.incident.From.Before(b.incident.To) || !b.incident.From.Before(a.incident.To) {
		return false, nil
	}
	if a.query.Monitor.ID == b.query.Monitor.ID {
		return true, nil
	}
	shared, err := s.Insight.CountShared(ctx, b.query.Monitor, []*earshot.Monitor{a.query.Monitor}, b.incident.From, b.incident.To)
	if err != nil {
		return false, fmt.Errorf("comparing incidents: %w", err)
	}
	return float64(shared) >= sharedPosts*float64(min(a.incident.Posts, b.incident.Posts)), nil
}
