package natsnode_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/kv"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

// A holder raises a fence and writes under it until it is fenced or has written enough.
type holder struct {
	*fenced
	name string

	mu    sync.Mutex
	acked map[string]bool // guarded by mu; whether each write was acknowledged or rejected
}

// turn makes one turn of n writes in each of several goroutines.
func (h *holder) turn(turn, n int) {
	ctx, fence := h.raise(h.Context(), "role")
	var wg sync.WaitGroup
	for g, kind := range []func(ctx context.Context, id string, token func(string) string) error{h.publish, h.publishParts, h.put, h.set} {
		wg.Go(func() {
			for i := range n {
				id := fmt.Sprintf("%s-%d-%d-%d", h.name, turn, g, i)
				err := kind(ctx, id, func(stream string) string { return fmt.Sprint(fence.Token(stream)) })
				if err != nil && !errors.Is(err, kv.ErrFenced) {
					h.Errorf("%s: %v", id, err)
				}
				h.mu.Lock()
				h.acked[id] = err == nil
				h.mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
}

func (h *holder) publish(ctx context.Context, id string, token func(string) string) error {
	_, err := h.node.Publish(ctx, &nats.Msg{Subject: "log", Data: []byte(token("LOG") + " " + id)})
	return err
}

func (h *holder) publishParts(ctx context.Context, id string, token func(string) string) error {
	part := []byte(token("LOG") + " " + id)
	_, err := h.node.PublishParts(ctx, "log", nil, [][]byte{part, part})
	return err
}

func (h *holder) put(ctx context.Context, id string, token func(string) string) error {
	_, err := h.bucket.Put(ctx, id, []byte(token("KV_b")+" "+id), 0)
	return err
}

func (h *holder) set(ctx context.Context, id string, token func(string) string) error {
	_, err := h.bucket.Set(ctx, id, []byte(token("KV_b")+" "+id))
	return err
}

// compete lets several nodes take turns at random times.
func compete(t *testing.T, cluster *natstest.Cluster, turns, writes int, half func()) (all []*holder) {
	var wg sync.WaitGroup
	middle := make(chan bool, 3)
	for i := range 3 {
		h := &holder{fenced: openFenced(t, cluster.Open(t)), name: fmt.Sprint("node", i), acked: map[string]bool{}}
		all = append(all, h)
	}
	for _, h := range all {
		wg.Go(func() {
			for turn := range turns {
				if turn == turns/2 {
					middle <- true
				}
				h.turn(turn, writes)
			}
		})
	}
	<-middle
	half()
	wg.Wait()
	return all
}

// check checks that every message was stored while the token of its writer was current, and that each
// acknowledged write is stored once. If exact is set, no rejected write is stored.
func check(t *testing.T, all []*holder, exact bool) {
	t.Helper()
	counts := map[string]int{}
	current := uint64(0)
	fences := 0
	for _, m := range stored(t, all[0].node, "LOG") {
		if strings.HasPrefix(m.Subject, "log.fence.") {
			current, fences = m.Sequence, fences+1
			continue
		}
		var token uint64
		var id string
		if _, err := fmt.Sscan(string(m.Data), &token, &id); err != nil || token != current {
			t.Errorf("message %d of LOG has %q, but the fence is at %d", m.Sequence, m.Data, current)
		}
		counts[id]++
	}
	last := uint64(0)
	for _, m := range stored(t, all[0].node, "KV_b") {
		if strings.HasPrefix(m.Subject, "$KV.b.fence") {
			continue
		}
		var token uint64
		var id string
		if _, err := fmt.Sscan(string(m.Data), &token, &id); err != nil || token < last {
			t.Errorf("message %d of KV_b has %q, but an earlier one has the token %d", m.Sequence, m.Data, last)
		}
		last = token
		counts[id]++
	}
	acked, rejected := 0, 0
	for _, h := range all {
		for id, ok := range h.acked {
			want := 1
			if strings.Split(id, "-")[2] == "1" {
				want = 2 // parts
			}
			switch got := counts[id]; {
			case ok && got != want:
				t.Errorf("%s is acknowledged and stored %d times, want %d", id, got, want)
			case !ok && (exact && got != 0 || got > want):
				t.Errorf("%s was rejected and is stored %d times", id, got)
			}
			if ok {
				acked++
			} else {
				rejected++
			}
		}
	}
	t.Logf("%d fences, %d writes acknowledged, %d rejected", fences, acked, rejected)
	if acked == 0 || rejected == 0 {
		t.Errorf("%d writes were acknowledged and %d rejected; want some of both", acked, rejected)
	}
}

func TestNoWriteIsStoredAfterItsFence(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	check(t, compete(t, natstest.Start(t, 3), 6, 12, func() {}), true)
}

func TestFencedWritesSurviveTheLossOfALeader(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	cluster := natstest.Start(t, 3)
	check(t, compete(t, cluster, 6, 12, func() { cluster.KillLeader(t, "LOG") }), false)
}

// A lone holder loses nothing, and is not fenced by its own retries.
func TestAHolderSurvivesTheLossOfALeader(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	cluster := natstest.Start(t, 3)
	f := openFenced(t, cluster.Open(t))
	ctx, _ := f.raise(t.Context(), "role")
	const each = 40
	var wg sync.WaitGroup
	half := make(chan bool, 2)
	wg.Go(func() {
		var revision uint64
		for i := range each {
			var err error
			if revision, err = f.bucket.Put(ctx, "counter", fmt.Append(nil, i+1), revision); err != nil {
				t.Errorf("Put %d: %v", i, err)
				return
			}
			if i == each/2 {
				half <- true
			}
		}
	})
	wg.Go(func() {
		for i := range each {
			if _, err := f.node.PublishParts(ctx, "log", nil, [][]byte{fmt.Append(nil, i), fmt.Append(nil, i)}); err != nil {
				t.Errorf("PublishParts %d: %v", i, err)
				return
			}
		}
	})
	<-half
	cluster.KillLeader(t, "KV_b")
	wg.Wait()
	if e, err := f.bucket.Get(t.Context(), "counter"); err != nil || string(e.Value) != fmt.Sprint(each) {
		t.Errorf("got %s, %v, want %d", e.Value, err, each)
	}
	var want []string
	for i := range each {
		want = append(want, fmt.Sprint("log=", i), fmt.Sprint("log=", i))
	}
	if got := f.messages("LOG"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the log has %q, want %q", got, want)
	}
}

func TestARepeatedFencedWriteIsRecognized(t *testing.T) {
	onEveryServer(t, testenv.SkipUnderRace, func(t *testing.T, n *natsnode.Node) {
		f := openFenced(t, n)
		ctx, _ := f.raise(t.Context(), "role")
		batch := func(size int) (list []*nats.Msg) {
			for i := range size {
				list = append(list, &nats.Msg{Subject: "log", Header: nats.Header{jetstream.MsgIDHeader: {fmt.Sprint(size, ".", i)}}})
			}
			return list
		}
		for size := 1; size < 4; size++ {
			messages := batch(size)
			first, err := n.PublishFenced(ctx, messages)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := n.PublishFenced(ctx, messages); err != nil || again != first {
				t.Errorf("%d messages: a retry returns %d, %v, want %d", size, again, err, first)
			}
		}
		if got := f.messages("LOG"); len(got) != 6 {
			t.Errorf("the log has %d messages, want 6", len(got))
		}
		m := f.bucket.Message("a", []byte("1"))
		first, err := f.bucket.Write(ctx, m, 0)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := f.bucket.Write(ctx, m, 0); err != nil || again != first {
			t.Errorf("a repeated Put returns %d, %v, want %d", again, err, first)
		}
	})
}

func TestARefreshedFenceStandsUntilItIsRaisedAgain(t *testing.T) {
	onEveryServer(t, testenv.SkipUnderRace, func(t *testing.T, n *natsnode.Node) {
		f := openFenced(t, n)
		ctx, fence := f.raise(t.Context(), "role")
		before := fence.Token("LOG")
		fence.Refresh(t.Context())
		if after := fence.Token("LOG"); after <= before {
			t.Errorf("the token of the log is %d after a refresh, want more than %d", after, before)
		}
		if _, err := n.Publish(ctx, &nats.Msg{Subject: "log"}); err != nil {
			t.Errorf("after a refresh: %v", err)
		}
		f.raise(t.Context(), "role")
		fence.Refresh(t.Context())
		select {
		case <-fence.Lost():
		default:
			t.Error("a refresh did not notice that the fence is lost")
		}
	})
}
