package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/operate/backup"
	feed "earshot/internal/state/feed/memory"
	"earshot/internal/state/journal"
	journalmemory "earshot/internal/state/journal/memory"
	"earshot/internal/state/kv"
	"earshot/internal/state/ledger"
)

// packedBackup returns the backup of a server with two posts and a user.
func packedBackup(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.key")
	if err := os.WriteFile(secret, bytes.Repeat([]byte("k"), 32), 0o600); err != nil {
		t.Fatal(err)
	}
	entries, records := journalmemory.New(), kv.NewMemory()
	for _, guid := range []string{"1", "2"} {
		if _, err := entries.Append(t.Context(), journal.Entry{Posts: []earshot.Post{{Source: earshot.Blogs, GUID: guid}}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := records.Put(t.Context(), "user.1", []byte(`{"ID":1}`), 0); err != nil {
		t.Fatal(err)
	}
	s := &backup.Service{Journal: entries, Catalog: records, Streams: feed.New(), Results: ledger.New(kv.NewMemory()), Freeze: &backup.Freeze{}, Secret: secret, Dir: dir, Version: "test",
		Now: func() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) }}
	var b strings.Builder
	if err := s.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestBackupAndRestore(t *testing.T) {
	s := newServer(t, response{status: 200, body: packedBackup(t)})
	dir, data := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "data")

	got := world{}.run(t.Context(), s.URL, "backup", dir, "--token", "secret")
	want := fmt.Sprintf(`directory  %s
files      4
bytes      %d
position   0
journal    2
time       2026-03-10T12:00:00Z
version    test
`, dir, sizeOf(t, dir))
	if got.code != 0 || got.out != want || got.err != "" {
		t.Errorf("backup: got %d\n%s%s\nwant\n%s", got.code, got.out, got.err, want)
	}
	if len(s.requests) != 1 || s.requests[0] != "POST /manage/v1/backup" || s.tokens[0] != "Bearer secret" {
		t.Errorf("requests are %v with %v", s.requests, s.tokens)
	}

	got = world{}.run(t.Context(), "http://nobody.invalid", "restore", dir, "--data", data)
	if want := strings.Replace(want, dir, data, 1); got.code != 0 || got.out != want || got.err != "" {
		t.Errorf("restore: got %d\n%s%s\nwant\n%s", got.code, got.out, got.err, want)
	}
	for _, name := range []string{"secret.key", "nats/jetstream/$G/streams/JOURNAL", "nats/jetstream/$G/streams/KV_catalog"} {
		if _, err := os.Stat(filepath.Join(data, name)); err != nil {
			t.Error(err)
		}
	}
}

// sizeOf returns the total size of the files in a backup's manifest.
func sizeOf(t *testing.T, dir string) int64 {
	t.Helper()
	b, err := backup.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	return b.Size()
}

func TestFailedBackups(t *testing.T) {
	whole := packedBackup(t)
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	absent := filepath.Join(t.TempDir(), "absent")
	f := func(name string, a response, code int, want string, args ...string) {
		t.Run(name, func(t *testing.T) {
			got := world{}.run(context.Background(), newServer(t, a).URL, args...)
			if got.code != code || !strings.HasPrefix(got.err, "earshot: "+want) {
				t.Errorf("got %d %s, want %d %s", got.code, got.err, code, want)
			}
			if _, err := os.Lstat(absent); err == nil {
				t.Error("the directory exists")
			}
		})
	}
	f("without a directory", response{}, 2, "missing argument DIR", "backup")
	f("a directory that is not empty", response{status: 500}, 1, "the directory "+full+" is not empty", "backup", full)
	f("a caller without permission", response{status: 403, body: `{"message":"Access denied"}`}, 1, "Access denied", "backup", absent)
	f("a truncated stream", response{status: 200, body: whole[:len(whole)/2]}, 1, "the backup is incomplete", "backup", absent)
	f("a response that is not a backup", response{status: 200, body: "<html>hello</html>"}, 1, "the backup is incomplete", "backup", absent)
	f("restore without a directory", response{}, 2, "missing argument DIR", "restore")
	f("restore of a directory that is not a backup", response{}, 1, "restore: "+full+" is not a complete backup", "restore", full, "--data", absent)
	f("restore to an invalid directory", response{}, 2, `invalid argument "" for "--data" flag`, "restore", full, "--data", "")
}
