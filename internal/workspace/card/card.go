// Package card computes what cards and pages show: the figures, charts and lists about the posts of
// monitors that dashboards, reports, share links and the web app consist of.
//
// A [Result] is the answer for one card. Its JSON is the response of the endpoint that counts it, so
// there is one type for a browser, a report and a mail. [Service.ShowAll] counts cards about the same
// posts at once, and [Service.ShowVisitors] leaves out what only the team may see.
//
// The numbers come from insight, the posts from postview. What a card looks like is the business of
// the web app and of reports.
package card

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/query/filter"
	"earshot/internal/source"
	"earshot/internal/state/catalog"
	"earshot/internal/workspace/incident"
	"earshot/internal/workspace/postview"
)

// A Result has the data of a card. The fields of other kinds of cards are null.
type Result struct {
	Overview   *Overview       `json:"overview"`
	Topics     *TopicsResponse `json:"topics"`
	Posts      *PostsResponse  `json:"posts"`
	Comparison *Comparison     `json:"comparison"`
	Incidents  *incident.List  `json:"incidents"`
	Removed    bool            `json:"removed"` // the monitor no longer exists, or in a comparison, one of the monitors
}

// A Service computes what cards show. It is safe for concurrent use.
type Service struct {
	Catalog     *catalog.Catalog
	Monitors    Monitors
	Insight     *insight.Service
	Incidents   *incident.Service
	Filters     *filter.Service
	Views       *postview.Service
	Sources     Sources
	Annotations Annotations
	Now         func() time.Time
	Log         *slog.Logger
}

// Monitors finds monitors.
type Monitors interface {
	// Find returns a monitor, or a filter presented as one, if c may see it.
	Find(c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error)

	// List returns the monitors that c may see, ordered by ID. If team is not 0, it returns only those of
	// that team.
	List(c *earshot.Caller, team earshot.TeamID) []*earshot.Monitor
}

// Sources knows when live sources had outages.
type Sources interface {
	// Gaps returns when the live sources of a monitor may have missed posts, oldest first.
	Gaps(m *earshot.Monitor, from, to time.Time) []source.SourceGap
}

// Annotations has remarks on the time axis.
type Annotations interface {
	MonitorAnnotations(m *earshot.Monitor, days earshot.Days) []*earshot.Annotation
}

// A Detail says how much of comparisons and posts is needed.
type Detail struct {
	Compared insight.ComparePart
	Posts    int
}

// OnPage is the detail of cards on a page. InReport is that of reports, whose workbooks have more posts.
var (
	OnPage   = Detail{insight.CompareTotals, 10}
	InReport = Detail{insight.CompareCounts, 100}
)

// cardTopics is the number of topics on a card.
const cardTopics = 8

// Show returns what a card shows to a caller. days applies to cards without days of their own.
func (s *Service) Show(ctx context.Context, c *earshot.Caller, card earshot.Card, days Period) (Result, error) {
	r := s.showAll(ctx, c, []earshot.Card{card}, days, OnPage, false)[0]
	return r.Result, r.Err
}

// An Outcome is the result of a card, or why there is none.
type Outcome struct {
	Result
	Err error
}

// ErrorMessage returns the message for a card whose data could not be computed, or "". It logs errors
// that readers must not see.
func (s *Service) ErrorMessage(card earshot.Card, err error) string {
	var visible *earshot.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &visible):
		return visible.Message
	}
	s.Log.Error("cannot compute card", "monitor", card.Monitor, "kind", card.Kind, "error", err)
	return "Internal error"
}

// An overviewGroup are cards that show parts of the same overview.
type overviewGroup struct {
	query Query
	parts []insight.Part
	cards []int // indexes
}

// ShowAll returns what cards show to a caller, in their order. Parts of the overview of the same
// posts are counted at once.
func (s *Service) ShowAll(ctx context.Context, c *earshot.Caller, cards []earshot.Card, days Period, detail Detail) []Outcome {
	return s.showAll(ctx, c, cards, days, detail, false)
}

func (s *Service) showAll(ctx context.Context, c *earshot.Caller, cards []earshot.Card, days Period, detail Detail, visitors bool) []Outcome {
	results := make([]Outcome, len(cards))
	var groups []*overviewGroup
	for i, card := range cards {
		query := Query{Monitor: card.Monitor, Period: cardDays(days, card.Range, card.Start, card.End), Filter: card.Filter}
		kind, known := kinds[card.Kind]
		switch {
		case !known:
			results[i].Err = fmt.Errorf("unknown kind of card %q", card.Kind)
			continue
		case kind.show != nil:
			results[i] = kind.show(s, ctx, c, request{card, query, detail, visitors})
			continue
		}
		k := slices.IndexFunc(groups, func(g *overviewGroup) bool { return g.query == query })
		if k < 0 {
			k = len(groups)
			groups = append(groups, &overviewGroup{query: query})
		}
		groups[k].cards = append(groups[k].cards, i)
		groups[k].parts = append(groups[k].parts, kind.parts...)
	}
	for _, g := range groups {
		shown, err := s.Overview(ctx, c, g.query, orderedParts(g.parts))
		for _, i := range g.cards {
			results[i] = Outcome{Err: err}
			if err == nil {
				of := shown.only(kinds[cards[i].Kind].parts)
				results[i].Overview = &of
			}
		}
	}
	for i := range results {
		if earshot.IsKind(results[i].Err, earshot.NotFound) && s.IsRemoved(cards[i].Monitor) {
			results[i] = Outcome{Result: Result{Removed: true}}
		}
	}
	return results
}

// IsRemoved reports whether there is no monitor or saved filter with an ID. Others may exist without
// being visible to the caller.
func (s *Service) IsRemoved(id earshot.MonitorID) bool {
	_, ok := s.Catalog.FindMonitor(id)
	return !ok
}

// orderedParts returns parts in the order of insight.Parts, without duplicates.
func orderedParts(requested []insight.Part) (ordered []insight.Part) {
	for _, part := range insight.Parts {
		if slices.Contains(requested, part) {
			ordered = append(ordered, part)
		}
	}
	return ordered
}

// A request asks for a card that does not show parts of the overview.
type request struct {
	card     earshot.Card
	query    Query
	detail   Detail
	visitors bool // the answer is for people without an account
}

func (s *Service) textCard(context.Context, *earshot.Caller, request) Outcome { return Outcome{} }

func (s *Service) topicsCard(ctx context.Context, c *earshot.Caller, r request) Outcome {
	topics, err := s.Topics(ctx, c, r.query, cardTopics)
	if err != nil {
		return Outcome{Err: err}
	}
	return Outcome{Result: Result{Topics: &topics}}
}

func (s *Service) incidentsCard(ctx context.Context, c *earshot.Caller, r request) Outcome {
	m, days, err := s.Find(c, r.query)
	if err != nil {
		return Outcome{Err: err}
	}
	found, err := s.Incidents.Find(ctx, incident.Query{Caller: c, Monitor: m, Days: days, Filter: r.query.Filter, Visitors: r.visitors})
	return Outcome{Result: Result{Incidents: &found}, Err: err}
}

func (s *Service) postsCard(ctx context.Context, c *earshot.Caller, r request) Outcome {
	posts, err := s.Posts(ctx, c, PostsRequest{Query: r.query, Limit: r.detail.Posts, Ranked: true, Order: PostOrders[r.card.Sort]})
	if err != nil {
		return Outcome{Err: err}
	}
	return Outcome{Result: Result{Posts: &posts}}
}

// comparisonCard leaves out rows of removed monitors.
func (s *Service) comparisonCard(ctx context.Context, c *earshot.Caller, of request) (r Outcome) {
	body := CompareRequest{Earlier: EarlierPeriod(of.card.Earlier), Parts: []insight.ComparePart{of.detail.Compared}}
	for _, row := range of.card.Rows {
		if s.IsRemoved(row.Monitor) {
			r.Removed = true
			continue
		}
		d := cardDays(of.query.Period, row.Range, row.Start, row.End)
		body.Rows = append(body.Rows, CompareRow{row.Label, row.Monitor, row.Filter, d.Start, d.End, d.Range})
	}
	if len(body.Rows) == 0 {
		return r
	}
	compared, err := s.Compare(ctx, c, body)
	if r.Err = err; err == nil {
		r.Comparison = &compared
	}
	return r
}

// cardDays returns the days of a card or row, or days if it has none of its own.
func cardDays(days Period, rolling string, start, end earshot.Date) Period {
	if own := (Period{start, end, RollingRange(rolling)}); own != (Period{}) {
		return own
	}
	return days
}
