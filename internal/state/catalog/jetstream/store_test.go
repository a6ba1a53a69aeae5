package jetstream_test

import (
	"fmt"
	"testing"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/catalog"
	"earshot/internal/state/catalog/catalogtest"
	"earshot/internal/state/catalog/jetstream"
	"earshot/internal/state/natsnode"
)

var errNoBucket = natsjs.ErrBucketNotFound

func TestStore(t *testing.T) {
	catalogtest.Run(t, func(t *testing.T) catalog.Store {
		_, s := open(t, t.TempDir())
		return s
	})
}

func TestRecordsSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	node, s := open(t, dir)
	var revisions []uint64
	for i := range 10 {
		rev, err := s.Put(t.Context(), fmt.Sprintf("k.%d", i), fmt.Appendf(nil, "v%d", i), 0)
		if err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, rev)
	}
	if err := s.Delete(t.Context(), "k.0", revisions[0]); err != nil {
		t.Fatal(err)
	}
	node.Close()

	_, s = open(t, dir)
	if _, err := s.Get(t.Context(), "k.0"); err != catalog.ErrNotFound {
		t.Errorf("k.0: got %v, want ErrNotFound", err)
	}
	for i := 1; i < 10; i++ {
		r, err := s.Get(t.Context(), fmt.Sprintf("k.%d", i))
		if want := fmt.Sprintf("v%d", i); err != nil || string(r.Value) != want || r.Revision != revisions[i] {
			t.Errorf("k.%d: got %s@%d, %v, want %s@%d", i, r.Value, r.Revision, err, want, revisions[i])
		}
	}
	if rev, err := s.Put(t.Context(), "k.0", nil, 0); err != nil || rev != revisions[9]+2 {
		t.Errorf("create after restart: got revision %d, %v, want %d", rev, err, revisions[9]+2)
	}
}

func BenchmarkPut(b *testing.B) {
	_, s := open(b, b.TempDir())
	value := make([]byte, 1000)
	var revision uint64
	for b.Loop() {
		var err error
		if revision, err = s.Put(b.Context(), "k", value, revision); err != nil {
			b.Fatal(err)
		}
	}
}

// open opens a store that is closed with the test.
func open(t testing.TB, dir string) (*natsnode.Node, *jetstream.Store) {
	t.Helper()
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	s, err := jetstream.Open(t.Context(), node)
	if err != nil {
		t.Fatal(err)
	}
	return node, s
}
