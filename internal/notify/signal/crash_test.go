package signal

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// dyingStore is what a process that dies writes: only its first writes are stored.
type dyingStore struct {
	kv.Store
	left int // writes until it dies
}

var errDied = errors.New("the process has died")

func (d *dyingStore) die() bool {
	d.left--
	return d.left < 0
}

func (d *dyingStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if d.die() {
		return 0, errDied
	}
	return d.Store.Put(ctx, key, value, revision)
}

func (d *dyingStore) Delete(ctx context.Context, key string, revision uint64) error {
	if d.die() {
		return errDied
	}
	return d.Store.Delete(ctx, key, revision)
}

// A process dies after any of the writes that raise a signal. The next one raises it once, at the latest
// when the reservation of its name ends: it does not wait for the evaluation of all rules, which may
// come just before that.
func TestProcessDiesWhileItRaisesASignal(t *testing.T) {
	died := true
	for writes := 0; died; writes++ {
		synctest.Test(t, func(t *testing.T) {
			s := newWorld(t)
			s.postRule()
			s.clock = s.clock.Add(time.Minute)
			s.add(1, s.clock, famous)

			whole := s.kv
			dying := &dyingStore{whole, writes}
			s.kv = dying
			s.open().turn()
			died = dying.left < 0
			s.kv = whole

			s = s.open()
			s.turn()
			time.Sleep(catalog.ReservationTimeout)
			s.clock = s.clock.Add(catalog.ReservationTimeout)
			s.evaluatePrompt(t.Context())
			s.deliver(t.Context())
			s.want("post firing raised")
			if len(s.sent) != 1 || s.only().Observed != 1 {
				t.Errorf("after %d writes: got %d messages and a signal of %g posts, want one each", writes, len(s.sent), s.only().Observed)
			}
		})
	}
}

// A monitor and its rule are created, and its signal is raised, while other rules are being evaluated.
func TestRuleThatIsCreatedDuringAnEvaluation(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	created := false
	s.evaluateAll(t.Context(), func(time.Duration) {
		if created {
			return
		}
		created = true
		s.addTea()
		p := earshot.Post{Source: earshot.Twitter, GUID: "new", Time: s.clock}
		s.store1(poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(tea)}})
		s.evaluatePrompt(t.Context())
	})
	s.want("threshold firing raised")
}

// slowStore is a busy disk: each write takes a second.
type slowStore struct{ kv.Store }

func (s slowStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	time.Sleep(time.Second)
	return s.Store.Put(ctx, key, value, revision)
}

// A team rests from expensive queries, not because the disk is busy.
func TestSignalsOnABusyDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t)
		s.kv = slowStore{s.kv}
		s = s.open()
		s.postRule()
		s.clock = s.clock.Add(time.Minute)
		for range 2 {
			s.clock = s.clock.Add(time.Second)
			s.add(1, s.clock, famous)
			s.evaluatePrompt(t.Context())
		}
		if got := s.only().Observed; got != 2 {
			t.Errorf("got a signal of %g posts, want 2", got)
		}
	})
}
