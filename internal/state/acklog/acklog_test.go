package acklog_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"earshot/internal/state/acklog"
)

// fill creates a log with every kind of record and returns its size after each call.
func fill(t *testing.T, dir string) (sizes []int64) {
	t.Helper()
	l, err := acklog.Create(dir, acklog.NewState("0123"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	age := acklog.Properties{MaxAge: time.Hour}
	for i, err := range []func() error{
		func() error { return l.Describe("KV", acklog.Properties{OnePerName: true}, []byte(`{"name":"KV"}`)) },
		func() error { return l.Describe("AGE", age, nil) },
		func() error { return l.Acknowledged("KV", 3, m("a"), m("b"), m("a")) },
		func() error { return l.Acknowledged("KV", 4, acklog.Message{Subject: "b", Deletion: true}) },
		func() error { return l.Acknowledged("AGE", 7, m("x")) },
		func() error { return l.Acknowledged("AGE", 8, acklog.Message{Subject: "y", Lifetime: time.Minute}) },
		func() error { return l.Purging("KV", "b", acklog.All) },
		func() error { return l.Purged("KV", "b", acklog.All) },
		func() error { return l.Acknowledged("JOURNAL", 10, m("j")) },
		func() error { return l.Purging("JOURNAL", "", 6) },
		func() error { return l.Hole("JOURNAL", acklog.Range{First: 8, Last: 9}) },
	} {
		if err := err(); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		info, err := os.Stat(filepath.Join(dir, acklog.FileName))
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	return sizes
}

func m(subject string) acklog.Message { return acklog.Message{Subject: subject} }

func TestStateSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	s := read(t, dir)
	kv, age, j := s.Streams["KV"], s.Streams["AGE"], s.Streams["JOURNAL"]
	if s.Installation != "0123" || len(s.Streams) != 3 {
		t.Fatalf("got %+v", s)
	}
	if kv.Last != 4 || !kv.OnePerName || kv.Config != `{"name":"KV"}` || len(kv.Subjects) != 1 || kv.Subjects["a"].Sequence != 3 || kv.Purged["b"] != 4 {
		t.Errorf("KV: got %+v", kv)
	}
	if age.MaxAge != time.Hour || age.Subjects["x"].Sequence != 7 || len(age.Marks) != 1 {
		t.Errorf("AGE: got %+v", age)
	}
	if lives := age.Subjects["x"].Time - age.Subjects["y"].Time; lives < 58*60 || lives > 60*60 {
		t.Errorf("a message with a lifetime of a minute expires %d seconds earlier than one with an hour, want about 59 minutes", lives)
	}
	if j.Last != 10 || j.Floor != 6 || j.Subjects["j"].Sequence != 10 || len(j.Holes) != 1 {
		t.Errorf("JOURNAL: got %+v", j)
	}
	again, err := acklog.Create(dir, s) // rewrites the file
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	if got := read(t, dir); !reflect.DeepEqual(got, s) {
		t.Errorf("rewritten: got %+v, want %+v", got, s)
	}
}

func read(t *testing.T, dir string) *acklog.State {
	t.Helper()
	s, err := acklog.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDamageInTheLog truncates the log at every length and flips every bit. A truncated log is
// readable up to its last complete record, because a crash may leave one. Flipped bits are damage,
// except in the last record.
func TestDamageInTheLog(t *testing.T) {
	dir := t.TempDir()
	sizes := fill(t, dir)
	path := filepath.Join(dir, acklog.FileName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lastRecord := int(sizes[len(sizes)-2])
	try := func(data []byte) error {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := acklog.Read(dir)
		return err
	}
	for length := range whole {
		if err := try(whole[:length]); err != nil && length > 30 {
			t.Errorf("truncated to %d bytes: %v", length, err)
		}
	}
	for bit := range 8 * len(whole) {
		data := append([]byte{}, whole...)
		data[bit/8] ^= 1 << (bit % 8)
		if err := try(data); errors.Is(err, acklog.ErrDamaged) != (bit/8 < lastRecord) {
			t.Errorf("bit %d of byte %d: got %v", bit%8, bit/8, err)
		}
	}
	if err := try(nil); !errors.Is(err, acklog.ErrDamaged) {
		t.Errorf("an empty log: got %v, want ErrDamaged", err)
	}
	os.Remove(path)
	if _, err := acklog.Read(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no log: got %v, want fs.ErrNotExist", err)
	}
}

func TestALogIsRewrittenWhenItHasGrown(t *testing.T) {
	dir := t.TempDir()
	l, err := acklog.Create(dir, acklog.NewState(""))
	if err != nil {
		t.Fatal(err)
	}
	const writes = 60_000
	for i := range uint64(writes) {
		if err := l.Acknowledged("KV", i+1, m(fmt.Sprintf("key-%d", i%10))); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, acklog.FileName))
	if err != nil || info.Size() > 1<<20 {
		t.Errorf("got %d bytes, %v, want less than 1 MB", info.Size(), err)
	}
	if kv := read(t, dir).Streams["KV"]; kv.Last != writes || len(kv.Subjects) != 10 || kv.Subjects["key-9"].Sequence != writes {
		t.Errorf("got %+v", kv)
	}
}

func TestMayBeExpired(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	s := acklog.NewStream(acklog.Properties{MaxAge: time.Hour})
	for i := range uint64(20) { // one message every two minutes
		s.Add("x", acklog.Message{}, i+1, start.Add(time.Duration(i)*2*time.Minute))
	}
	for _, c := range []struct {
		after time.Duration
		want  uint64
	}{
		{30 * time.Minute, 0},
		{time.Hour, 3}, // the second mark is six minutes after the first
		{time.Hour + 5*time.Minute, 3},
		{time.Hour + 6*time.Minute, 6},
		{2 * time.Hour, 20},
	} {
		if got := s.MayBeExpired(start.Add(c.after)); got != c.want {
			t.Errorf("after %v: got %d, want %d", c.after, got, c.want)
		}
	}
}

func BenchmarkAcknowledged(b *testing.B) {
	l, err := acklog.Create(b.TempDir(), acklog.NewState(""))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	var seq uint64
	for b.Loop() {
		seq++
		if err := l.Acknowledged("JOURNAL", seq, m("journal")); err != nil {
			b.Fatal(err)
		}
	}
}
