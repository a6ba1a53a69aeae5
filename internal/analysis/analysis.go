// Package analysis computes on-demand analyses: metrics of the posts that some keywords select in at
// most 24 hours.
//
// Its one idea: a request is stored in the ledger, and an attempt to compute it begins by taking a
// lease on it, a write that is conditional on its revision. So a request survives a crash of the
// process that works on it, and only one of several nodes makes each attempt. Submit makes the first
// attempt while the caller waits; Run makes the others, on schedule.
//
// Results are never reused: equal requests are computed again. HTTP and the form of responses are
// left to internal/http/api.
package analysis

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"earshot"
	"earshot/internal/model/interest"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/ledger"
)

// DefaultWait is how long Submit waits for the first attempt by default.
const DefaultWait = 2 * time.Second

// Options are what a Service works with.
type Options struct {
	Ledger   *ledger.Ledger
	Store    poststore.Counter
	Catalog  *catalog.Catalog
	Baseline func() interest.Baseline // of all microblog posts
	Wait     time.Duration            // how long Submit waits for the first attempt; 0: DefaultWait
	Now      func() time.Time         // nil: time.Now
	Log      *slog.Logger             // nil: none
}

// A Service computes analyses. All its methods are safe for concurrent use.
type Service struct {
	Options

	semaphore chan struct{} // holds a token for each running attempt
	jobs      *jobs
	quota     quota
	wake      chan struct{} // makes Run look for due jobs

	attempts context.Context // ends when the service stops
	stop     context.CancelFunc
}

// New returns a service. Without Run it makes first attempts only.
func New(o Options) *Service {
	o.Wait = cmp.Or(o.Wait, DefaultWait)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{
		Options:   o,
		semaphore: make(chan struct{}, 2*runtime.GOMAXPROCS(0)),
		jobs:      newJobs(),
		wake:      make(chan struct{}, 1),
	}
	s.attempts, s.stop = context.WithCancel(context.Background())
	return s
}

// A Result is the current state of an analysis.
type Result struct {
	*ledger.Analysis
	RetrieveAt time.Time // if WAITING: when to retrieve it again, in whole seconds
}

// minRetrieveDelay keeps callers from polling more often.
const minRetrieveDelay = time.Second

func (s *Service) newResult(r *ledger.Analysis) *Result {
	result := &Result{Analysis: r}
	if r.State == ledger.Waiting {
		at := s.Now().Add(minRetrieveDelay)
		if r.Due.After(at) {
			at = r.Due
		}
		result.RetrieveAt = at.Add(time.Second - 1).Truncate(time.Second).UTC()
	}
	return result
}

// Find returns an analysis to the user who submitted it, to members of its teams and to
// administrators. For others it does not exist.
func (s *Service) Find(ctx context.Context, c *earshot.Caller, id earshot.ResultID) (*Result, error) {
	r, _, err := s.Ledger.Find(ctx, id)
	if errors.Is(err, ledger.ErrNotFound) || err == nil && !maySee(c, r) {
		return nil, earshot.Errorf(earshot.NotFound, "Result %d does not exist", id)
	}
	if err != nil {
		return nil, err
	}
	return s.newResult(r), nil
}

// List returns the analyses of the caller, newest first: at most limit, and only those older than
// before, unless that is 0.
func (s *Service) List(ctx context.Context, c *earshot.Caller, before earshot.ResultID, limit int) ([]*Result, error) {
	records, err := s.Ledger.List(ctx, c.User, before, limit)
	if err != nil {
		return nil, err
	}
	results := make([]*Result, len(records))
	for i, r := range records {
		results[i] = s.newResult(r)
	}
	return results, nil
}

func maySee(c *earshot.Caller, r *ledger.Analysis) bool {
	return c.Admin() || r.User == c.User || slices.ContainsFunc(r.Teams, c.In)
}
