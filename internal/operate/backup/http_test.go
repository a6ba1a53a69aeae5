package backup_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"earshot"
	"earshot/internal/http/client"
	"earshot/internal/http/manage"
	"earshot/internal/http/rest"
	"earshot/internal/operate/backup"
	"earshot/internal/state/journal"
)

// serve serves the management API. The tokens are admin and user.
func serve(t *testing.T, w *world) *client.Client {
	t.Helper()
	management := &manage.API{Backup: w.Write, Now: func() time.Time { return noon }}
	handler := rest.New(rest.Options{Authenticate: func(_ context.Context, token string) (*earshot.Caller, error) {
		u := &earshot.User{ID: 1, Username: token, APIAccess: true}
		if token == "admin" {
			u.Permissions = []earshot.Permission{earshot.AdminPermission}
		}
		return earshot.NewCaller(u), nil
	}}, management.Routes())
	server := httptest.NewUnstartedServer(handler)
	server.Config = rest.Server("", handler)
	server.Start()
	t.Cleanup(server.Close)
	return &client.Client{Server: server.URL, Token: "admin", HTTP: server.Client()}
}

var backupRequest = client.Request{Method: "POST", Path: "/manage/v1/backup"}

func TestABackupOverHTTP(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, open)
			w.post(t, "0")
			w.posts.reach(t)
			w.post(t, "1")
			w.put(t, "user.1", "ann")
			body, err := serve(t, w).Download(t.Context(), backupRequest)
			if err != nil {
				t.Fatal(err)
			}
			defer body.Close()
			dir := filepath.Join(t.TempDir(), "backup")
			if _, err := backup.Unpack(body, dir); err != nil {
				t.Fatal(err)
			}
			if got := restore(t, dir, open); len(got.posts) != 2 || got.records["user.1"] != "ann" || got.last != 2 {
				t.Errorf("got %+v, want 2 posts and ann", got)
			}
		})
	}
}

func TestBackupsRequireAnAdministrator(t *testing.T) {
	c := serve(t, newWorld(t, engines["memory"]))
	c.Token = "user"
	var refused *client.Error
	if _, err := c.Download(t.Context(), backupRequest); !errors.As(err, &refused) || refused.Status != 403 {
		t.Errorf("got %v, want status 403", err)
	}
}

func TestABackupThatCannotStartIsAnError(t *testing.T) {
	w := newWorld(t, engines["memory"])
	w.posts.fails = errors.New("broken")
	var refused *client.Error
	_, err := serve(t, w).Download(t.Context(), backupRequest)
	if !errors.As(err, &refused) || refused.Status != 500 || refused.Message != "The backup failed: copy the post store: broken" {
		t.Errorf("got %v, want status 500 with the reason", err)
	}
}

func TestTheClientLearnsWhyABackupFails(t *testing.T) {
	f := func(name, want string, damage func(w *world)) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, engines["memory"])
			w.post(t, "0")
			w.posts.reach(t)
			w.put(t, "user.1", "ann")
			damage(w)
			body, err := serve(t, w).Download(t.Context(), backupRequest)
			if err != nil {
				t.Fatal(err)
			}
			defer body.Close()
			dir := filepath.Join(t.TempDir(), "backup")
			if _, err := backup.Unpack(body, dir); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the directory exists: %v", err)
			}
		})
	}
	f("damaged posts", "the backup failed: segment a4 is damaged", func(w *world) {
		w.VerifyPosts = func(_ context.Context, dir string) error {
			if _, err := os.Stat(dir); err != nil {
				return err
			}
			return errors.New("segment a4 is damaged")
		}
	})
	f("damaged files of NATS", "the backup failed: block 7 is damaged", func(w *world) {
		w.VerifyState = func(context.Context) error { return errors.New("block 7 is damaged") }
	})
	f("an unreadable journal entry", "the backup failed: broken", func(w *world) {
		w.Journal = unreadableJournal{w.Journal}
	})
}

// unreadableJournal has an entry that cannot be read.
type unreadableJournal struct{ journal.Archive }

func (unreadableJournal) Entries(context.Context, earshot.Position) iter.Seq2[journal.StoredEntry, error] {
	return func(yield func(journal.StoredEntry, error) bool) {
		yield(journal.StoredEntry{}, errors.New("broken"))
	}
}

func TestAnInterruptedBackupIsRejected(t *testing.T) {
	w := newWorld(t, engines["memory"])
	for i := range 40 {
		posts := []earshot.Post{{Source: earshot.News, GUID: "x", Contents: noise(i, 1<<20)}}
		if _, err := w.journal.Append(t.Context(), journal.Entry{Posts: posts}); err != nil {
			t.Fatal(err)
		}
	}
	w.Journal = brokenJournal{w.Journal}
	body, err := serve(t, w).Download(t.Context(), backupRequest)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	dir := filepath.Join(t.TempDir(), "backup")
	if _, err := backup.Unpack(body, dir); err == nil || err.Error() != "the backup failed: broken" {
		t.Errorf("got %v, want the reason", err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory exists: %v", err)
	}
}

// brokenJournal fails after some entries, when part of the backup has been sent.
type brokenJournal struct{ journal.Archive }

func (j brokenJournal) Entries(ctx context.Context, upTo earshot.Position) iter.Seq2[journal.StoredEntry, error] {
	return func(yield func(journal.StoredEntry, error) bool) {
		for e, err := range j.Archive.Entries(ctx, upTo) {
			if e.Position == 30 {
				err = errors.New("broken")
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func TestADisconnectedClientEndsTheBackup(t *testing.T) {
	w := newWorld(t, engines["memory"])
	w.post(t, "0")
	ctx, cancel := context.WithCancel(t.Context())
	err := w.Write(ctx, writerFunc(func(p []byte) (int, error) {
		cancel() // as package rest does
		return len(p), nil
	}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if err := w.Write(t.Context(), io.Discard); err != nil {
		t.Errorf("the next one: %v", err)
	}
}
