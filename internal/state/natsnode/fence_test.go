package natsnode_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/kv"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

// onEveryServer runs a test on an embedded server and on a cluster of three. skip is
// testenv.SkipUnderRace: a script finds tests that use it by this name.
func onEveryServer(t *testing.T, skip func(testing.TB), test func(t *testing.T, n *natsnode.Node)) {
	t.Run("embedded", func(t *testing.T) { test(t, embedded(t)) })
	t.Run("cluster", func(t *testing.T) {
		skip(t) // nats-server checks a map of clustered streams without holding its lock
		test(t, natstest.Start(t, 3).Open(t))
	})
}

func embedded(t testing.TB) *natsnode.Node {
	t.Helper()
	n, err := natsnode.Open(t.Context(), natsnode.Options{Dir: t.TempDir(), Fences: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

// fenced are a bucket b and a log LOG.
type fenced struct {
	testing.TB
	node   *natsnode.Node
	bucket *natsnode.Bucket
	log    jetstream.Stream
}

func openFenced(t testing.TB, n *natsnode.Node) *fenced {
	t.Helper()
	f := &fenced{TB: t, node: n}
	var err error
	if f.bucket, err = natsnode.OpenBucket(t.Context(), n, natsnode.BucketOptions{Name: "b"}); err != nil {
		t.Fatal(err)
	}
	if f.log, err = n.OpenStream(t.Context(), jetstream.StreamConfig{Name: "LOG", Subjects: []string{"log"}}); err != nil {
		t.Fatal(err)
	}
	return f
}

// raise raises a fence in the bucket and the log, and returns its context.
func (f *fenced) raise(ctx context.Context, role string) (context.Context, *natsnode.Fence) {
	f.Helper()
	fence, err := f.node.RaiseFence(ctx, role, "KV_b", "LOG")
	if err != nil {
		f.Fatal(err)
	}
	return natsnode.WithFence(ctx, fence), fence
}

// messages returns the subjects and data of the messages of a stream, without those of fences.
func (f *fenced) messages(stream string) (list []string) {
	f.Helper()
	for _, m := range stored(f, f.node, stream) {
		if !strings.Contains(m.Subject, ".fence") {
			list = append(list, m.Subject+"="+string(m.Data))
		}
	}
	return list
}

// stored returns the messages of a stream in order.
func stored(t testing.TB, n *natsnode.Node, stream string) (list []*jetstream.RawStreamMsg) {
	t.Helper()
	s, err := n.JetStream().Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	for seq := uint64(1); ; {
		m, err := s.GetMsg(t.Context(), seq, jetstream.WithGetMsgSubject(">"))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
		seq = m.Sequence + 1
	}
}

// A write is one kind of write. i makes its content unique.
type write struct {
	name string
	run  func(ctx context.Context, f *fenced, i int) error
}

var writes = []write{
	{"put", func(ctx context.Context, f *fenced, i int) error {
		_, err := f.bucket.Put(ctx, fmt.Sprint("put.", i), []byte("new"), 0)
		return err
	}},
	{"put again", func(ctx context.Context, f *fenced, i int) error {
		e, err := f.bucket.Get(ctx, "changed")
		if err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		rev, err := f.bucket.Put(ctx, "changed", fmt.Append(nil, i), e.Revision)
		if err != nil {
			return err
		}
		if e, err = f.bucket.Get(ctx, "changed"); err != nil || e.Revision != rev {
			return fmt.Errorf("Put returned revision %d, but Get %d, %v", rev, e.Revision, err)
		}
		return nil
	}},
	{"set", func(ctx context.Context, f *fenced, i int) error {
		_, err := f.bucket.Set(ctx, "set", fmt.Append(nil, i))
		return err
	}},
	{"delete", func(ctx context.Context, f *fenced, i int) error {
		key := fmt.Sprint("delete.", i)
		rev, err := f.bucket.Put(f.Context(), key, nil, 0)
		if err != nil {
			return err
		}
		return f.bucket.Delete(ctx, key, rev)
	}},
	{"purge", func(ctx context.Context, f *fenced, i int) error {
		key := fmt.Sprint("purge.", i)
		if _, err := f.bucket.Put(f.Context(), key, nil, 0); err != nil {
			return err
		}
		return f.bucket.Purge(ctx, key)
	}},
	{"publish", func(ctx context.Context, f *fenced, i int) error {
		_, err := f.node.Publish(ctx, &nats.Msg{Subject: "log", Data: fmt.Append(nil, "publish ", i)})
		return err
	}},
	{"publish one part", func(ctx context.Context, f *fenced, i int) error {
		_, err := f.node.PublishParts(ctx, "log", nil, [][]byte{fmt.Append(nil, "part ", i)})
		return err
	}},
	{"publish parts", func(ctx context.Context, f *fenced, i int) error {
		seq, err := f.node.PublishParts(ctx, "log", nil, [][]byte{fmt.Append(nil, "first ", i), fmt.Append(nil, "second ", i)})
		if err != nil {
			return err
		}
		return f.isAt(seq, fmt.Sprint("second ", i))
	}},
	{"publish a batch", func(ctx context.Context, f *fenced, i int) error {
		return f.publishBatch(ctx, i, 2, false)
	}},
	{"publish a batch that expects the last message", func(ctx context.Context, f *fenced, i int) error {
		return f.publishBatch(ctx, i, 2, true)
	}},
	{"publish a message that expects the last message", func(ctx context.Context, f *fenced, i int) error {
		return f.publishBatch(ctx, i, 1, true)
	}},
}

func (f *fenced) publishBatch(ctx context.Context, i, size int, expect bool) error {
	var batch []*nats.Msg
	for n := range size {
		batch = append(batch, &nats.Msg{Subject: "log", Data: fmt.Append(nil, "batch ", i, " ", n)})
	}
	if expect {
		last, err := f.log.GetLastMsgForSubject(ctx, "log")
		if err != nil {
			return err
		}
		natsnode.ExpectLast(batch[0], last.Sequence)
	}
	seq, err := f.node.PublishBatch(ctx, batch)
	if err != nil {
		return err
	}
	return f.isAt(seq, string(batch[size-1].Data))
}

// isAt returns an error unless the log has a message with this data at a sequence number.
func (f *fenced) isAt(seq uint64, data string) error {
	m, err := f.log.GetMsg(f.Context(), seq)
	if err != nil || string(m.Data) != data {
		return fmt.Errorf("got message %+v at %d, %v, want %s", m, seq, err, data)
	}
	return nil
}

func TestAFenceRejectsWritesOfAnEarlierOne(t *testing.T) {
	onEveryServer(t, testenv.SkipUnderRace, func(t *testing.T, n *natsnode.Node) {
		f := openFenced(t, n)
		if _, err := n.Publish(t.Context(), &nats.Msg{Subject: "log"}); err != nil {
			t.Fatal(err)
		}
		other, _ := f.raise(t.Context(), "other")
		first, fence := f.raise(t.Context(), "role")
		for i, w := range writes {
			if err := w.run(first, f, i); err != nil {
				t.Errorf("%s under the first fence: %v", w.name, err)
			}
		}
		second, _ := f.raise(t.Context(), "role")
		for i, w := range writes {
			logged, kept := f.messages("LOG"), f.messages("KV_b")
			if err := w.run(first, f, 100+i); !errors.Is(err, kv.ErrFenced) {
				t.Errorf("%s under the first fence after the second was raised: got %v, want ErrFenced", w.name, err)
			}
			if got := f.messages("LOG"); len(got) != len(logged) {
				t.Errorf("%s: the log has %q, want %q", w.name, got, logged)
			}
			if got := f.messages("KV_b"); len(got) != len(kept) && w.name != "delete" && w.name != "purge" { // they create a key without the fence
				t.Errorf("%s: the bucket has %q, want %q", w.name, got, kept)
			}
		}
		select {
		case <-fence.Lost():
		default:
			t.Error("the first fence does not know that it is lost")
		}
		for i, w := range writes {
			if err := w.run(second, f, 200+i); err != nil {
				t.Errorf("%s under the second fence: %v", w.name, err)
			}
			if err := w.run(other, f, 300+i); err != nil {
				t.Errorf("%s under the fence of another role: %v", w.name, err)
			}
		}
	})
}

func TestAConflictUnderAFenceIsAConflict(t *testing.T) {
	onEveryServer(t, testenv.SkipUnderRace, func(t *testing.T, n *natsnode.Node) {
		f := openFenced(t, n)
		ctx, fence := f.raise(t.Context(), "role")
		rev, err := f.bucket.Put(ctx, "a", []byte("1"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.bucket.Put(ctx, "a", []byte("2"), 0); !errors.Is(err, kv.ErrConflict) {
			t.Errorf("Put of a key that exists: got %v, want ErrConflict", err)
		}
		if err := f.bucket.Delete(ctx, "a", rev-1); !errors.Is(err, kv.ErrConflict) {
			t.Errorf("Delete of another revision: got %v, want ErrConflict", err)
		}
		m := &nats.Msg{Subject: "log"}
		natsnode.ExpectLast(m, 7)
		if _, err := n.PublishBatch(ctx, []*nats.Msg{m, {Subject: "log"}}); !errors.Is(err, natsnode.ErrConflict) {
			t.Errorf("a batch that expects another message: got %v, want ErrConflict", err)
		}
		if got := f.messages("LOG"); got != nil {
			t.Errorf("the log has %q, want nothing", got)
		}
		select {
		case <-fence.Lost():
			t.Error("the fence takes a conflict for its loss")
		default:
		}
	})
}

// Writes under several fences need all of them: a rule across records runs within a role.
func TestWritesUnderTwoFencesNeedBoth(t *testing.T) {
	onEveryServer(t, testenv.SkipUnderRace, func(t *testing.T, n *natsnode.Node) {
		for _, lost := range []string{"outer", "inner"} {
			f := openFenced(t, n)
			if _, err := n.Publish(t.Context(), &nats.Msg{Subject: "log"}); err != nil {
				t.Fatal(err)
			}
			outer, _ := f.raise(t.Context(), "outer")
			both, _ := f.raise(outer, "inner")
			for i, w := range writes {
				if err := w.run(both, f, i); err != nil {
					t.Errorf("%s under both: %v", w.name, err)
				}
			}
			f.raise(t.Context(), lost)
			for i, w := range writes {
				if err := w.run(both, f, 100+i); !errors.Is(err, kv.ErrFenced) {
					t.Errorf("%s after %s was lost: got %v, want ErrFenced", w.name, lost, err)
				}
			}
			for _, stream := range []string{"KV_b", "LOG"} {
				if err := n.JetStream().DeleteStream(t.Context(), stream); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestFencesAreNotKeys(t *testing.T) {
	f := openFenced(t, embedded(t))
	ctx, _ := f.raise(t.Context(), "role")
	a, err := f.bucket.Put(ctx, "a", []byte("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := f.bucket.Keys(t.Context(), ">")
	if err != nil || len(keys) != 1 || keys[0] != "a" {
		t.Errorf("got keys %q, %v, want a", keys, err)
	}
	watching, stop := context.WithCancel(t.Context())
	var got []string
	err = f.bucket.Watch(watching, func(e kv.Entry) {
		got = append(got, fmt.Sprintf("%s=%s@%d", e.Key, e.Value, e.Revision))
		if e.Revision > a+1 {
			if e.Value != nil {
				t.Errorf("the watch reports a fence as %+v, want a deletion", e)
			}
			stop()
		}
	}, func(uint64) {
		got = append(got, "ready")
		f.raise(t.Context(), "role")
	})
	want := []string{fmt.Sprintf("a=1@%d", a), "ready", fmt.Sprintf("fence.role=@%d", a+2)}
	if !errors.Is(err, context.Canceled) || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the watch reports %q and ends with %v, want %q", got, err, want)
	}
}

func TestAStreamWithoutFencesIsAnError(t *testing.T) {
	n, err := natsnode.Open(t.Context(), natsnode.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	openFenced(t, n)
	if _, err := n.RaiseFence(t.Context(), "role", "LOG"); err == nil || !strings.Contains(err.Error(), "no fences") {
		t.Errorf("got %v, want an error", err)
	}
}
