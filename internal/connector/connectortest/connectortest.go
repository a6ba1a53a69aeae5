// Package connectortest contains the tests that every connector must pass. A connector's own test
// provides a fake of its network and calls [Run]:
//
//	func TestContract(t *testing.T) {
//		connectortest.Run(t, testenv.Race, func(t *testing.T, clock connectortest.Clock) *connectortest.Fake { … })
//	}
//
// The tests run the connector against the fake with a journal and a store in memory, and kill it at
// the worst moments. A killed connector starts again with the cursor of the last journal entry, as
// after a crash of the process. Its records in Env.Store survive.
package connectortest

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
)

// Word is in every post that a fake publishes, and in nothing else that it sends. [Sink.Select]
// selects posts with this word.
const Word = "earshot"

// A Fake is a scripted network. Functions that the network does not support are nil; their tests are
// skipped. All functions may be called whether or not a connector is connected.
type Fake struct {
	Kind     connector.Kind
	Settings connector.Settings // for a source that reads the fake
	Secret   string
	Source   earshot.LiveSource // optional; ID and Settings are filled in

	// Publish makes the network publish n new posts that contain [Word] and returns their guids, as
	// the connector must store them.
	Publish func(n int) []string

	// Edit changes the text of a post and returns a word that only the new text contains.
	Edit func(guid string) (word string)

	// Delete deletes a post.
	Delete func(guid string)

	// DeleteAccount deletes the account of a post, with all its posts, and returns their guids.
	DeleteAccount func(guid string) []string

	// Disconnect drops all connections in the middle of a transfer.
	Disconnect func()

	// Forget makes the network forget everything that it has published, so that a connector that
	// starts with an older cursor must report a gap.
	Forget func()

	// Refuse makes the network reject requests with 429 and a Retry-After of d, until d has passed
	// on the clock.
	Refuse func(d time.Duration)

	// Revoke makes the network permanently reject the secret or the client.
	Revoke func()

	// Junk sends what a network should never send, n times: records that cannot be decoded, that
	// are huge, that have invalid UTF-8, and that are of unknown kinds.
	Junk func(n int)

	// Violation returns the limit of the network that the connector has exceeded, or "". It must
	// detect requests that come too fast, too many connections, and requests during Refuse.
	Violation func() string

	Scale float64 // how much faster than real time the clock runs; 0: real time
}

// A Clock is the time that a connector and its fake see.
type Clock struct {
	began time.Time
	scale *float64
}

// Now returns the time.
func (c Clock) Now() time.Time {
	if *c.scale == 0 {
		return time.Now()
	}
	return c.began.Add(time.Duration(float64(time.Since(c.began)) * *c.scale))
}

// Wait waits until d has passed on the clock, or ctx is done.
func (c Clock) Wait(ctx context.Context, d time.Duration) error {
	if *c.scale != 0 {
		d = time.Duration(float64(d) / *c.scale)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// patience is how long a test waits for something that must happen. It is much longer than that
// takes, because the machine may be busy.
const patience = time.Minute

// Run runs all tests. open starts a new fake that ends with the test. With quick, as under the race
// detector, it kills the connector less often and does not measure memory.
func Run(t *testing.T, quick bool, open func(t *testing.T, clock Clock) *Fake) {
	test := func(name string, f func(t *testing.T, w *world)) {
		t.Run(name, func(t *testing.T) { f(t, newWorld(t, open)) })
	}
	test("every post is stored once", everyPost)
	test("edits are applied", edits)
	test("deletions are applied", deletions)
	test("deleted accounts lose their posts", accounts)
	test("a lost connection loses nothing", disconnects)
	test("forgotten posts are a gap", gap)
	test("Retry-After is honored", refusal)
	test("a revoked secret needs attention", revocation)
	test("junk does no harm", junk)
	if !quick {
		test("memory stays flat", memory)
	}
	rounds := 50
	if quick {
		rounds = 8
	}
	test("kills lose nothing", func(t *testing.T, w *world) { kills(t, w, rounds) })
	test("samples change nothing", sample)
}

func everyPost(t *testing.T, w *world) {
	w.start()
	w.live()
	guids := w.fake.Publish(120)
	w.await("all posts", func() bool { return w.sink.has(guids...) })
	w.stop()
	for _, guid := range guids {
		if n := w.sink.keys(guid); n != 1 {
			t.Errorf("post %s is stored under %d keys, want one", guid, n)
		}
	}
	if c := w.sink.counters(); c.Events < int64(len(guids)) || c.Bytes == 0 {
		t.Errorf("counted %d events and %d bytes, want at least %d events", c.Events, c.Bytes, len(guids))
	}
}

func edits(t *testing.T, w *world) {
	w.require(w.fake.Edit != nil)
	w.start()
	w.live()
	guids := w.fake.Publish(10)
	w.await("posts", func() bool { return w.sink.has(guids...) })
	word := w.fake.Edit(guids[3])
	w.await("edit", func() bool { return w.sink.contains(guids[3], word) })
	w.stop()
	if n := w.sink.keys(guids[3]); n != 1 {
		t.Errorf("the edited post is stored under %d keys, want one", n)
	}
}

func deletions(t *testing.T, w *world) {
	w.require(w.fake.Delete != nil)
	w.start()
	w.live()
	guids := w.fake.Publish(10)
	w.await("posts", func() bool { return w.sink.has(guids...) })
	began := time.Now()
	w.fake.Delete(guids[5])
	w.await("deletion", func() bool { return !w.sink.has(guids[5]) })
	if took := time.Since(began); took > 2*time.Second && !testing.Short() {
		t.Errorf("the deletion took %v, want at most 2 s", took)
	}
	if rest := append(guids[:5:5], guids[6:]...); !w.sink.has(rest...) {
		t.Error("other posts were deleted too")
	}
}

func accounts(t *testing.T, w *world) {
	w.require(w.fake.DeleteAccount != nil)
	w.start()
	w.live()
	guids := w.fake.Publish(10)
	w.await("posts", func() bool { return w.sink.has(guids...) })
	gone := w.fake.DeleteAccount(guids[0])
	w.await("deletion", func() bool { return !w.sink.hasAny(gone...) })
}

func disconnects(t *testing.T, w *world) {
	w.require(w.fake.Disconnect != nil)
	w.start()
	w.live()
	var guids []string
	for range 8 {
		guids = append(guids, w.fake.Publish(15)...)
		w.fake.Disconnect()
		guids = append(guids, w.fake.Publish(5)...)
	}
	w.await("all posts", func() bool { return w.sink.has(guids...) })
}

func gap(t *testing.T, w *world) {
	w.require(w.fake.Forget != nil)
	w.start()
	w.live()
	guids := w.fake.Publish(10)
	w.await("posts", func() bool { return w.sink.has(guids...) })
	w.stop()
	if n := len(w.sink.gapList()); n != 0 {
		t.Fatalf("got %d gaps, want none yet", n)
	}
	w.fake.Publish(10)
	w.fake.Forget()
	w.start()
	guids = w.fake.Publish(3)
	w.await("gap", func() bool { return len(w.sink.gapList()) == 1 })
	w.await("posts after the gap", func() bool { return w.sink.has(guids...) })
	if g := w.sink.gapList()[0]; g.Reason == "" || !g.From.Before(g.To) {
		t.Errorf("got the gap %+v, want a reason, and a start before its end", g)
	}
}

func refusal(t *testing.T, w *world) {
	w.require(w.fake.Refuse != nil)
	w.fake.Refuse(3 * time.Second)
	w.start()
	guids := w.fake.Publish(5)
	w.await("posts", func() bool { return w.sink.has(guids...) })
}

func revocation(t *testing.T, w *world) {
	w.require(w.fake.Revoke != nil)
	w.fake.Revoke()
	w.start()
	w.await("attention", func() bool { return w.attention() != nil })
}

func junk(t *testing.T, w *world) {
	w.require(w.fake.Junk != nil)
	w.start()
	w.live()
	w.fake.Junk(3)
	guids := w.fake.Publish(10)
	w.await("posts", func() bool { return w.sink.has(guids...) })
	for _, p := range w.sink.all() {
		if p.GUID == "" || p.Time.IsZero() || p.Source == "" && p.ContentSource == 0 {
			t.Errorf("stored %+v, want posts with guid, time and source only", p)
		}
	}
}

func memory(t *testing.T, w *world) {
	w.start()
	w.live()
	grow := func(rounds int) uint64 {
		for range rounds {
			guids := w.fake.Publish(50)
			if w.fake.Junk != nil {
				w.fake.Junk(1)
			}
			w.await("posts", func() bool { return w.sink.has(guids...) })
		}
		return heap()
	}
	before := grow(4)
	after := grow(12)
	const most = 24 << 20 // the fake and the store in memory keep the posts
	deadline := time.Now().Add(patience)
	for after > before+most && time.Now().Before(deadline) { // tests that run in parallel use memory until they end
		time.Sleep(100 * time.Millisecond)
		after = heap()
	}
	if after > before+most {
		t.Errorf("the heap grew from %d to %d MB", before>>20, after>>20)
	}
}

// heap returns the memory in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// kills stops the connector many times, while it delivers or between deliveries, and starts it again
// with the cursor in the journal. Half of the kills happen after the journal has the batch.
func kills(t *testing.T, w *world, rounds int) {
	rng := rand.New(rand.NewPCG(1, 2))
	want, deleted := map[string]string{}, []string{}
	for i := range rounds {
		w.start()
		w.sink.killAfter(1+rng.IntN(3), rng.IntN(2) == 0)
		for _, guid := range w.fake.Publish(1 + rng.IntN(20)) {
			want[guid] = Word
		}
		if w.fake.Disconnect != nil && rng.IntN(4) == 0 {
			w.fake.Disconnect()
		}
		if stored := w.sink.stored(want); len(stored) > 0 {
			guid := stored[rng.IntN(len(stored))]
			switch {
			case w.fake.Edit != nil && i%3 == 0:
				want[guid] = w.fake.Edit(guid)
			case w.fake.Delete != nil && i%3 == 1:
				w.fake.Delete(guid)
				delete(want, guid)
				deleted = append(deleted, guid)
			}
		}
		w.awaitKill()
	}
	w.sink.killAfter(0, false)
	w.start()
	w.await("all posts in their last version", func() bool {
		for guid, word := range want {
			if !w.sink.contains(guid, word) {
				return false
			}
		}
		return !w.sink.hasAny(deleted...)
	})
	w.stop()
	if got := len(w.sink.all()); got != len(want) {
		t.Errorf("%d posts are stored, want %d", got, len(want))
	}
}

func sample(t *testing.T, w *world) {
	w.fake.Publish(5)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	done := make(chan struct{})
	go func() { // a network that has only new posts shows nothing without them
		defer close(done)
		for ctx.Err() == nil {
			if w.clock.Wait(ctx, 100*time.Millisecond) == nil && w.fake.Scale == 0 {
				w.fake.Publish(1)
			}
		}
	}()
	posts, err := w.connector().Sample(ctx, 3)
	cancel()
	<-done
	if err != nil || len(posts) == 0 || len(posts) > 3 {
		t.Errorf("got %d posts and %v, want 1 to 3 posts", len(posts), err)
	}
	if w.sink.deliveries() != 0 {
		t.Error("a sample stored something")
	}
}
