package source_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/source"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

func TestASourceDeliversAndResumes(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		id := p.add("posts").ID
		w.network.publish("a", "b")
		w.network.remove("a")
		w.wantStored("b")
		info := p.wantPhase(id, connector.Live)
		if c := info.Counters; c.Events != 3 || c.Posts != 2 || c.Deletions != 1 {
			t.Errorf("got counters %+v, want 3 events, 2 posts, 1 deletion", c)
		}
		if n := len(info.Activity); n != 60 || info.Activity[59] != 2 || info.LastPost.IsZero() {
			t.Errorf("got %d minutes, %v, last post %v, want 2 posts in the last of 60 minutes", n, info.Activity, info.LastPost)
		}
		for _, e := range w.entries() {
			if e.Origin == nil || e.Origin.Source != id || e.Origin.Cursor == "" {
				t.Errorf("got origin %+v, want the source and a cursor", e.Origin)
			}
			for _, post := range e.Posts {
				if post.Batch != id.Batch() {
					t.Errorf("got batch %s, want %s", post.Batch, id.Batch())
				}
			}
		}
		p.stop()
		w.network.publish("c")
		p = w.start()
		w.wantStored("b", "c")
		if got := w.runs(); !slices.Equal(got, []string{"", "3"}) {
			t.Errorf("started with the cursors %q, want none and 3", got)
		}
		if c := p.info(id).Counters; c.Posts != 3 || c.Events != 4 {
			t.Errorf("got counters %+v after a restart, want 3 posts, 4 events", c)
		}
	})
}

// After a crash there is no newer checkpoint than that of the minute before.
func TestTheJournalHasTheNewestCursor(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		one, two := p.add("one").ID, p.add("two").ID
		w.network.publish("a", "b", "c")
		synctest.Wait()
		old := map[earshot.LiveSourceID]catalog.Checkpoint{}
		for _, id := range []earshot.LiveSourceID{one, two} {
			cp, _ := p.Catalog.Checkpoints.Find(id)
			old[id] = *cp
			if cp.Cursor != "" {
				t.Fatalf("got a checkpoint with cursor %s before a minute has passed", cp.Cursor)
			}
		}
		p.stop()
		for id, cp := range old { // as if the stop had not written them
			_, err := p.Catalog.Checkpoints.Update(t.Context(), id, func(c *catalog.Checkpoint) error { *c = cp; return nil })
			w.ok(err)
		}
		w.network.runs = nil
		w.start()
		// One of the sources has read the signal that three events are there.
		if got := w.runs(); len(got) != 2 || !slices.Contains(got, "3") {
			t.Errorf("started with the cursors %q, want 3 for one source", got)
		}
	})
}

func TestCountersSurviveACrash(t *testing.T) {
	f := func(kind string, deliver func(w *world, p *process, id earshot.LiveSourceID), want connector.Counters) {
		run(t, func(w *world) {
			t := w.t
			p := w.start()
			info, err := p.Add(t.Context(), editor, earshot.LiveSource{Team: team, Name: "source", Kind: kind}, "")
			w.ok(err)
			first, _ := p.Catalog.Checkpoints.Find(info.ID)
			before := *first
			synctest.Wait()
			deliver(w, p, info.ID)
			p.stop()
			_, err = p.Catalog.Checkpoints.Update(t.Context(), info.ID, func(c *catalog.Checkpoint) error {
				*c = before // as if no checkpoint had been written since
				return nil
			})
			w.ok(err)
			p = w.start()
			if got := p.info(info.ID).Counters; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got the counters %+v after a crash, want %+v", kind, got, want)
			}
		})
	}
	f("fake", func(w *world, _ *process, _ earshot.LiveSourceID) {
		w.network.publish("a", "b", "c")
		synctest.Wait()
		w.network.remove("b")
		synctest.Wait()
	}, connector.Counters{Events: 4, Posts: 3, Deletions: 1})
	f("inbound", func(w *world, p *process, id earshot.LiveSourceID) { // delivers without a cursor
		for _, guid := range []string{"x", "y"} {
			_, err := p.Receive(w.t.Context(), id, connector.Request{Body: []byte(guid)})
			w.ok(err)
		}
	}, connector.Counters{Posts: 2})
}

func TestACursorWithoutPostsIsCheckpointed(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		w.setRun(func(ctx context.Context, cursor string, sink connector.Sink) error {
			sink.Report(connector.State{Phase: connector.Live})
			if cursor == "" {
				w.ok(sink.Deliver(ctx, connector.Batch{Cursor: "9"}))
			}
			<-ctx.Done()
			return ctx.Err()
		})
		p := w.start()
		id := p.add("quiet").ID
		if n := len(w.entries()); n != 0 {
			t.Errorf("a batch without a change wrote %d journal entries", n)
		}
		time.Sleep(61 * time.Second) // virtual
		synctest.Wait()
		if cp, _ := p.Catalog.Checkpoints.Find(id); cp.Cursor != "9" {
			t.Errorf("got checkpoint %+v, want cursor 9", cp)
		}
		p.stop()
		w.start()
		if got := w.runs(); !slices.Equal(got, []string{"", "9"}) {
			t.Errorf("started with the cursors %q, want none and 9", got)
		}
	})
}

func TestFailuresBackOff(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		var starts []time.Time
		w.setRun(func(ctx context.Context, _ string, sink connector.Sink) error {
			starts = append(starts, time.Now())
			return fmt.Errorf("get https://example.com/?token=%s: connection refused", password)
		})
		p := w.start()
		id := p.add("failing").ID
		info := p.wantPhase(id, connector.BackingOff)
		if !info.State.Until.After(time.Now()) || !strings.Contains(info.State.Reason, "connection refused") || strings.Contains(info.State.Reason, password) {
			t.Errorf("got state %+v, want a time and the reason without the secret", info.State)
		}
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		for i := 1; i < len(starts); i++ {
			failing := starts[i-1].Sub(starts[0])
			limit := min(max(failing/2, time.Second), 5*time.Minute)
			if gap := starts[i].Sub(starts[i-1]); gap < time.Second || gap > limit {
				t.Errorf("after %v of failures, attempt %d came after %v, want between 1 s and %v", failing, i, gap, limit)
			}
		}
		if n := len(starts); n < 10 || n > 60 {
			t.Errorf("got %d attempts in 30 minutes, want between 10 and 60", n)
		}
	})
}

func TestABackoffStartsOverAfterAHealthyMinute(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		w.setRun(func(ctx context.Context, _ string, sink connector.Sink) error { return errors.New("down") })
		p := w.start()
		p.add("flapping")
		time.Sleep(30 * time.Minute)
		var ended time.Time
		wait := make(chan time.Duration, 100)
		w.setRun(func(ctx context.Context, _ string, sink connector.Sink) error {
			if !ended.IsZero() {
				wait <- time.Since(ended)
				return errors.New("down")
			}
			sink.Report(connector.State{Phase: connector.Live})
			time.Sleep(61 * time.Second)
			ended = time.Now()
			return errors.New("down again")
		})
		if got := <-wait; got > time.Second {
			t.Errorf("waited %v after a healthy minute, want at most 1 s", got)
		}
	})
}

func TestRetryAfterIsHonored(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		var starts []time.Time
		w.setRun(func(context.Context, string, connector.Sink) error {
			starts = append(starts, time.Now())
			return &connector.RetryError{After: 10 * time.Minute, Err: errors.New("too many requests")}
		})
		p := w.start()
		p.add("limited")
		time.Sleep(time.Hour)
		synctest.Wait()
		for i := 1; i < len(starts); i++ {
			if gap := starts[i].Sub(starts[i-1]); gap < 10*time.Minute || gap > 12*time.Minute {
				t.Errorf("came back after %v, want 10 minutes and a little", gap)
			}
		}
		if len(starts) < 5 {
			t.Errorf("got %d attempts in an hour, want at least 5", len(starts))
		}
	})
}

// The sources of the demo are in its data directory, which serve can also run on.
func TestOnlyTheDemoRunsItsSources(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		w.change = func(s *source.Service) {
			s.Kinds[0].Settings = append(slices.Clone(s.Kinds[0].Settings), connector.Setting{Name: source.DemoSetting, Default: "live", Options: []string{"live", "gap"}})
		}
		p := w.start()
		id := p.add("acted").ID
		p.edit(id, source.Change{Settings: map[string]string{"mode": "fast", source.DemoSetting: ""}})
		p.wantPhase(id, connector.Live)
		p.stop()
		runs := len(w.runs())
		w.change = nil
		info := w.start().wantPhase(id, connector.Attention)
		if len(w.runs()) != runs || !strings.Contains(info.State.Reason, "the source belongs to the demo") {
			t.Errorf("got state %+v after %d more runs, want the reason and none", info.State, len(w.runs())-runs)
		}
	})
}

func TestAttentionLastsUntilSomeoneActs(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		w.setRun(func(context.Context, string, connector.Sink) error {
			return fmt.Errorf("%w: the token was revoked", connector.ErrAttention)
		})
		p := w.start()
		id := p.add("revoked").ID
		time.Sleep(24 * time.Hour)
		info := p.wantPhase(id, connector.Attention)
		if info.State.Reason != "the token was revoked" || len(w.runs()) != 1 {
			t.Errorf("got state %+v after %d attempts, want the reason after one", info.State, len(w.runs()))
		}
		w.setRun(nil)
		p.edit(id, source.Change{Secret: new("another token")})
		p.wantPhase(id, connector.Live)
		if got := w.network.secrets; !slices.Equal(got, []string{password, "another token"}) {
			t.Errorf("the connector got the secrets %q", got)
		}
	})
}

func TestAPanicIsAFailure(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		w.setRun(func(context.Context, string, connector.Sink) error { panic("index out of range, token " + password) })
		p := w.start()
		id := p.add("broken").ID
		info := p.wantPhase(id, connector.BackingOff)
		if !strings.Contains(info.State.Reason, "internal error") {
			t.Errorf("got state %+v, want an internal error", info.State)
		}
		if log := w.log.String(); !strings.Contains(log, "index out of range") || !strings.Contains(log, "supervisor_test.go") || strings.Contains(log, password) {
			t.Errorf("got log %s, want the panic with its stack, without the secret", log)
		}
		w.setRun(nil)
		time.Sleep(5 * time.Minute)
		p.wantPhase(id, connector.Live)
	})
}

func TestAnEditRestartsWithTheSameCursor(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		id := p.add("edited").ID
		w.network.publish("a", "b")
		synctest.Wait()
		p.edit(id, source.Change{Settings: map[string]string{"mode": "fast"}})
		w.network.publish("c")
		w.wantStored("a", "b", "c")
		if got := w.runs(); !slices.Equal(got, []string{"", "2"}) {
			t.Errorf("started with the cursors %q, want none and 2", got)
		}
		if got := w.network.settings[1]["mode"]; got != "fast" {
			t.Errorf("got mode %s, want fast", got)
		}
		if w.network.most != 1 {
			t.Errorf("%d connectors of one source ran at the same time", w.network.most)
		}
	})
}

func TestPauseAndResume(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		id := p.add("paused").ID
		w.network.publish("a")
		synctest.Wait()
		p.edit(id, source.Change{Paused: new(true)})
		w.network.publish("b")
		time.Sleep(time.Hour)
		w.wantStored("a")
		if info := p.wantPhase(id, connector.Stopped); len(info.Gaps) != 0 {
			t.Errorf("got gaps %+v while paused, want none", info.Gaps)
		}
		p.stop()
		p = w.start()
		p.wantPhase(id, connector.Stopped)
		p.edit(id, source.Change{Paused: new(false)})
		p.wantPhase(id, connector.Live)
		w.wantStored("a", "b")
	})
}

// A crash right after a pause must not lose the cursor that is only in the journal, even when the
// checkpoint of the paused source is refreshed.
func TestACrashDuringAPauseKeepsTheCursor(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		id := p.add("paused").ID
		before, _ := p.Catalog.Checkpoints.Find(id)
		w.network.publish("a", "b")
		synctest.Wait()
		p.stop()
		_, err := p.Catalog.Checkpoints.Update(t.Context(), id, func(c *catalog.Checkpoint) error { *c = *before; return nil })
		w.ok(err)
		_, err = p.Catalog.Live.Update(t.Context(), id, func(src *earshot.LiveSource) error { src.Paused = true; return nil })
		w.ok(err)
		p = w.start()
		time.Sleep(3 * time.Hour)
		p.edit(id, source.Change{Paused: new(false)})
		if got := w.runs(); !slices.Equal(got, []string{"", "2"}) {
			t.Errorf("started with the cursors %q, want none and 2", got)
		}
	})
}

func TestRemoveKeepsOrDeletesPosts(t *testing.T) {
	for _, withPosts := range []bool{false, true} {
		run(t, func(w *world) {
			t := w.t
			p := w.start()
			id := p.add("removed").ID
			w.network.publish("a")
			synctest.Wait()
			_, err := w.records.Put(t.Context(), fmt.Sprintf("%d.cache.1", id), nil, 0)
			w.ok(err)
			_, err = w.records.Put(t.Context(), fmt.Sprintf("%d9.cache", id), nil, 0)
			w.ok(err)
			w.ok(p.Remove(t.Context(), editor, id, withPosts))
			w.network.publish("b")
			if withPosts {
				w.wantStored()
				entries := w.entries()
				if d := entries[len(entries)-1].Deletion; d == nil || d.Batch != id.Batch() {
					t.Errorf("got deletion %+v, want one of the batch", d)
				}
			} else {
				w.wantStored("a")
			}
			if _, err := p.Find(admin, id); !earshot.IsKind(err, earshot.NotFound) {
				t.Errorf("got %v, want NotFound", err)
			}
			wantGone(w, p, id)
			p.add("removed") // the name is free again
		})
	}
}

// wantGone checks that nothing of a source remains.
func wantGone(w *world, p *process, id earshot.LiveSourceID) {
	w.t.Helper()
	synctest.Wait()
	if _, ok := p.Catalog.Live.Find(id); ok {
		w.t.Error("the source is still in the catalog")
	}
	if _, ok := p.Catalog.Checkpoints.Find(id); ok {
		w.t.Error("the checkpoint is still in the catalog")
	}
	keys, err := w.records.Keys(w.t.Context(), ">")
	w.ok(err)
	if len(keys) != 1 || keys[0] != fmt.Sprintf("%d9.cache", id) {
		w.t.Errorf("got records %v, want only that of another source", keys)
	}
	if _, err := w.leases.Get(w.t.Context(), fmt.Sprint("source.", id)); !errors.Is(err, kv.ErrNotFound) {
		w.t.Errorf("got %v for the lease, want none", err)
	}
}

func TestARemovalSurvivesACrash(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		id := p.add("removed").ID
		w.network.publish("a")
		synctest.Wait()
		p.stop()
		_, err := w.records.Put(t.Context(), fmt.Sprintf("%d9.cache", id), nil, 0)
		w.ok(err)
		// The process was killed right after it marked the source.
		_, err = p.Catalog.Live.Update(t.Context(), id, func(src *earshot.LiveSource) error {
			src.Removed, src.RemovePosts = true, true
			return nil
		})
		w.ok(err)
		p = w.start()
		w.wantStored()
		wantGone(w, p, id)
		if n := len(w.runs()); n != 1 {
			t.Errorf("the removed source was started %d times", n)
		}
	})
}

func TestOnlyOneOfTwoProcessesRunsASource(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		a, b := w.start(), w.start()
		id := a.add("shared").ID
		time.Sleep(2 * time.Second)
		w.network.publish("a")
		w.wantStored("a")
		if info := b.info(id); a.info(id).State.Phase != connector.Live && info.State.Phase != connector.Live {
			t.Error("no process runs the source")
		}
		first, second := a, b
		if b.info(id).State.Phase == connector.Live {
			first, second = b, a
		}
		if s := second.info(id).State; s.Phase != connector.Starting || s.Reason == "" {
			t.Errorf("got state %+v of the process that waits, want the reason", s)
		}
		first.stop()
		time.Sleep(2 * time.Second) // a clean stop releases the lease
		second.wantPhase(id, connector.Live)
		w.network.publish("b")
		w.wantStored("a", "b")
		if w.network.most != 1 {
			t.Errorf("%d connectors of one source ran at the same time", w.network.most)
		}
	})
}

// A process that waits for the lease knows only how far the source was when it was paused.
func TestAWaitingProcessWritesNoCheckpoint(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		a, b := w.start(), w.start()
		id := a.add("shared").ID
		w.network.publish("a")
		time.Sleep(2 * time.Second)
		a.edit(id, source.Change{Paused: new(true)})
		time.Sleep(2 * time.Second)
		a.edit(id, source.Change{Paused: new(false)})
		time.Sleep(2 * time.Second)
		w.network.publish("b", "c")
		time.Sleep(time.Minute)
		for began := time.Now(); time.Since(began) < 3*time.Hour; time.Sleep(10 * time.Second) {
			if cp, _ := b.Catalog.Checkpoints.Find(id); cp.Cursor != "3" {
				t.Fatalf("after %v, the checkpoint has the cursor %s, want 3", time.Since(began), cp.Cursor)
			}
		}
	})
}

// brokenLeases is a store of leases that a process cannot reach.
type brokenLeases struct {
	kv.Store
	broken atomic.Bool
}

func (b *brokenLeases) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if b.broken.Load() {
		return 0, errors.New("no connection")
	}
	return b.Store.Put(ctx, key, value, revision)
}

func (b *brokenLeases) Get(ctx context.Context, key string) (kv.Entry, error) {
	if b.broken.Load() {
		return kv.Entry{}, errors.New("no connection")
	}
	return b.Store.Get(ctx, key)
}

func TestAProcessThatLosesItsLeaseStopsFirst(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		shared := w.leases
		broken := &brokenLeases{Store: shared}
		w.leases = broken
		a := w.start()
		id := a.add("shared").ID
		a.wantPhase(id, connector.Live)
		w.leases = shared
		b := w.start()
		time.Sleep(time.Minute)
		b.wantPhase(id, connector.Starting) // the lease is renewed
		broken.broken.Store(true)
		began := time.Now()
		for b.info(id).State.Phase != connector.Live {
			if time.Since(began) > 30*time.Second {
				t.Fatal("the lease was not taken over within 30 s")
			}
			time.Sleep(100 * time.Millisecond)
		}
		a.wantPhase(id, connector.Starting)
		if w.network.most != 1 {
			t.Errorf("%d connectors of one source ran at the same time", w.network.most)
		}
		w.network.publish("a")
		w.wantStored("a")
	})
}

func TestAnAbandonedConnectorDoesNotEndItsSuccessor(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		release := make(chan struct{})
		w.setRun(func(context.Context, string, connector.Sink) error {
			<-release
			return nil
		})
		p := w.start()
		info, err := p.Add(t.Context(), editor, earshot.LiveSource{Team: team, Name: "stuck", Kind: "inbound"}, "")
		w.ok(err)
		synctest.Wait()
		w.setRun(nil)
		p.edit(info.ID, source.Change{Name: new("moved")})
		time.Sleep(time.Minute)
		p.wantPhase(info.ID, connector.Live)
		close(release)
		synctest.Wait()
		_, err = p.Receive(t.Context(), info.ID, connector.Request{Body: []byte("a")})
		w.ok(err)
		w.wantStored("a")
	})
}

func TestAConnectorThatDoesNotStopCannotDeliver(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		release := make(chan struct{})
		result := make(chan error, 1)
		w.setRun(func(_ context.Context, _ string, sink connector.Sink) error {
			<-release
			result <- sink.Deliver(context.Background(), connector.Batch{Posts: []earshot.Post{{Source: earshot.Bluesky, GUID: "late", Time: time.Now()}}})
			return nil
		})
		p := w.start()
		p.add("stuck")
		p.stop()
		close(release)
		if err := <-result; err == nil {
			t.Error("a connector delivered a post after it was stopped")
		}
		w.wantStored()
	})
}
