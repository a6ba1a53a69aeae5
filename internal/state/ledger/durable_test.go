package ledger

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/state/natsnode"
)

func TestALedgerSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	node, b := openBucket(t, dir)
	l := New(b)
	want := fullAnalysis()
	rev, err := l.Put(t.Context(), want, 0)
	if err != nil {
		t.Fatal(err)
	}
	for id := range earshot.ResultID(4) {
		if err := errors.Join(l.AddPending(t.Context(), id), l.AddPending(t.Context(), id+10), l.RemovePending(t.Context(), id)); err != nil {
			t.Fatal(err)
		}
	}
	node.Close()

	_, b = openBucket(t, dir)
	l = New(b)
	if got, at, err := l.Find(t.Context(), want.ID); err != nil || at != rev || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v at %d, %v, want %+v at %d", got, at, err, want, rev)
	}
	if got, err := l.ListPending(t.Context()); err != nil || !slices.Equal(got, []earshot.ResultID{10, 11, 12, 13}) {
		t.Errorf("got %v, %v, want 10 to 13", got, err)
	}
	if _, err := l.Put(t.Context(), want, rev); err != nil {
		t.Errorf("a write at the earlier revision: %v", err)
	}
}

func TestRemovedPendingIDsLeaveNoTombstone(t *testing.T) {
	node, b := openBucket(t, t.TempDir())
	l := New(b)
	for id := range earshot.ResultID(20) {
		if err := errors.Join(l.AddPending(t.Context(), id), l.RemovePending(t.Context(), id)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := node.JetStream().Stream(t.Context(), "KV_ledger")
	if err != nil {
		t.Fatal(err)
	}
	info := s.CachedInfo()
	if info.State.Msgs != 0 || info.Config.MaxAge != Retention || info.Config.AllowDirect {
		t.Errorf("got %d messages, age %v, direct %v, want none, %v, false", info.State.Msgs, info.Config.MaxAge, info.Config.AllowDirect, Retention)
	}
}

func TestForeignKeysAreSkipped(t *testing.T) {
	_, b := openBucket(t, t.TempDir())
	l := New(b)
	if _, err := b.Set(t.Context(), "open.sesame", nil); err != nil {
		t.Fatal(err)
	}
	if err := l.AddPending(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	if got, err := l.ListPending(t.Context()); err != nil || !slices.Equal(got, []earshot.ResultID{7}) {
		t.Errorf("got %v, %v, want 7", got, err)
	}
}

// An analysis without a user key was written before there were lists. A user key without an
// analysis is left if a process ends between the two writes.
func TestAnalysisWithoutAUserKeyIsNotListed(t *testing.T) {
	_, b := openBucket(t, t.TempDir())
	l := New(b)
	for key, value := range map[string]string{"result.7": `{"ID":7,"User":5}`, "user.5.8": "", "user.5.x": ""} {
		if _, err := b.Set(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Put(t.Context(), &Analysis{ID: 6, User: 5}, 0); err != nil {
		t.Fatal(err)
	}
	if got, err := l.List(t.Context(), 5, 0, 1); err != nil || len(got) != 1 || got[0].ID != 6 {
		t.Errorf("got %+v, %v, want 6", got, err)
	}
}

func TestATooLargeAnalysisIsNamed(t *testing.T) {
	_, b := openBucket(t, t.TempDir())
	l := New(b)
	r := &Analysis{ID: 7}
	r.Request.Echo = make([]byte, natsnode.MaxPayload)
	value, err := encode(r)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Put(t.Context(), r, 0)
	want := fmt.Sprintf("bucket ledger: result.7 has %d bytes, but the NATS server accepts at most 8388608 (max_payload): nats: maximum payload exceeded", len(value))
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func BenchmarkPut(b *testing.B) {
	_, bucket := openBucket(b, b.TempDir())
	l := New(bucket)
	r := fullAnalysis()
	var revision uint64
	for b.Loop() {
		var err error
		if revision, err = l.Put(b.Context(), r, revision); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenClose adds and removes a pending ID among many records.
func BenchmarkOpenClose(b *testing.B) {
	_, bucket := openBucket(b, b.TempDir())
	l := New(bucket)
	r := fullAnalysis()
	r.Request.Echo = make([]byte, 10<<10)
	for r.ID = range 2000 {
		if _, err := l.Put(b.Context(), r, 0); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if err := errors.Join(l.AddPending(b.Context(), 1), l.RemovePending(b.Context(), 1)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpened lists a few pending IDs among many records.
func BenchmarkOpened(b *testing.B) {
	_, bucket := openBucket(b, b.TempDir())
	l := New(bucket)
	for id := range earshot.ResultID(2000) {
		if _, err := l.Put(b.Context(), &Analysis{ID: id}, 0); err != nil {
			b.Fatal(err)
		}
	}
	for id := range earshot.ResultID(10) {
		if err := l.AddPending(b.Context(), id); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if ids, err := l.ListPending(b.Context()); err != nil || len(ids) != 10 {
			b.Fatal(ids, err)
		}
	}
}

// BenchmarkList lists one page of a user among many records of other users.
func BenchmarkList(b *testing.B) {
	_, bucket := openBucket(b, b.TempDir())
	l := New(bucket)
	r := fullAnalysis()
	for r.ID = range 2000 {
		r.User = earshot.UserID(r.ID % 20)
		if _, err := l.Put(b.Context(), r, 0); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if list, err := l.List(b.Context(), 7, 1000, 20); err != nil || len(list) != 20 {
			b.Fatal(len(list), err)
		}
	}
}

// openBucket opens the bucket of a ledger and closes it at the end of the test.
func openBucket(t testing.TB, dir string) (*natsnode.Node, *natsnode.Bucket) {
	t.Helper()
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	b, err := natsnode.OpenBucket(t.Context(), node, natsnode.BucketOptions{Name: BucketName, MaxAge: Retention})
	if err != nil {
		t.Fatal(err)
	}
	return node, b
}
