package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/state/kv"
	"earshot/internal/test/testenv"
)

// A testNode is a node that runs until stop is called.
type testNode struct {
	*Members
	durable atomic.Uint64
	stop    func()
}

func startNode(t *testing.T, store kv.Store, name string, durable earshot.Position, change ...func(*Options)) *testNode {
	t.Helper()
	n := &testNode{}
	n.durable.Store(uint64(durable))
	o := Options{
		Store: store, Identity: Identity{ID: "id-" + name, Name: name}, Version: "1.2", Formats: Known,
		Fill: func(r *Record) {
			r.State, r.Durable = Ready, earshot.Position(n.durable.Load())
			r.Roles = []string{"streams", "retention"}
		},
	}
	for _, f := range change {
		f(&o)
	}
	n.Members = New(o)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { n.Run(ctx) })
	n.stop = func() { cancel(); running.Wait() }
	t.Cleanup(n.stop)
	return n
}

// live returns the names of the nodes in the view of n, with "!" for those that are not live.
func (n *testNode) live() string {
	var names []string
	for _, m := range n.List() {
		name := m.Name
		if !m.Live {
			name += "!"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

func TestMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		a, b := startNode(t, store, "a", 100), startNode(t, store, "b", 90)
		f := func(n *testNode, want string, floor earshot.Position) {
			t.Helper()
			synctest.Wait()
			if got := n.live(); got != want {
				t.Errorf("node %s sees %q, want %q", n.Identity.Name, got, want)
			}
			if got, known := n.Floor(); !known || got != floor {
				t.Errorf("node %s: floor %d, %v, want %d", n.Identity.Name, got, known, floor)
			}
		}
		time.Sleep(Interval)
		f(a, "a b", 90)
		f(b, "a b", 90)
		b.durable.Store(120)
		time.Sleep(Interval)
		f(a, "a b", 100)

		c := startNode(t, store, "c", 10)
		f(a, "a b c", 10)
		f(c, "a! b! c", 10) // it cannot know yet whether their records are old
		time.Sleep(Interval)
		f(c, "a b c", 10)

		c.stop()
		time.Sleep(Timeout)
		f(a, "a b c!", 10)
		time.Sleep(Memory - Timeout - Interval)
		f(a, "a b c!", 10)
		time.Sleep(2 * Interval)
		f(a, "a b c!", 100)
		d := startNode(t, store, "d", 200) // has never seen c live
		time.Sleep(Interval)
		f(d, "a b c! d", 100)
	})
}

func TestFloorIsUnknownBeforeTheFirstRead(t *testing.T) {
	m := New(Options{Store: kv.NewMemory(), Fill: func(*Record) {}})
	if got, known := m.Floor(); known {
		t.Errorf("got %d, want unknown", got)
	}
	if _, known := m.Agreed(); known {
		t.Error("formats are agreed before other nodes are known")
	}
}

func TestRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		startNode(t, store, "a", 7)
		synctest.Wait()
		e, err := store.Get(t.Context(), "id-a")
		if err != nil {
			t.Fatal(err)
		}
		var r map[string]any
		if err := json.Unmarshal(e.Value, &r); err != nil {
			t.Fatal(err)
		}
		delete(r, "Process")
		got, _ := json.Marshal(r)
		const want = `{"Catalog":0,"Detail":"","Durable":7,"Formats":{"Catalog":1,"Journal":2,"Streams":1},"ID":"id-a","Name":"a",` +
			`"Position":0,"Roles":["retention","streams"],"Started":"2000-01-01T00:00:00Z","State":"ready","Version":"1.2","Written":"2000-01-01T00:00:00Z"}`
		if string(got) != want {
			t.Errorf("got record  %s\nwant record %s", got, want)
		}
	})
}

func TestRestartReplacesTheRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		other := startNode(t, store, "b", 1)
		startNode(t, store, "a", 5).stop()
		a := startNode(t, store, "a", 6)
		time.Sleep(Interval)
		synctest.Wait()
		if got, err := other.Find("a"); err != nil || !got.Live || got.Durable != 6 || got.Process != a.process {
			t.Errorf("got %+v, %v, want the record of the new process", got, err)
		}
	})
}

func TestCopiedIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		first := startNode(t, store, "a", 5)
		synctest.Wait()
		second := startNode(t, store, "a", 6)
		time.Sleep(2 * Interval)
		synctest.Wait()
		select {
		case <-first.Lost():
		default:
			t.Error("the first process does not know that another one has taken its identity")
		}
		select {
		case <-second.Lost():
			t.Error("the second process has lost the identity, too")
		default:
		}
	})
}

func TestRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		a, b := startNode(t, store, "a", 5), startNode(t, store, "b", 6)
		time.Sleep(Interval)
		synctest.Wait()
		if err := a.Remove(t.Context(), "id-b"); !earshot.IsKind(err, earshot.Conflict) {
			t.Errorf("removing a live node: got %v, want a conflict", err)
		}
		b.stop()
		time.Sleep(Timeout)
		if err := a.Remove(t.Context(), "b"); err != nil { // by name
			t.Errorf("removing a stopped node: %v", err)
		}
		synctest.Wait()
		if got := a.live(); got != "a" {
			t.Errorf("after removing b, a sees %q", got)
		}
		if err := a.Remove(t.Context(), "b"); !earshot.IsKind(err, earshot.NotFound) {
			t.Errorf("removing it again: got %v, want not found", err)
		}
		startNode(t, store, "b", 6) // it may come back
		time.Sleep(Interval)
		synctest.Wait()
		if got := a.live(); got != "a b" {
			t.Errorf("after b starts again, a sees %q", got)
		}
	})
}

func TestReplacedMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		a := startNode(t, store, "a", 5)
		first := startNode(t, store, "b", 6)
		synctest.Wait()
		first.stop()
		b := startNode(t, store, "b", 7, func(o *Options) { o.Identity.ID = "id-new" })
		f := func(want string) {
			t.Helper()
			if err := b.RemoveReplaced(t.Context()); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			if got := a.live(); got != want {
				t.Errorf("a sees %q, want %q", got, want)
			}
		}
		time.Sleep(Timeout + Interval)
		f("a b! b")
		time.Sleep(Timeout)
		f("a b")
	})
}

func TestWriteRecoversFromLostResponses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &forgetful{Store: kv.NewMemory()}
		a := startNode(t, store, "a", 5)
		b := startNode(t, store.Store, "b", 5)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := b.live(); got != "a b" {
			t.Errorf("b sees %q although a writes its record", got)
		}
		select {
		case <-a.Lost():
			t.Error("a took its own writes for those of another process")
		default:
		}
	})
}

// forgetful is a store whose writes succeed, but every second one reports an error.
type forgetful struct {
	kv.Store
	writes int
}

func (s *forgetful) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	next, err := s.Store.Put(ctx, key, value, revision)
	if s.writes++; s.writes%2 == 0 && err == nil {
		return 0, errors.New("no response")
	}
	return next, err
}

func TestWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		a := startNode(t, store, "a", 1)
		found := make(chan Member, 1)
		go func() {
			m, _ := a.WaitFor(t.Context(), func(list []Member) (Member, bool) {
				for _, m := range list {
					if !m.Self && m.Live {
						return m, true
					}
				}
				return Member{}, false
			})
			found <- m
		}()
		time.Sleep(time.Minute)
		startNode(t, store, "b", 2)
		if got := <-found; got.Name != "b" {
			t.Errorf("got %q, want b", got.Name)
		}
	})
}

func TestLoadIdentity(t *testing.T) {
	dir := t.TempDir()
	load := func(name string) Identity {
		t.Helper()
		id, err := LoadIdentity(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		if id.Name != name {
			t.Errorf("got name %q, want %q", id.Name, name)
		}
		return id
	}
	first := load("a")
	if first.ID == "" || kv.CheckKey(first.ID) != nil {
		t.Errorf("the ID %q is not a valid key", first.ID)
	}
	if again := load("a"); again != first {
		t.Errorf("got %+v at the second start, want %+v", again, first)
	}
	if renamed := load("b.example.org"); renamed.ID != first.ID {
		t.Errorf("got ID %s with another name, want %s", renamed.ID, first.ID)
	}
	if again := load("b.example.org"); again.ID != first.ID {
		t.Errorf("got ID %s after renaming, want %s", again.ID, first.ID)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("got %v, %v, want only node.json", names, err)
	}
	if err := os.WriteFile(filepath.Join(dir, identityFile), []byte(`{"ID":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadIdentity(dir, "a"); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("got %v for a damaged file", err)
	}
}

func TestFormats(t *testing.T) {
	f := func(found Formats, want string) {
		t.Helper()
		err := CheckFormats(found, Formats{Journal: 1, Catalog: 2, Streams: 3})
		if got := errorText(err); got != want {
			t.Errorf("%+v: got %q, want %q", found, got, want)
		}
	}
	f(Formats{}, "")
	f(Formats{Journal: 1, Catalog: 2, Streams: 3}, "")
	f(Formats{Journal: 1, Catalog: 3, Streams: 3}, "a newer version of Earshot has written the catalog (format 3, and this version knows formats up to 2): start that version, on every node")
	f(Formats{Journal: 2, Catalog: 3, Streams: 3}, "a newer version of Earshot has written the journal (format 2, and this version knows formats up to 1): start that version, on every node")
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestAgreedFormats(t *testing.T) {
	testenv.SkipUnderRace(t)
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		newer := Formats{Journal: Known.Journal + 1, Catalog: Known.Catalog + 1, Streams: Known.Streams}
		a := startNode(t, store, "a", 1, func(o *Options) { o.Formats = newer })
		b := startNode(t, store, "b", 1)
		f := func(want Formats) {
			t.Helper()
			synctest.Wait()
			if got, known := a.Agreed(); !known || got != want {
				t.Errorf("got %+v, %v, want %+v", got, known, want)
			}
		}
		time.Sleep(Interval)
		f(Known)
		b.stop()
		time.Sleep(Timeout)
		f(Known) // it may come back
		time.Sleep(Memory)
		f(newer)
	})
}
