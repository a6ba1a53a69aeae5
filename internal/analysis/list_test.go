package analysis_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/state/ledger"
)

// listed returns the analyses that List returns to a caller.
func listed(t *testing.T, s *analysis.Service, c *earshot.Caller, before earshot.ResultID, limit int) []*analysis.Result {
	t.Helper()
	list, err := s.List(t.Context(), c, before, limit)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestListHasOwnRequestsNewestFirst(t *testing.T) {
	s := newWorld(t).service()
	first, second := submit(t, s, coffee()), submit(t, s, coffee())
	if _, err := s.Submit(t.Context(), user(2), coffee()); err != nil {
		t.Fatal(err)
	}
	f := func(c *earshot.Caller, before earshot.ResultID, limit int, want ...earshot.ResultID) {
		t.Helper()
		var got []earshot.ResultID
		for _, r := range listed(t, s, c, before, limit) {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("before %d, at most %d: got %v, want %v", before, limit, got, want)
		}
	}
	f(user(1), 0, 10, second.ID, first.ID)
	f(user(1), 0, 1, second.ID)
	f(user(1), second.ID, 10, first.ID)
	f(user(1), first.ID, 10)
	f(admin(), 0, 10)
}

func TestListHasCurrentState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		s := w.service()
		defer run(t, s)()
		w.store.do(fails)
		submit(t, s, coffee())
		r := listed(t, s, user(1), 0, 10)[0]
		expect(t, "after the first attempt", r, ledger.Waiting, 1)
		if got := r.RetrieveAt.Sub(r.Created); got != time.Minute {
			t.Errorf("got retrieval after %v, want a minute", got)
		}
		w.store.do(works)
		time.Sleep(time.Minute)
		synctest.Wait()
		expect(t, "after the second attempt", listed(t, s, user(1), 0, 10)[0], ledger.Done, 2)
	})
}

func TestInvalidRequestIsNotListed(t *testing.T) {
	s := newWorld(t).service()
	wrong := coffee()
	wrong.Keywords = "(coffee"
	if _, err := s.Submit(t.Context(), user(1), wrong); err == nil {
		t.Error("the invalid request was accepted")
	}
	if got := listed(t, s, user(1), 0, 10); len(got) > 0 {
		t.Errorf("got %v, want none", got)
	}
}
