package analysis

import (
	"context"
	"sync"

	"earshot"
)

// A Usage is the number of queries that the contract allows, and the number used.
type Usage struct {
	Used       int64
	Contracted int64 // 0 means no limit
	Period     earshot.Days
}

// A quota serializes counting queries and reading the count, so that no query is missed or counted
// twice.
type quota struct{ mu sync.Mutex }

// Usage returns how much of the contract has been used in its current year.
func (s *Service) Usage(ctx context.Context) (Usage, error) {
	contract, err := s.Catalog.Contract(ctx)
	if err != nil {
		return Usage{}, err
	}
	u := Usage{Contracted: contract.QueriesPerYear, Period: contract.Period(s.today())}
	u.Used, err = s.Catalog.QueriesUsed(ctx, u.Period)
	return u, err
}

func (s *Service) today() earshot.Date { return earshot.DateOf(s.Now().UTC()) }

// reserveQuery reserves a query of the contract and returns the ID of its job, which is marked
// busy and pending. The error is of kind [earshot.OverLimit] if no query is left. Queries that may
// still be counted count as used.
func (s *Service) reserveQuery(ctx context.Context) (id earshot.ResultID, err error) {
	u, err := s.Usage(ctx)
	switch {
	case err != nil:
		return 0, err
	case s.Shared && u.Contracted > 0: // other nodes reserve queries too
		err = s.Catalog.Exclusive(ctx, func(held context.Context) (err error) {
			id, err = s.reserve(ctx, held)
			return err
		})
	default:
		id, err = s.reserve(ctx, ctx)
	}
	return id, err
}

// reserve is reserveQuery. held is the context for writes to the catalog.
func (s *Service) reserve(ctx, held context.Context) (earshot.ResultID, error) {
	s.quota.mu.Lock()
	defer s.quota.mu.Unlock()
	u, uncounted, err := s.usage(ctx)
	if err != nil {
		return 0, err
	}
	if u.Contracted > 0 && u.Used+uncounted >= u.Contracted {
		return 0, earshot.Errorf(earshot.OverLimit, "The contract allows %d analysis queries from %s to before %s and all of them are used; nothing was computed. Ask for more or try again later",
			u.Contracted, u.Period.Start, u.Period.End)
	}
	next, err := s.Catalog.NextIDs(held, 1)
	if err != nil {
		return 0, err
	}
	id := earshot.ResultID(next)
	s.jobs.submit(id, s.Now())
	if err := s.Ledger.AddPending(ctx, id); err != nil {
		s.abandon(ctx, id)
		return 0, err
	}
	return id, nil
}

// usage returns Usage and the number of queries that may still be counted. If several nodes accept
// requests, these are the pending ones; another node may count some of them at any time.
func (s *Service) usage(ctx context.Context) (u Usage, uncounted int64, err error) {
	if !s.Shared {
		u, err = s.Usage(ctx)
		return u, s.jobs.uncountedQueries(), err
	}
	pending, err := s.Ledger.ListPending(ctx)
	if err != nil {
		return u, 0, err
	}
	contract, err := s.Catalog.Contract(ctx)
	if err != nil {
		return u, 0, err
	}
	u = Usage{Contracted: contract.QueriesPerYear, Period: contract.Period(s.today())}
	u.Used, uncounted, err = s.Catalog.QueriesUsedAndPending(ctx, u.Period, pending)
	return u, uncounted, err
}

// countQuery counts a successful query under today's date. Repeating it is harmless.
func (s *Service) countQuery(ctx context.Context, id earshot.ResultID) error {
	s.quota.mu.Lock()
	defer s.quota.mu.Unlock()
	if err := s.Catalog.CountQuery(ctx, s.today(), id); err != nil {
		return err
	}
	s.jobs.setUncounted(id, false)
	return nil
}
