package pipeline_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
)

// A grouping store takes a second to store a group, so that entries gather in the meantime. It records
// the positions of each group.
type grouping struct {
	*failing
	mu     sync.Mutex
	groups [][]earshot.Position
}

func (g *grouping) AppendGroup(ctx context.Context, group []poststore.Batch) error {
	time.Sleep(time.Second) // virtual
	var positions []earshot.Position
	for _, b := range group {
		if err := g.Append(ctx, b.At, b.Posts); err != nil {
			return err
		}
		positions = append(positions, b.At)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.groups = append(g.groups, positions)
	return nil
}

func newGrouping(failures int) *grouping {
	return &grouping{failing: &failing{Store: memory.New(), left: failures}}
}

func TestWaitingEntriesAreStoredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newGrouping(2)
		w := newWorld(t, store)
		w.monitor(t, 1, "coffee")
		for i := range 30 {
			w.append(t, journal.Entry{Posts: []earshot.Post{post(fmt.Sprint(i), "coffee")}})
		}
		w.append(t, journal.Entry{Deletion: &earshot.Deletion{Source: earshot.News, GUIDs: []string{"3", "31"}}})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("31", "coffee")}})
		time.Sleep(time.Minute) // virtual
		synctest.Wait()
		if got := w.count(t, 1); got != 30 {
			t.Errorf("got %d posts, want 30: the deletion comes after post 3 and before post 31", got)
		}
		if posts, at := w.Processed(); posts != 31 || at != 32 {
			t.Errorf("got %d posts up to %d, want 31 up to 32", posts, at)
		}
		if stored := slices.Concat(store.groups...); !slices.IsSorted(stored) || len(store.groups) > 4 {
			t.Errorf("got groups %v, want few of them in order", store.groups)
		}
	})
}

func TestPanicInAGroupMakesOnlyItsEntryADeadLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newGrouping(0))
		w.monitor(t, 1, "coffee")
		for i := range 10 {
			text := "coffee"
			if i == 4 {
				text = "poison"
			}
			w.append(t, journal.Entry{Posts: []earshot.Post{post(fmt.Sprint(i), text)}})
		}
		time.Sleep(time.Minute) // virtual
		synctest.Wait()
		if got := w.count(t, 1); got != 9 {
			t.Errorf("got %d posts, want 9", got)
		}
		dead, err := w.Journal.DeadLetters(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if dead.Count != 1 {
			t.Errorf("got %d dead letters, want 1", dead.Count)
		}
		if _, at := w.Processed(); at != 10 {
			t.Errorf("processed up to %d, want 10", at)
		}
	})
}
