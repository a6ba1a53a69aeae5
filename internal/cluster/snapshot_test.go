package cluster

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// testFiles are the files of a small post store. One needs several parts.
var testFiles = map[string][]byte{
	"witness":                       []byte("w"),
	"state/000001.sst":              bytes.Repeat([]byte("0123456789abcdef"), chunkSize/16*2+3),
	"state/empty":                   {},
	"segments/00000000000000a4.seg": bytes.Repeat([]byte("x"), chunkSize),
}

func newSnapshotServer(t *testing.T) *SnapshotServer {
	t.Helper()
	s := &SnapshotServer{
		Dir: filepath.Join(t.TempDir(), "snapshots"), Log: slog.New(slog.DiscardHandler),
		Checkpoint: func(_ context.Context, dir string, m *Manifest) error {
			m.Installation, m.Position, m.Catalog = "i", 812, 93
			for name, data := range testFiles {
				path := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	return s
}

// count returns the number of snapshots on disk.
func (s *SnapshotServer) count(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir(s.Dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return len(names)
}

func checkFetched(t *testing.T, dir string, m Manifest, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if m.Installation != "i" || m.Position != 812 || m.Catalog != 93 || len(m.Files) != len(testFiles) {
		t.Errorf("got manifest %+v", m)
	}
	for name, want := range testFiles {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %d bytes, %v, want %d bytes", name, len(got), err, len(want))
		}
	}
}

func TestFetch(t *testing.T) {
	s := newSnapshotServer(t)
	var last, total atomic.Int64
	c := &SnapshotClient{Node: "b", Request: s.Serve, Progress: func(done, all int64) {
		last.Store(max(last.Load(), done))
		total.Store(all)
	}}
	dir := filepath.Join(t.TempDir(), "copy")
	m, err := c.Fetch(t.Context(), dir)
	checkFetched(t, dir, m, err)
	if last.Load() != m.Size() || total.Load() != m.Size() {
		t.Errorf("progress ended at %d of %d, want %d", last.Load(), total.Load(), m.Size())
	}
	if n := s.count(t); n != 0 {
		t.Errorf("%d snapshots are left", n)
	}
}

func TestFetchRepeatsFailedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSnapshotServer(t)
		rng := rand.New(rand.NewPCG(1, 2))
		lock := make(chan struct{}, 1)
		c := &SnapshotClient{Node: "b", Request: func(ctx context.Context, request []byte) ([]byte, error) {
			lock <- struct{}{}
			luck := rng.IntN(4)
			<-lock
			response, err := s.Serve(ctx, request)
			switch {
			case luck == 0:
				return nil, errors.New("no response")
			case luck == 1 && err == nil && len(response) > 4 && !bytes.HasPrefix(response, []byte("{")):
				response[4]++ // damaged in transit
			}
			return response, err
		}}
		dir := filepath.Join(t.TempDir(), "copy")
		m, err := c.Fetch(t.Context(), dir)
		checkFetched(t, dir, m, err)
		s.removeUnused(0) // the response to close may have been lost
	})
}

func TestFetchFailsIfTheOtherNodeStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSnapshotServer(t)
		var requests atomic.Int64
		c := &SnapshotClient{Node: "b", Request: func(ctx context.Context, request []byte) ([]byte, error) {
			if requests.Add(1) > 4 {
				return nil, errors.New("no process serves this subject")
			}
			return s.Serve(ctx, request)
		}}
		began := time.Now()
		_, err := c.Fetch(t.Context(), filepath.Join(t.TempDir(), "copy"))
		if err == nil || !strings.Contains(err.Error(), "no process serves this subject") || time.Since(began) > 2*time.Minute {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
		s.removeUnused(0)
	})
}

func TestSnapshotsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSnapshotServer(t)
		ctx, stop := context.WithCancel(t.Context())
		go s.Run(ctx)
		c := &SnapshotClient{Node: "b", Request: s.Serve}
		open := func() string {
			t.Helper()
			text, err := c.request(t.Context(), snapshotRequest{Op: "open"}, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			id, _, _ := strings.Cut(strings.TrimPrefix(string(text), `{"ID":"`), `"`)
			return id
		}
		first := open()
		second := open() // replaces the first
		if n := s.count(t); n != 1 {
			t.Errorf("one node has %d snapshots, want 1", n)
		}
		if _, err := c.read(t.Context(), first, "witness", 0); err == nil || err.Error() != errNoSnapshot.Error() {
			t.Errorf("reading the first snapshot: got %v", err)
		}
		for range 10 { // reading keeps it
			time.Sleep(snapshotExpiry / 2)
			if got, err := c.read(t.Context(), second, "witness", 0); err != nil || string(got) != "w" {
				t.Fatalf("got %q, %v", got, err)
			}
		}
		time.Sleep(snapshotExpiry * 5 / 4)
		synctest.Wait()
		if n := s.count(t); n != 0 {
			t.Errorf("%d snapshots are left after they have expired", n)
		}
		open()
		stop()
		synctest.Wait()
		if n := s.count(t); n != 0 {
			t.Errorf("%d snapshots are left after the node has stopped", n)
		}
	})
}

func TestSnapshotsContainOnlyTheirFiles(t *testing.T) {
	s := newSnapshotServer(t)
	var opened snapshotOpened
	text, err := s.Serve(t.Context(), snapshotRequest{Op: "open", Node: "b"}.encode())
	if err != nil {
		t.Fatal(err)
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(string(text), `{"ID":"`), `"`)
	opened.ID = id
	secret := filepath.Join(s.Dir, "secret.key")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range []snapshotRequest{
		{File: "../secret.key"}, {File: secret}, {File: "state"}, {File: ""}, {File: "witness", Offset: -1}, {File: "witness", Offset: 2},
		{File: manifestName, Offset: 1 << 40}, {File: manifestName, Offset: -1},
	} {
		r.Op, r.Node, r.ID = "read", "b", opened.ID
		if got, err := s.Serve(t.Context(), r.encode()); err == nil {
			t.Errorf("%+v: got %q, want an error", r, got)
		}
	}
	for _, request := range []string{"", "{", `{"Op":"remove"}`, `{"Op":"read","Node":"c","ID":"` + id + `","File":"witness"}`} {
		if got, err := s.Serve(t.Context(), []byte(request)); err == nil {
			t.Errorf("%s: got %q, want an error", request, got)
		}
	}
	s.removeUnused(0)
}

func TestHostileManifest(t *testing.T) {
	f := func(manifest string) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "copy")
		c := &SnapshotClient{Request: func(_ context.Context, request []byte) ([]byte, error) {
			if bytes.Contains(request, []byte(`"open"`)) {
				return []byte(`{"ID":"x","Manifest":1}`), nil
			}
			return sealChunk([]byte(manifest)), nil
		}}
		if _, err := c.Fetch(t.Context(), dir); err == nil {
			t.Errorf("%s is accepted", manifest)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: files were created", manifest)
		}
	}
	f(`{"Files":[{"Name":"../x","Size":1}]}`)
	f(`{"Files":[{"Name":"/etc/x","Size":1}]}`)
	f(`{"Files":[{"Name":"","Size":1}]}`)
	f(`{"Files":[{"Name":"x","Size":-1}]}`)
	f(`{`)
}
