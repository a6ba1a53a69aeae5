// Package analysis computes ad hoc analyses: metrics of the posts that a keyword query selects
// in a range of at most 24 hours.
//
// A request is stored in the ledger. Each attempt to compute it starts by taking a lease, which is
// a compare-and-set write of the request. A request therefore survives a crash of the process that
// is working on it, and only one of several nodes makes each attempt. [Service.Submit] makes the
// first attempt while the caller waits. [Service.Run] makes further attempts on schedule. If several
// nodes accept requests, each makes the attempts at its own, and the node that runs
// [Service.RunRetries] those at requests of nodes that have stopped.
//
// Results are never reused: identical requests are computed again. Package internal/http/api
// handles HTTP and the format of responses.
package analysis

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/model/interest"
	"earshot/internal/state/catalog"
	"earshot/internal/state/ledger"
)

// DefaultWait is how long [Service.Submit] waits for the first attempt by default.
const DefaultWait = 2 * time.Second

// Options configure a [Service].
type Options struct {
	Ledger   *ledger.Ledger
	Store    Store
	Catalog  *catalog.Catalog
	Baseline func() interest.Baseline // frequency of interests among all microblog posts
	Shared   bool                     // several nodes accept requests; see RunRetries
	Wait     time.Duration            // how long Submit waits for the first attempt; 0 means DefaultWait
	Now      func() time.Time         // nil means time.Now
	Log      *slog.Logger             // nil discards logs
}

// A Service computes analyses. Its methods are safe for concurrent use.
type Service struct {
	Options

	semaphore chan struct{} // holds a token for each running attempt
	jobs      *jobs
	quota     quota
	wake      chan struct{} // makes Run check for due jobs
	retries   atomic.Bool   // RunRetries is running

	attempts context.Context // canceled when the service stops
	stop     context.CancelFunc
}

// New returns a service. It makes only first attempts unless [Service.Run] is also called.
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
	RetrieveAt time.Time // if WAITING, when to retrieve it again, rounded up to the second
}

// minRetrieveDelay limits how often callers are told to poll.
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

// Find returns an analysis to callers who may see it. For other callers, the error is of kind
// [earshot.NotFound].
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

// List returns at most limit analyses that the caller submitted and may see, newest first. If before
// is not 0, it returns only those older than before.
func (s *Service) List(ctx context.Context, c *earshot.Caller, before earshot.ResultID, limit int) ([]*Result, error) {
	var results []*Result
	for len(results) < limit {
		records, err := s.Ledger.List(ctx, c.User, before, limit)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if before = r.ID; maySee(c, r) && len(results) < limit {
				results = append(results, s.newResult(r))
			}
		}
		if len(records) < limit {
			break
		}
	}
	return results, nil
}

// maySee reports whether the caller may see an analysis: members of its team, if it has one, else
// the user who submitted it. A user who belonged to several teams submitted it for none of them in
// particular; a user who has left all of them does not see it anymore.
func maySee(c *earshot.Caller, r *ledger.Analysis) bool {
	switch {
	case c.Admin():
		return true
	case len(r.Teams) == 1:
		return c.In(r.Teams[0])
	}
	return r.User == c.User && (len(r.Teams) == 0 || slices.ContainsFunc(r.Teams, c.In))
}
