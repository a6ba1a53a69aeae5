package pipeline_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/pipeline"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
	"earshot/internal/training"
)

// A class is a world with an opinion monitor that can be taught.
type class struct {
	*world
	*training.Service
	monitor earshot.MonitorID
	caller  *earshot.Caller
}

const (
	taste = earshot.CategoryID(101)
	price = earshot.CategoryID(102)
)

// inClass runs a test in a bubble. What compresses training posts makes its channels at first
// use, which must be outside.
func inClass(t *testing.T, store poststore.Store, test func(t *testing.T, c *class)) {
	warm := newClass(t, memory.New())
	warm.teach(t, taste, "warm", "smooth flavour")
	warm.crash()
	synctest.Test(t, func(t *testing.T) { test(t, newClass(t, store)) })
}

func newClass(t *testing.T, store poststore.Store) *class {
	w := newWorld(t, store)
	c := &class{world: w, monitor: 1, caller: earshot.NewCaller(&earshot.User{Username: "ann", Permissions: []earshot.Permission{earshot.AdminPermission}})}
	c.goOn(t, store)
	w.create(t, 1, "machine")
	w.change(t, 1, func(m *earshot.Monitor) {
		m.Type = earshot.Opinion
		m.Categories = []earshot.Category{{ID: taste, Name: "Taste"}, {ID: price, Name: "Price"}}
	})
	return c
}

// goOn goes on after a crash with a pipeline and a teacher that know nothing.
func (c *class) goOn(t *testing.T, store poststore.Store) {
	t.Helper()
	c.crash()
	c.Service = &training.Service{Catalog: c.world.Catalog, Enrich: func([]earshot.Post) {}, Log: slog.New(slog.DiscardHandler), Now: time.Now}
	c.world.Pipeline = &pipeline.Pipeline{Journal: c.Journal, Enrich: c.world.Enrich, Catalog: c.world.Catalog, Store: store, Teacher: c.Service, Log: c.world.Pipeline.Log}
	c.Matcher = c.world.Pipeline
	c.start(t)
}

// teach adds twelve training posts to a category.
func (c *class) teach(t *testing.T, category earshot.CategoryID, name, words string) {
	t.Helper()
	var docs []training.Document
	for i := range 12 {
		url, empty, contents := fmt.Sprintf("http://example.com/%s/%d", name, i), "", fmt.Sprintf("%s number %d", words, i)
		language, date := "en", "2026-03-01T00:00:00Z"
		docs = append(docs, training.Document{URL: &url, Title: &empty, Author: &empty, Contents: &contents, Language: &language, Date: &date})
	}
	if _, err := c.Add(t.Context(), c.caller, c.monitor, category, docs); err != nil {
		t.Fatal(err)
	}
}

func (c *class) teachBoth(t *testing.T) {
	t.Helper()
	c.teach(t, taste, "taste", "smooth flavour and rich aroma")
	c.teach(t, price, "price", "expensive and costs dollars")
}

func (c *class) bring(t *testing.T, guid, contents string) {
	t.Helper()
	c.append(t, journal.Entry{Posts: []earshot.Post{post(guid, contents)}})
}

// training returns how the monitor is taught.
func (c *class) training(t *testing.T) earshot.Training {
	t.Helper()
	m, ok := c.world.Catalog.Monitors.Find(c.monitor)
	if !ok {
		t.Fatal("the monitor is gone")
	}
	return m.Training
}

// wantAssigned compares how many posts the model in use assigns to each category.
func (c *class) wantAssigned(t *testing.T, when string, ofTaste, ofPrice int64) {
	t.Helper()
	synctest.Wait()
	now := c.training(t)
	used := now.InUse(c.world.InUse(c.monitor))
	if used.Record == 0 {
		t.Fatalf("%s: no model is in use", when)
	}
	c.wantIn(t, when, used.Buffer, ofTaste, ofPrice)
}

func (c *class) wantIn(t *testing.T, when string, slot int, ofTaste, ofPrice int64) {
	t.Helper()
	if got := c.count(t, taste.Assigned(slot)); got != ofTaste {
		t.Errorf("%s: %d posts are assigned to Taste, want %d", when, got, ofTaste)
	}
	if got := c.count(t, price.Assigned(slot)); got != ofPrice {
		t.Errorf("%s: %d posts are assigned to Price, want %d", when, got, ofPrice)
	}
}

func TestPostsAreSortedByWhatIsTaught(t *testing.T) {
	inClass(t, memory.New(), func(t *testing.T, c *class) {
		c.bring(t, "1", "the machine has a smooth flavour")
		c.bring(t, "2", "a machine of rich aroma")
		c.bring(t, "3", "an expensive machine")
		c.bring(t, "4", "expensive dollars") // not the monitor's
		synctest.Wait()
		c.teach(t, taste, "taste", "smooth flavour and rich aroma")
		synctest.Wait()
		if record := c.world.InUse(c.monitor); record != 0 {
			t.Errorf("model %d is in use though only one category is taught", record)
		}
		c.teach(t, price, "price", "expensive and costs dollars")
		c.wantAssigned(t, "stored posts", 2, 1)
		c.bring(t, "5", "this machine costs many dollars")
		c.bring(t, "4", "a machine for expensive dollars")
		c.wantAssigned(t, "new posts", 2, 3)
		c.change(t, 1, func(m *earshot.Monitor) {
			m.Criteria.Keywords = "machine OR grinder"
			m.RequestRematch(earshot.Date{})
		})
		c.bring(t, "6", "grinder with flavour")
		<-c.Rematch(1)
		c.wantAssigned(t, "after another change", 3, 3)
	})
}

func TestOldAnswersStandUntilTheNewModelHasSortedEverything(t *testing.T) {
	hold, proceed := make(chan struct{}, 1), make(chan struct{})
	store := &hooked{Store: memory.New()}
	inClass(t, store, func(t *testing.T, c *class) {
		proceed = make(chan struct{})
		c.bring(t, "1", "the machine has a smooth flavour")
		c.teachBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		old := c.training(t).Model
		store.before = func(ctx context.Context, _ int, r poststore.Rematch) error {
			if len(r.Sortings) == 0 {
				return nil
			}
			hold <- struct{}{}
			select {
			case <-proceed:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		// What was flavour is price from now on.
		c.teach(t, price, "taste", "smooth flavour and rich aroma")
		c.teach(t, taste, "price", "expensive and costs dollars")
		<-hold
		c.bring(t, "2", "a machine of rich aroma")
		synctest.Wait()
		now := c.training(t)
		if now.Previous != old || now.Model.Buffer == old.Buffer {
			t.Errorf("while it is sorted: got the models %+v and %+v, want %+v before", now.Model, now.Previous, old)
		}
		c.wantAssigned(t, "while posts are sorted", 2, 0)
		close(proceed)
		synctest.Wait()
		c.wantAssigned(t, "afterwards", 0, 2)
		if now = c.training(t); now.Previous.Record != 0 || now.Model.Changes != now.Changes {
			t.Errorf("afterwards: got %+v", now)
		}
		if _, err := c.world.Catalog.FindBlob(t.Context(), old.Record); err == nil {
			t.Error("the model before is still kept")
		}
	})
}

func TestAMonitorThatIsTaughtAllTheTimeLearnsAllTheSame(t *testing.T) {
	store := &hooked{Store: memory.New()}
	inClass(t, store, func(t *testing.T, c *class) {
		c.bring(t, "1", "the machine has a smooth flavour")
		c.teachBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		first := c.world.InUse(c.monitor)
		var quick atomic.Bool
		store.before = func(ctx context.Context, _ int, _ poststore.Rematch) error {
			if quick.Load() {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(30 * time.Second):
				return nil
			}
		}
		for i := range 20 {
			c.teach(t, taste, fmt.Sprint("more", i), "delicious flavour")
			time.Sleep(10 * time.Second)
		}
		if c.world.InUse(c.monitor) == first {
			t.Error("the first model is still in use")
		}
		quick.Store(true)
		time.Sleep(time.Minute)
		c.wantAssigned(t, "in the end", 1, 0)
		if now := c.training(t); now.Model.Changes != now.Changes {
			t.Errorf("in the end: got %+v", now)
		}
	})
}

func TestOldSetsStayUntilTheNewModelIsKnown(t *testing.T) {
	store := &hooked{Store: memory.New()}
	inClass(t, store, func(t *testing.T, c *class) {
		c.bring(t, "1", "the machine has a smooth flavour")
		c.teachBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		old := c.training(t).Model
		c.teach(t, price, "taste", "smooth flavour and rich aroma")
		c.teach(t, taste, "price", "expensive and costs dollars")
		c.wantAssigned(t, "then", 0, 1)
		c.wantIn(t, "for who asks by the old stamp", old.Buffer, 1, 0)
	})
}

func TestNewerModelsOfPostsHaveOpinionMonitorsLearnAgain(t *testing.T) {
	inClass(t, memory.New(), func(t *testing.T, c *class) {
		c.bring(t, "1", "the machine has a smooth flavour")
		c.teachBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		first := c.world.InUse(c.monitor)
		if err := c.Refresh(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		c.wantAssigned(t, "afterwards", 1, 0)
		if c.world.InUse(c.monitor) == first {
			t.Error("the posts were not sorted again")
		}
	})
}

func TestWhatACrashCutsOffIsSorted(t *testing.T) {
	store := &hooked{Store: memory.New()}
	inClass(t, store, func(t *testing.T, c *class) {
		c.bring(t, "1", "the machine has a smooth flavour")
		c.teachBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		store.before = untilCancelled
		c.teach(t, price, "taste", "smooth flavour and rich aroma")
		c.teach(t, taste, "price", "expensive and costs dollars")
		synctest.Wait()
		c.crash()
		store.before = nil
		c.goOn(t, store)
		c.wantAssigned(t, "after a crash", 0, 1)

		c.goOn(t, memory.New()) // a store that forgets
		c.wantAssigned(t, "in an empty store", 0, 1)
	})
}

func TestNothingIsLeftOfARemovedMonitor(t *testing.T) {
	inClass(t, memory.New(), func(t *testing.T, c *class) {
		c.bring(t, "1", "the machine has a smooth flavour")
		c.teachBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		c.change(t, 1, func(m *earshot.Monitor) { m.Removed, m.Enabled = true, false })
		<-c.Rematch(1)
		synctest.Wait()
		for slot := range 2 {
			c.wantIn(t, "after it was removed", slot, 0, 0)
		}
		if record := c.world.InUse(1); record != 0 {
			t.Errorf("model %d is in use", record)
		}
		if left := c.world.Catalog.ListBlobs(); len(left) != 0 {
			t.Errorf("the records %v are left", left)
		}
	})
}

func TestAModelThatCannotBeReadIsLearntAgain(t *testing.T) {
	inClass(t, memory.New(), func(t *testing.T, c *class) {
		c.bring(t, "1", "the machine has a smooth flavour")
		c.teachBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		if err := c.world.Catalog.RemoveBlob(t.Context(), c.training(t).Model.Record); err != nil {
			t.Fatal(err)
		}
		c.goOn(t, memory.New())
		c.bring(t, "2", "an expensive machine")
		time.Sleep(10 * time.Second)
		c.wantAssigned(t, "with another model", 1, 1)
	})
}
