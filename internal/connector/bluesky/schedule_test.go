package bluesky

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/kv"
)

func openTestSchedule(t *testing.T, store kv.Store) *schedule {
	t.Helper()
	s, err := openSchedule(t.Context(), store, slog.New(slog.DiscardHandler), len(stages))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func checkAt(at time.Time, name string) check { return check{stored: at.Unix(), guid: name} }

// dueNames returns the guids that are due.
func dueNames(t *testing.T, s *schedule, now time.Time) (stage int, names []string) {
	t.Helper()
	stage, checks, err := s.due(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		names = append(names, c.guid)
	}
	return stage, names
}

func TestScheduleStages(t *testing.T) {
	store := kv.NewMemory()
	s := openTestSchedule(t, store)
	if err := s.add(t.Context(), []check{checkAt(seen, "a"), {stored: seen.Unix(), guid: "r", shows: "a"}}, seen); err != nil {
		t.Fatal(err)
	}
	for stage, age := range stages {
		s = openTestSchedule(t, store) // as after a restart
		if _, early := dueNames(t, s, seen.Add(age-time.Second)); early != nil {
			t.Errorf("%v are due before they are %v old", early, age)
		}
		// A request that is not full waits a minute for more.
		if _, soon := dueNames(t, s, seen.Add(age+time.Second)); soon != nil {
			t.Errorf("%v are due at once", soon)
		}
		got, names := dueNames(t, s, seen.Add(age+2*time.Minute))
		if got != stage || !reflect.DeepEqual(names, []string{"a", "r"}) {
			t.Fatalf("after %v: got %v in stage %d, want a and r in stage %d", age, names, got, stage)
		}
		_, checks, _ := s.due(t.Context(), seen.Add(age+2*time.Minute))
		if checks[1].uri() != "a" {
			t.Errorf("the check of a repost reads %s, want the original", checks[1].uri())
		}
		if err := s.finish(t.Context(), stage, 2, checks); err != nil {
			t.Fatal(err)
		}
	}
	if keys, _ := store.Keys(t.Context(), ">"); len(keys) > 0 {
		t.Errorf("%v are left", keys)
	}
}

// TestScheduleOrder adds and finishes many checks, with restarts, and expects each once, in order.
func TestScheduleOrder(t *testing.T) {
	store := kv.NewMemory()
	s := openTestSchedule(t, store)
	const count = 1234
	for i := 0; i < count; {
		var some []check
		for range 1 + i%170 {
			some = append(some, checkAt(seen.Add(time.Duration(i)*time.Second), fmt.Sprint(i)))
			i++
		}
		if err := s.add(t.Context(), some, seen); err != nil {
			t.Fatal(err)
		}
	}
	now, next := seen.Add(stages[0]), 0
	for rounds := 0; next < count; rounds++ {
		if rounds > 10_000 {
			t.Fatal("checks are never due")
		}
		now = now.Add(5 * time.Second)
		stage, names := dueNames(t, s, now)
		if len(names) == 0 {
			continue
		}
		if len(names) > perRequest || stage != 0 {
			t.Fatalf("got %d checks of stage %d, want at most %d of stage 0", len(names), stage, perRequest)
		}
		for _, name := range names {
			if name != fmt.Sprint(next) {
				t.Fatalf("got check %s, want %d", name, next)
			}
			next++
		}
		if err := s.finish(t.Context(), stage, len(names), nil); err != nil {
			t.Fatal(err)
		}
		if rounds%50 == 0 {
			s = openTestSchedule(t, store)
		}
	}
}

func TestScheduleIsBounded(t *testing.T) {
	store := kv.NewMemory()
	s := openTestSchedule(t, store)
	all := make([]check, chunkSize)
	for range maxChunks + 10 {
		for i := range all {
			all[i] = checkAt(seen, "at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3kaaaaaaaaaaa")
		}
		if err := s.add(t.Context(), all, seen); err != nil {
			t.Fatal(err)
		}
	}
	if keys, _ := store.Keys(t.Context(), ">"); len(keys) != maxChunks {
		t.Errorf("got %d chunks, want %d", len(keys), maxChunks)
	}
	recent, err := s.recent(t.Context(), 250)
	if err != nil || len(recent) != 250 {
		t.Errorf("got %d recent checks %v, want 250", len(recent), err)
	}
}

// TestScheduleOldPosts adds posts at the stage that is ahead of them.
func TestScheduleOldPosts(t *testing.T) {
	store := kv.NewMemory()
	s := openTestSchedule(t, store)
	now := seen.Add(30 * time.Hour)
	old := []check{checkAt(seen.Add(-10*24*time.Hour), "too old"), checkAt(seen, "30 h"), checkAt(seen.Add(28*time.Hour), "2 h")}
	if err := s.add(context.Background(), old, now); err != nil {
		t.Fatal(err)
	}
	if stage, names := dueNames(t, s, seen.Add(28*time.Hour+stages[1]+2*time.Minute)); stage != 1 || !reflect.DeepEqual(names, []string{"2 h"}) {
		t.Errorf("got %v in stage %d", names, stage)
	}
	if err := s.finish(t.Context(), 1, 1, nil); err != nil {
		t.Fatal(err)
	}
	if stage, names := dueNames(t, s, seen.Add(stages[3]+2*time.Minute)); stage != 3 || !reflect.DeepEqual(names, []string{"30 h"}) {
		t.Errorf("got %v in stage %d", names, stage)
	}
}

func TestUsefulStages(t *testing.T) {
	for days, want := range map[int]int{0: 4, 1: 3, 6: 3, 7: 4, 365: 4} {
		if got := usefulStages(&earshot.LiveSource{RetentionDays: days}); got != want {
			t.Errorf("%d days: got %d stages, want %d", days, got, want)
		}
	}
}

func TestLRU(t *testing.T) {
	l := newLRU[int](2)
	l.put("a", 1)
	l.put("b", 2)
	l.get("a")
	l.put("c", 3)
	if _, ok := l.get("b"); ok {
		t.Error("b was used last, but is still there")
	}
	l.put("a", 4)
	if v, ok := l.get("a"); !ok || v != 4 {
		t.Errorf("got %d %v, want 4", v, ok)
	}
	l.remove("a")
	l.remove("a")
	if _, ok := l.get("a"); ok || len(l.entries) != 1 || l.order.Len() != 1 {
		t.Error("a is still there")
	}
}
