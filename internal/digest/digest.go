// Package digest manages scheduled reports, and the secret addresses of Atom feeds. It also turns cards
// into the sections of reports ([newSection]).
//
// A report is due at the times of its schedule, and is sent once for each of them: [Service.Run]
// claims a run in the ledger by compare-and-set before it hands the report over for delivery, so that
// neither a restart nor a second process sends it again. What was due while nobody was running is
// sent once, for the latest time only. The contents of a report are rendered when it is delivered,
// elsewhere.
//
// The package knows nothing about HTTP and does not count posts.
package digest

import (
	"context"
	"errors"
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

// remove deletes a record, or returns missing if there is none.
func remove[ID ~int64, T any](ctx context.Context, table *catalog.Table[ID, T], id ID, missing error) error {
	err := table.Remove(ctx, id)
	if errors.Is(err, catalog.ErrNotFound) {
		return missing
	}
	return err
}
