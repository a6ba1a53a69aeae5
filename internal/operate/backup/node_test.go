package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/operate/backup"
	"earshot/internal/state/journal"
)

// otherNode is another process that writes to the same journal and catalog.
type otherNode struct {
	freeze backup.Freeze
	down   error // it does not respond
	keeps  atomic.Int32
}

func (o *otherNode) Freeze(ctx context.Context) error {
	if o.down != nil {
		return o.down
	}
	return o.freeze.Hold(ctx)
}
func (o *otherNode) Thaw() { o.freeze.Thaw() }
func (o *otherNode) KeepJournal() {
	o.keeps.Add(1)
	o.freeze.KeepJournal(time.Now())
}

// writeRounds writes a user, a post and a monitor, again and again, until stop is set.
func writeRounds(t *testing.T, w *world, node string, stop *atomic.Bool, rounds *atomic.Int64, progress chan<- struct{}) {
	for i := 0; !stop.Load(); i++ {
		id := fmt.Sprintf("%s-%d", node, i)
		w.put(t, "user."+id, id)
		w.post(t, id)
		w.put(t, "monitor."+id, id)
		rounds.Add(1)
		select {
		case progress <- struct{}{}:
		default:
		}
	}
}

func TestABackupContainsTheStateOfAllNodesAtOneInstant(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, open)
			other := &otherNode{}
			second := &world{Service: w.Service, journal: other.freeze.Journal(w.Service.Journal.(journal.Journal)), catalog: other.freeze.Catalog(w.Service.Catalog)}
			w.Others = other
			var stop atomic.Bool
			var rounds atomic.Int64
			progress := make(chan struct{}, 1)
			var writing sync.WaitGroup
			for i, node := range []*world{w, second, second} {
				writing.Go(func() { writeRounds(t, node, fmt.Sprint(i), &stop, &rounds, progress) })
			}
			defer func() {
				stop.Store(true)
				writing.Wait()
			}()
			waitFor := func(n int64) {
				for rounds.Load() < n {
					<-progress
				}
			}
			waitFor(50)
			var packed bytes.Buffer
			if err := w.Write(t.Context(), &packed); err != nil {
				t.Fatal(err)
			}
			waitFor(rounds.Load() + 10) // all nodes can write again
			stop.Store(true)
			writing.Wait()
			got := restore(t, unpack(t, packed.Bytes()), engines["memory"])
			if len(got.posts) < 50 {
				t.Errorf("the backup has only %d posts", len(got.posts))
			}
			for guid := range got.posts {
				if got.records["user."+guid] == "" {
					t.Errorf("post %s exists without its user", guid)
				}
			}
			for key := range got.records {
				if id, ok := strings.CutPrefix(key, "monitor."); ok && got.posts[id] != 1 {
					t.Errorf("monitor %s exists without its post", id)
				}
			}
			if other.keeps.Load() == 0 {
				t.Error("the other node was not asked to keep the journal")
			}
		})
	}
}

func TestABackupFailsIfANodeDoesNotRespond(t *testing.T) {
	w := newWorld(t, engines["memory"])
	down := errors.New("node b does not respond")
	w.Others = &otherNode{down: down}
	if err := w.Write(t.Context(), &bytes.Buffer{}); !errors.Is(err, down) {
		t.Errorf("got %v, want %v", err, down)
	}
}

func TestHold(t *testing.T) {
	w := newWorld(t, engines["memory"])
	var f backup.Freeze
	second := &world{Service: w.Service, catalog: f.Catalog(w.Service.Catalog)}
	if err := f.Hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.Hold(t.Context()); !earshot.IsKind(err, earshot.Unavailable) {
		t.Errorf("second backup: got %v, want Unavailable", err)
	}
	var thawed atomic.Bool
	wrote := make(chan bool)
	go func() {
		second.put(t, "user.1", "1")
		wrote <- thawed.Load()
	}()
	thawed.Store(true)
	f.Thaw()
	f.Thaw() // harmless
	if !<-wrote {
		t.Error("a write did not wait")
	}
	if err := f.Hold(t.Context()); err != nil {
		t.Errorf("next backup: %v", err)
	}
	f.Thaw()
}

func TestJournalIsKeptForOtherNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, engines["memory"])
		var f backup.Freeze
		trimmed := f.Journal(w.Service.Journal.(journal.Journal))
		w.post(t, "0")
		f.KeepJournal(time.Now())
		for _, c := range []struct {
			wait  time.Duration
			first earshot.Position
		}{{backup.KeepInterval, 1}, {3 * backup.KeepInterval, 2}} {
			time.Sleep(c.wait)
			if err := trimmed.Trim(t.Context(), 1, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			if s, err := w.Service.Journal.Span(t.Context()); err != nil || s.First != c.first {
				t.Errorf("after %v: the journal starts at %d (%v), want %d", c.wait, s.First, err, c.first)
			}
		}
	})
}
