// Package digest sends reports on schedule, and composes them and Atom feeds from cards.
//
//	Service: schedule ──▶ ledger ──▶ delivery
//	                                    │ Render
//	Composer:   cards ──▶ contents ◀────┘
//	                         ├──▶ file: PDF or Excel workbook
//	                         └──▶ mail
//
// A report is due at the times of its schedule, and is sent once for each of them: [Service.Run]
// claims a run in the ledger by compare-and-set before it hands the report over for delivery, so that
// neither a restart nor a second process sends it again. What was due while nobody was running is
// sent once, for the latest time only.
//
// A [Composer] knows nothing about schedules and delivery. It asks package card what cards show, which
// readers without an account may see, and turns each card into a section of a document. Delivery asks it
// for the contents of a report when it sends the report, not when the report is due. People get the same
// contents as a file. What a document looks like is the business of package report.
//
// The package knows nothing about HTTP and does not count posts.
package digest

import (
	"context"
	"log/slog"
	"time"

	"earshot"
	"earshot/internal/limit"
	"earshot/internal/state/catalog"
	"earshot/internal/state/ledger"
)

// A Service manages scheduled reports and feeds. It is safe for concurrent use.
type Service struct {
	Options
	tokens catalog.Index[earshot.FeedLinkID, earshot.FeedLink]
	visits *limit.Visits
}

// Options configure a [Service].
type Options struct {
	Catalog *catalog.Catalog
	Ledger  *ledger.Ledger
	Notify  func(ctx context.Context, n earshot.Notification) error // durable when it returns, and idempotent by key and channel
	Now     func() time.Time                                        // nil: time.Now
	Log     *slog.Logger                                            // nil: nothing is logged
}

// New returns a Service.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{Options: o, visits: limit.NewVisits(perNetwork, perFeed)}
	s.tokens.Of = func(l *earshot.FeedLink) string { return string(l.TokenHash) }
	return s
}

// maxName is the maximum length of a name, in characters.
const maxName = 200

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Second) }

// checkTeam returns an error unless the team exists and c is a member.
func (s *Service) checkTeam(c *earshot.Caller, id earshot.TeamID) error {
	if _, ok := s.Catalog.Teams.Find(id); !ok || !c.In(id) {
		return earshot.Errorf(earshot.NotFound, "Team %d does not exist", id)
	}
	return nil
}
