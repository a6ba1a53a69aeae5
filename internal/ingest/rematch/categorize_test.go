package rematch_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/model/training"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
)

// An opinionWorld is a world with an opinion monitor that can be trained.
type opinionWorld struct {
	*world
	*training.Service
	monitor earshot.MonitorID
	caller  *earshot.Caller
}

const (
	taste = earshot.CategoryID(101)
	price = earshot.CategoryID(102)
)

// withOpinions runs a test in a synctest bubble. The compressor of training posts creates channels
// on first use, which must not happen inside the bubble.
func withOpinions(t *testing.T, store poststore.Store, test func(t *testing.T, c *opinionWorld)) {
	warm := newOpinionWorld(t, memory.New())
	warm.train(t, taste, "warm", "smooth flavour")
	warm.crash()
	synctest.Test(t, func(t *testing.T) { test(t, newOpinionWorld(t, store)) })
}

func newOpinionWorld(t *testing.T, store poststore.Store) *opinionWorld {
	w := newWorld(t, store)
	c := &opinionWorld{world: w, monitor: 1, caller: earshot.NewCaller(&earshot.User{Username: "ann", Permissions: []earshot.Permission{earshot.AdminPermission}})}
	c.reopen(t, store)
	w.create(t, 1, "machine")
	w.change(t, 1, func(m *earshot.Monitor) {
		m.Type = earshot.Opinion
		m.Categories = []earshot.Category{{ID: taste, Name: "Taste"}, {ID: price, Name: "Price"}}
	})
	return c
}

// reopen crashes and continues with new services.
func (c *opinionWorld) reopen(t *testing.T, store poststore.Store) {
	t.Helper()
	c.crash()
	c.Service = &training.Service{Catalog: c.world.Catalog, Enrich: func([]earshot.Post) {}, Log: slog.New(slog.DiscardHandler), Now: time.Now}
	c.open(t, store, c.Service)
}

// train adds twelve training posts to a category.
func (c *opinionWorld) train(t *testing.T, category earshot.CategoryID, name, words string) {
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

func (c *opinionWorld) trainBoth(t *testing.T) {
	t.Helper()
	c.train(t, taste, "taste", "smooth flavour and rich aroma")
	c.train(t, price, "price", "expensive and costs dollars")
}

func (c *opinionWorld) ingest(t *testing.T, guid, contents string) {
	t.Helper()
	c.append(t, journal.Entry{Posts: []earshot.Post{post(guid, contents)}})
}

// training returns the training of the monitor.
func (c *opinionWorld) training(t *testing.T) earshot.Training {
	t.Helper()
	m, ok := c.world.Catalog.Monitors.Find(c.monitor)
	if !ok {
		t.Fatal("monitor not found")
	}
	return m.Training
}

// wantAssigned checks how many posts the model in use assigns to each category.
func (c *opinionWorld) wantAssigned(t *testing.T, when string, ofTaste, ofPrice int64) {
	t.Helper()
	synctest.Wait()
	now := c.training(t)
	used := now.InUse(c.world.InUse(c.monitor))
	if used.Record == 0 {
		t.Fatalf("%s: no model is in use", when)
	}
	c.wantIn(t, when, used.Buffer, ofTaste, ofPrice)
}

func (c *opinionWorld) wantIn(t *testing.T, when string, buffer int, ofTaste, ofPrice int64) {
	t.Helper()
	if got := c.count(t, poststore.CategorySet(taste, buffer)); got != ofTaste {
		t.Errorf("%s: %d posts are assigned to Taste, want %d", when, got, ofTaste)
	}
	if got := c.count(t, poststore.CategorySet(price, buffer)); got != ofPrice {
		t.Errorf("%s: %d posts are assigned to Price, want %d", when, got, ofPrice)
	}
}

func TestModelCategorizesPosts(t *testing.T) {
	withOpinions(t, memory.New(), func(t *testing.T, c *opinionWorld) {
		c.ingest(t, "1", "the machine has a smooth flavour")
		c.ingest(t, "2", "a machine of rich aroma")
		c.ingest(t, "3", "an expensive machine")
		c.ingest(t, "4", "expensive dollars") // does not match the monitor
		synctest.Wait()
		c.train(t, taste, "taste", "smooth flavour and rich aroma")
		synctest.Wait()
		if record := c.world.InUse(c.monitor); record != 0 {
			t.Errorf("model %d is in use although only one category has training posts", record)
		}
		c.train(t, price, "price", "expensive and costs dollars")
		c.wantAssigned(t, "stored posts", 2, 1)
		c.ingest(t, "5", "this machine costs many dollars")
		c.ingest(t, "4", "a machine for expensive dollars")
		c.wantAssigned(t, "new posts", 2, 3)
		c.change(t, 1, func(m *earshot.Monitor) {
			m.Criteria.Keywords = "machine OR grinder"
			m.RequestRematch(earshot.Date{})
		})
		c.ingest(t, "6", "grinder with flavour")
		<-c.Rematch(1)
		c.wantAssigned(t, "after another change", 3, 3)
	})
}

func TestOldModelIsInUseUntilNewModelHasCategorizedAllPosts(t *testing.T) {
	hold, proceed := make(chan struct{}, 1), make(chan struct{})
	store := &hooked{Store: memory.New()}
	withOpinions(t, store, func(t *testing.T, c *opinionWorld) {
		proceed = make(chan struct{})
		c.ingest(t, "1", "the machine has a smooth flavour")
		c.trainBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		old := c.training(t).Model
		store.before = func(ctx context.Context, _ int, r poststore.Rematch) error {
			if len(r.Categorizations) == 0 {
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
		// From now on, posts about flavour belong to Price.
		c.train(t, price, "taste", "smooth flavour and rich aroma")
		c.train(t, taste, "price", "expensive and costs dollars")
		<-hold
		c.ingest(t, "2", "a machine of rich aroma")
		synctest.Wait()
		now := c.training(t)
		if now.Previous != old || now.Model.Buffer == old.Buffer {
			t.Errorf("while posts are categorized: got models %+v and %+v, want previous model %+v", now.Model, now.Previous, old)
		}
		c.wantAssigned(t, "while posts are categorized", 2, 0)
		close(proceed)
		synctest.Wait()
		c.wantAssigned(t, "afterward", 0, 2)
		if now = c.training(t); now.Previous.Record != 0 || now.Model.Changes != now.Changes {
			t.Errorf("afterward: got %+v", now)
		}
		if _, err := c.world.Catalog.FindBlob(t.Context(), old.Record); err == nil {
			t.Error("the previous model is still stored")
		}
	})
}

func TestContinuouslyTrainedMonitorGetsNewModels(t *testing.T) {
	store := &hooked{Store: memory.New()}
	withOpinions(t, store, func(t *testing.T, c *opinionWorld) {
		c.ingest(t, "1", "the machine has a smooth flavour")
		c.trainBoth(t)
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
			c.train(t, taste, fmt.Sprint("more", i), "delicious flavour")
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

func TestOtherBufferIsRetained(t *testing.T) {
	store := &hooked{Store: memory.New()}
	withOpinions(t, store, func(t *testing.T, c *opinionWorld) {
		c.ingest(t, "1", "the machine has a smooth flavour")
		c.trainBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		old := c.training(t).Model
		c.train(t, price, "taste", "smooth flavour and rich aroma")
		c.train(t, taste, "price", "expensive and costs dollars")
		c.wantAssigned(t, "then", 0, 1)
		c.wantIn(t, "for requests with the old generation", old.Buffer, 1, 0)
	})
}

func TestReinferRetrainsOpinionMonitors(t *testing.T) {
	withOpinions(t, memory.New(), func(t *testing.T, c *opinionWorld) {
		c.ingest(t, "1", "the machine has a smooth flavour")
		c.trainBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		first := c.world.InUse(c.monitor)
		if err := c.Reinfer(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		c.wantAssigned(t, "afterward", 1, 0)
		if c.world.InUse(c.monitor) == first {
			t.Error("the posts were not categorized again")
		}
	})
}

func TestCrashWhileCategorizing(t *testing.T) {
	store := &hooked{Store: memory.New()}
	withOpinions(t, store, func(t *testing.T, c *opinionWorld) {
		c.ingest(t, "1", "the machine has a smooth flavour")
		c.trainBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		store.before = untilCanceled
		c.train(t, price, "taste", "smooth flavour and rich aroma")
		c.train(t, taste, "price", "expensive and costs dollars")
		synctest.Wait()
		c.crash()
		store.before = nil
		c.reopen(t, store)
		c.wantAssigned(t, "after a crash", 0, 1)

		c.reopen(t, memory.New()) // a store that lost its posts
		c.wantAssigned(t, "in an empty store", 0, 1)
	})
}

func TestRemovedMonitorLeavesNothingBehind(t *testing.T) {
	withOpinions(t, memory.New(), func(t *testing.T, c *opinionWorld) {
		c.ingest(t, "1", "the machine has a smooth flavour")
		c.trainBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		c.change(t, 1, func(m *earshot.Monitor) { m.Removed, m.Enabled = true, false })
		<-c.Rematch(1)
		synctest.Wait()
		for buffer := range 2 {
			c.wantIn(t, "after it was removed", buffer, 0, 0)
		}
		if record := c.world.InUse(1); record != 0 {
			t.Errorf("model %d is in use", record)
		}
		if left := c.world.Catalog.ListBlobs(); len(left) != 0 {
			t.Errorf("records %v are left", left)
		}
	})
}

func TestUnreadableModelIsTrainedAgain(t *testing.T) {
	withOpinions(t, memory.New(), func(t *testing.T, c *opinionWorld) {
		c.ingest(t, "1", "the machine has a smooth flavour")
		c.trainBoth(t)
		c.wantAssigned(t, "first", 1, 0)
		if err := c.world.Catalog.RemoveBlob(t.Context(), c.training(t).Model.Record); err != nil {
			t.Fatal(err)
		}
		c.reopen(t, memory.New())
		c.ingest(t, "2", "an expensive machine")
		time.Sleep(10 * time.Second)
		c.wantAssigned(t, "with another model", 1, 1)
	})
}
