// Package analysis answers on-demand requests: what do the posts look like that some
// keywords select in at most 24 hours?
//
// Its one idea: a request is a record in the ledger, and an attempt to answer it begins by
// claiming that record, compared and set on its revision. So a request survives whatever
// becomes of the process that works on it, and of several nodes one makes each attempt.
// Submit makes the first attempt while the caller waits; Run makes the others, on schedule.
//
// Answers are never reused: equal requests are computed again. HTTP, and how answers are
// spelled, are left to internal/http/api.
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

// DefaultWait is how long Submit waits for an answer when nobody says.
const DefaultWait = 2 * time.Second

// Options are what a Service works with.
type Options struct {
	Ledger   *ledger.Ledger
	Store    poststore.Counter
	Catalog  *catalog.Catalog
	Baseline func() interest.Baseline // of all microblog posts
	Wait     time.Duration            // how long Submit waits for an answer; 0: DefaultWait
	Now      func() time.Time         // nil: time.Now
	Log      *slog.Logger             // nil: none
}

// A Service takes requests and answers them. All its methods may be called at the same time.
type Service struct {
	Options

	semaphore chan struct{} // one for each attempt that runs
	jobs      *jobs
	quota     quota
	wake      chan struct{} // tells Run to look what there is to do

	attempts context.Context // ends when the service stops
	stop     context.CancelFunc
}

// New returns a service. Without Run it answers what can be answered at once.
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

// A Result is a request as it stands.
type Result struct {
	*ledger.Analysis
	RetrieveAt time.Time // of a WAITING one: when to ask again, a whole second
}

// minRetrieveDelay is how long a caller is asked to wait at least.
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

// Find returns a request as it stands: to the one who made it, to members of its teams and
// to administrators. To others it does not exist.
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

// List returns requests of the caller as they stand, the newest first: at most so many, and
// only those older than before, unless that is 0.
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
