package analysis_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/state/ledger"
)

func (w *world) limit(t *testing.T, queries int64) {
	t.Helper()
	w.limitFrom(t, queries, earshot.Date{Year: 1999, Month: 7, Day: 1})
}

func (w *world) limitFrom(t *testing.T, queries int64, start earshot.Date) {
	t.Helper()
	contract := earshot.Contract{QueriesPerYear: queries, PeriodStart: start}
	if err := w.catalog.SetContract(t.Context(), contract); err != nil {
		t.Fatal(err)
	}
}

const usedUp = "The contract allows 5 analysis queries from 1999-07-01 to before 2000-07-01 and all of them are used; nothing was computed. Ask for more or try again later"

func TestContractIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.limit(t, 5)
		s := w.service()
		var callers sync.WaitGroup
		var mu sync.Mutex
		accepted, rejected := 0, 0
		for range 8 {
			callers.Go(func() {
				_, err := s.Submit(t.Context(), user(1), coffee())
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					accepted++
				case earshot.IsKind(err, earshot.OverLimit) && err.Error() == usedUp:
					rejected++
				default:
					t.Error(err)
				}
			})
		}
		callers.Wait()
		if accepted != 5 || rejected != 3 {
			t.Errorf("got %d accepted and %d rejected, want 5 and 3", accepted, rejected)
		}
		if n := w.store.calls.Load(); n != 5 {
			t.Errorf("got %d calls of the store, want 5", n)
		}
		w.used(t, 5, 0)
	})
}

func TestRunningQueriesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.limit(t, 1)
		w.store.do(fails)
		s := w.service()
		stop := run(t, s)
		start := time.Now()
		f := func(s *analysis.Service, when string) {
			t.Helper()
			if _, err := s.Submit(t.Context(), user(1), coffee()); !earshot.IsKind(err, earshot.OverLimit) {
				t.Errorf("%s: got %v, want OverLimit", when, err)
			}
		}
		r := submit(t, s, coffee())
		f(s, "while it waits")
		stop()
		s = w.service()
		stop = run(t, s)
		synctest.Wait()
		f(s, "after a restart")
		sleepUntil(start, attemptsAt[5])
		expect(t, "in the end", find(t, s, r.ID), ledger.Skipped, 6)
		w.used(t, 0, 0)
		w.store.do(works)
		expect(t, "a skipped query does not count", submit(t, s, coffee()), ledger.Done, 1)
		f(s, "after the quota is used")
		stop()
		sleepUntil(start, 365*24*time.Hour)
		expect(t, "in the next year", submit(t, w.service(), coffee()), ledger.Done, 1)
	})
}

func TestUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		s := w.service()
		for range 3 {
			submit(t, s, coffee())
		}
		got, err := s.Usage(t.Context())
		year := earshot.Days{Start: earshot.Date{Year: 2000, Month: 1, Day: 1}, End: earshot.Date{Year: 2001, Month: 1, Day: 1}}
		if want := (analysis.Usage{Used: 3, Period: year}); got != want || err != nil {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	})
}

// TestChangedPeriodKeepsUsage changes the start of the contract's year. A query belongs to the
// year that contains its day. Virtual time starts in the year 2000.
func TestChangedPeriodKeepsUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.limitFrom(t, 2, earshot.Date{Year: 1999, Month: 7, Day: 1})
		s := w.service()
		submit(t, s, coffee()) // 2000-01-01
		time.Sleep(40 * 24 * time.Hour)
		submit(t, s, coffee()) // 2000-02-10
		f := func(year int, month time.Month, day int, used int64) {
			t.Helper()
			w.limitFrom(t, 2, earshot.Date{Year: year, Month: month, Day: day})
			w.used(t, used, 0)
			_, err := s.Submit(t.Context(), user(1), coffee())
			if refused := earshot.IsKind(err, earshot.OverLimit); refused != (used >= 2) {
				t.Errorf("%d-%02d-%02d: got %v with %d of 2 used", year, month, day, err, used)
			}
		}
		f(1999, 7, 1, 2)
		f(2000, 1, 1, 2)
		f(1999, 12, 31, 2)
		f(1990, 2, 11, 2) // the year that started in 1999
		f(2000, 1, 2, 1)  // the first query is in the previous year, so one more is accepted
		f(2000, 1, 2, 2)
		f(1999, 7, 1, 3) // already over the limit
	})
}

func TestInvalidRequestsDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.limit(t, 1)
		s := w.service()
		wrong := coffee()
		wrong.Keywords = "(coffee"
		for range 3 {
			if _, err := s.Submit(t.Context(), user(1), wrong); !earshot.IsKind(err, earshot.Invalid) {
				t.Errorf("got %v, want Invalid", err)
			}
		}
		w.used(t, 0, 0)
		submit(t, s, coffee())
		w.used(t, 1, 0)
	})
}
