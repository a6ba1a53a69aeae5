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

// listed returns what a caller's list has.
func listed(t *testing.T, s *analysis.Service, c *earshot.Caller, before earshot.ResultID, limit int) []*analysis.Result {
	t.Helper()
	list, err := s.List(t.Context(), c, before, limit)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAListHasTheCallersOwnRequestsNewestFirst(t *testing.T) {
	s := newWorld(t).service()
	first, second := submit(t, s, coffee()), submit(t, s, coffee())
	if _, err := s.Submit(t.Context(), user(2), coffee()); err != nil {
		t.Fatal(err)
	}
	f := func(c *earshot.Caller, before earshot.ResultID, most int, want ...earshot.ResultID) {
		t.Helper()
		var got []earshot.ResultID
		for _, r := range listed(t, s, c, before, most) {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("before %d, at most %d: got %v, want %v", before, most, got, want)
		}
	}
	f(user(1), 0, 10, second.ID, first.ID)
	f(user(1), 0, 1, second.ID)
	f(user(1), second.ID, 10, first.ID)
	f(user(1), first.ID, 10)
	f(admin(), 0, 10)
}

func TestAListHasTheCurrentState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		s := w.service()
		defer run(t, s)()
		w.store.do(fails)
		submit(t, s, coffee())
		r := listed(t, s, user(1), 0, 10)[0]
		expect(t, "at first", r, ledger.Waiting, 1)
		if got := r.RetrieveAt.Sub(r.Created); got != time.Minute {
			t.Errorf("it is to be asked for after %v, want a minute", got)
		}
		w.store.do(works)
		time.Sleep(time.Minute)
		synctest.Wait()
		expect(t, "then", listed(t, s, user(1), 0, 10)[0], ledger.Done, 2)
	})
}

func TestAMistakeIsNotListed(t *testing.T) {
	s := newWorld(t).service()
	wrong := coffee()
	wrong.Keywords = "(coffee"
	if _, err := s.Submit(t.Context(), user(1), wrong); err == nil {
		t.Error("the mistake was taken")
	}
	if got := listed(t, s, user(1), 0, 10); len(got) > 0 {
		t.Errorf("got %v, want none", got)
	}
}
