package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/operate"
	"earshot/internal/operate/backup"
	feedmemory "earshot/internal/state/feed/memory"
	"earshot/internal/state/journal"
	"earshot/internal/stream"
)

// takeBackup requests a backup from the handler and returns its directory.
func takeBackup(t *testing.T, a *App, tok string) string {
	t.Helper()
	r := httptest.NewRequest("POST", "/manage/v1/backup", nil)
	r.Header.Set("Authorization", "Bearer "+tok)
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, r)
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/x-tar" {
		t.Fatalf("got %d %s: %.200s", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	dir := filepath.Join(t.TempDir(), "backup")
	if _, err := backup.Unpack(w.Body, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// restoreBackup restores a backup to a new directory and opens an app on it.
func restoreBackup(t *testing.T, dir string) *App {
	t.Helper()
	cfg := testConfig(t)
	if _, err := operate.Restore(t.Context(), dir, cfg, testOptions(io.Discard).Log); err != nil {
		t.Fatal(err)
	}
	a := open(t, cfg, io.Discard)
	t.Cleanup(a.Close)
	ready(t, a)
	return a
}

func TestBackupDuringUploads(t *testing.T) {
	a := open(t, testConfig(t), io.Discard)
	defer a.Close()
	ready(t, a)
	f := newFixture(t, a)
	tok := token(t, a)
	for i := range 10 {
		f.upload(t, a, fmt.Sprintf("before-%d", i))
	}
	if got := f.volume(t, a); got != "10" {
		t.Fatalf("before the backup: got %s documents, want 10", got)
	}
	var uploaded atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				f.upload(t, a, fmt.Sprintf("meanwhile-%d-%d", w, i))
				uploaded.Add(1)
			}
		})
	}
	first := takeBackup(t, a, tok)
	atLeast := uploaded.Load() // acknowledged before the second backup starts
	second := takeBackup(t, a, tok)
	stop.Store(true)
	wg.Wait()
	all := 10 + uploaded.Load()

	for i, dir := range []string{first, second} {
		b := restoreBackup(t, dir)
		if got := b.Accounts.ListUsers(); len(got) != 1 || got[0].Username != "admin" {
			t.Errorf("users: got %+v, want admin", got)
		}
		var documents int64
		fmt.Sscan(f.volume(t, b), &documents)
		least := []int64{10, 10 + atLeast}[i]
		if documents < least || documents > all {
			t.Errorf("backup %d: got %d documents, want %d to %d", i, documents, least, all)
		}
		if code, body := get(t, b, "/api/monitor/list?auth="+tok); code != 200 {
			t.Errorf("a permanent token: got %d %s, want 200", code, body)
		}
		// The journal continues after its last entry.
		f.upload(t, b, "after")
		if got, want := f.volume(t, b), fmt.Sprint(documents+1); got != want {
			t.Errorf("after one more upload: got %s documents, want %s", got, want)
		}
	}
}

func TestABackupOfATrimmedJournal(t *testing.T) {
	a := open(t, testConfig(t), io.Discard)
	defer a.Close()
	ready(t, a)
	f := newFixture(t, a)
	for i := range 5 {
		f.upload(t, a, fmt.Sprint(i))
	}
	if got := f.volume(t, a); got != "5" {
		t.Fatalf("got %s documents, want 5", got)
	}
	if err := a.files.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Journal.Trim(t.Context(), a.posts.Durable(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	b := restoreBackup(t, takeBackup(t, a, token(t, a)))
	f.upload(t, b, "5")
	if got := f.volume(t, b); got != "6" {
		t.Errorf("got %s documents, want 6", got)
	}
}

func TestAnUnfinishedRestoreIsRejected(t *testing.T) {
	a := open(t, testConfig(t), io.Discard)
	defer a.Close()
	ready(t, a)
	dir := takeBackup(t, a, token(t, a))
	cfg := testConfig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := operate.Restore(ctx, dir, cfg, testOptions(io.Discard).Log); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want %v", err, context.Canceled)
	}
	if left, err := os.ReadDir(cfg.Data); err != nil || len(left) > 0 {
		t.Errorf("a restore that did not start left %v, %v", left, err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Data, "restore-unfinished"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), cfg, testOptions(io.Discard)); err == nil || !strings.Contains(err.Error(), "a restore has not finished") {
		t.Errorf("Open: got %v, want an error about an unfinished restore", err)
	}
	if _, err := operate.Restore(t.Context(), dir, cfg, testOptions(io.Discard).Log); err != nil {
		t.Errorf("again: %v", err)
	}
	if _, err := operate.Restore(t.Context(), dir, cfg, testOptions(io.Discard).Log); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("into a directory that is not empty: got %v, want an error", err)
	}
}

func TestLeftoversOfABackupAreRemovedAtStart(t *testing.T) {
	cfg := testConfig(t)
	left := filepath.Join(cfg.Data, ".checkpoint-1", "posts")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	open(t, cfg, io.Discard).Close()
	if _, err := os.Lstat(filepath.Dir(left)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it is gone", err)
	}
}

func TestTheJournalIsTrimmedByAge(t *testing.T) {
	cfg := testConfig(t)
	cfg.RetentionJournal = 0
	a := open(t, cfg, io.Discard)
	defer a.Close()
	ready(t, a)
	newFixture(t, a).upload(t, a, "1")
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.files.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	behind := &stream.Service{Feed: feedmemory.New()}
	if _, err := behind.Position(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for _, tt := range []struct {
		name       string
		days, keep int // days that pass, and the setting in days
		streams    *stream.Service
		want       journal.Span
	}{
		{"younger than that", 6, 7, a.Streams, journal.Span{First: 1, Last: 1}},
		{"kept forever", 8, 0, a.Streams, journal.Span{First: 1, Last: 1}},
		{"not in the streams yet", 8, 7, behind, journal.Span{First: 1, Last: 1}},
		{"older than that", 8, 7, a.Streams, journal.Span{First: 2, Last: 1}},
	} {
		later := a.retention()
		later.Days, later.Streams, later.Now = tt.keep, tt.streams, func() time.Time { return now.AddDate(0, 0, tt.days) }
		if err := later.Trim(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := a.backups.Journal.Span(t.Context()); err != nil || got != tt.want {
			t.Errorf("%s: got %+v, %v, want %+v", tt.name, got, err, tt.want)
		}
	}
}
