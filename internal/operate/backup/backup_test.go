package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/operate/backup"
	"earshot/internal/state/journal"
	"earshot/internal/state/ledger"
)

func TestBackupAndRestoreRoundTrip(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, open)
			for i := range 10 {
				w.post(t, fmt.Sprint(i))
				if i == 6 {
					w.posts.reach(t)
				}
			}
			w.put(t, "user.1", "ann")
			w.put(t, "team.2", "")
			w.wait(t, 8, "one", "two", "three")
			w.put(t, "monitor.3", strings.Repeat("a long query ", 1000))
			sources := map[string]string{}
			for i := range 30 { // several files
				key := fmt.Sprintf("7.feed.%d", i)
				sources[key] = fmt.Sprint(i) + strings.Repeat("\n", 400<<10)
				if _, err := w.Sources.Put(t.Context(), key, []byte(sources[key]), 0); err != nil {
					t.Fatal(err)
				}
			}
			got := restore(t, unpack(t, w.pack(t)), open)

			if !maps.Equal(got.sources, sources) {
				t.Errorf("got %d records of live sources, want %d, or they changed", len(got.sources), len(sources))
			}
			posts := map[string]int{}
			for i := range 10 {
				posts[fmt.Sprint(i)] = 1
			}
			if !maps.Equal(got.posts, posts) {
				t.Errorf("posts: got %v, want %v", got.posts, posts)
			}
			records := map[string]string{"user.1": "ann", "team.2": "", "monitor.3": strings.Repeat("a long query ", 1000)}
			if !maps.Equal(got.records, records) {
				t.Errorf("catalog: got %.200v, want %.200v", got.records, records)
			}
			if got.secret != secret || got.last != 10 {
				t.Errorf("got secret %q and last position %d, want %q and 10", got.secret, got.last, secret)
			}
			if want := "one/10 two/11 three/12 to 1-3, two/11 three/12 to 1-3, position 8 true"; got.waiting != want {
				t.Errorf("stream: got %s, want %s", got.waiting, want)
			}
			if want := "[9] WAITING"; got.results != want {
				t.Errorf("results: got %s, want %s", got.results, want)
			}
		})
	}
}

// TestABackupWithoutStreamsIsRestored uses a backup in the format of earlier versions.
func TestABackupWithoutStreamsIsRestored(t *testing.T) {
	w := newWorld(t, engines["memory"])
	w.post(t, "a")
	dir := unpack(t, w.pack(t))
	file := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var m backup.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	m.Format = 1
	m.Files = slices.DeleteFunc(m.Files, func(f backup.File) bool { return strings.HasPrefix(f.Name, "streams/") })
	if text, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.RemoveAll(filepath.Join(dir, "streams")), os.WriteFile(file, text, 0o600),
		os.WriteFile(filepath.Join(dir, "manifest.sha256"), fmt.Appendf(nil, "%x  manifest.json\n", sha256.Sum256(text)), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	got := restore(t, dir, engines["memory"])
	if got.posts["a"] != 1 || got.waiting != "to 0-0, to 0-0, position 0 false" || got.results != "[]" {
		t.Errorf("got %+v", got)
	}
}

func TestAnEmptyServiceCanBeRestored(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, open)
			w.Service.Posts = nil // as for a store without files
			got := restore(t, unpack(t, w.pack(t)), open)
			if len(got.posts) != 0 || len(got.records) != 0 || got.last != 0 || got.secret != secret {
				t.Errorf("got %+v, want nothing but the secret", got)
			}
		})
	}
}

func TestATrimmedJournalIsRestored(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, open)
			for i := range 6 {
				w.post(t, fmt.Sprint(i))
			}
			for b, err := range w.journal.Batches(t.Context(), 0) {
				if err != nil {
					t.Fatal(err)
				}
				if err := b.Reject(t.Context(), "bad"); err != nil {
					t.Fatal(err)
				}
				break
			}
			w.posts.reach(t)
			trimmed := unpack(t, w.pack(t)) // the fake store reads its files from the journal
			if err := w.journal.Trim(t.Context(), 6, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			w.Service.Posts = filePosts{w.posts, filepath.Join(trimmed, "posts")}
			got := restore(t, unpack(t, w.pack(t)), open)
			if len(got.posts) != 6 || got.last != 6 {
				t.Errorf("got posts %v and last position %d, want 6 of each", got.posts, got.last)
			}
			if len(got.letters) != 1 || got.letters[0].Position != 1 || got.letters[0].Reason != "bad" {
				t.Errorf("got dead letters %+v, want position 1, bad", got.letters)
			}
		})
	}
}

// filePosts is a store whose checkpoints are copies of a directory.
type filePosts struct {
	*fakePosts
	dir string
}

func (f filePosts) Checkpoint(_ context.Context, dir string) error {
	return os.CopyFS(dir, os.DirFS(f.dir))
}

// Each writer repeatedly creates a user, then a post, then a monitor. Because a backup contains the
// state at one instant, it has no post without its user and no monitor without its post.
func TestABackupContainsTheStateAtOneInstant(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, open)
			const writers = 4
			var written [writers]atomic.Int64 // completed rounds
			var total atomic.Int64
			var stop atomic.Bool
			progress := make(chan struct{}, 1)
			var wg sync.WaitGroup
			for n := range writers {
				wg.Go(func() {
					for i := int64(0); !stop.Load(); i++ {
						id := fmt.Sprintf("%d-%d", n, i)
						w.put(t, "user."+id, id)
						w.post(t, id)
						w.put(t, "monitor."+id, id)
						written[n].Store(i + 1)
						total.Add(1)
						select {
						case progress <- struct{}{}:
						default:
						}
					}
				})
			}
			atLeast := func(rounds int64) {
				for total.Load() < rounds {
					<-progress
				}
			}
			atLeast(20)
			w.posts.reach(t)
			atLeast(40)
			var before [writers]int64
			for n := range written {
				before[n] = written[n].Load()
			}
			var packed bytes.Buffer
			err := w.Write(t.Context(), writerFunc(func(p []byte) (int, error) {
				if packed.Len() == 0 {
					atLeast(total.Load() + 20) // others write during the backup
				}
				return packed.Write(p)
			}))
			stop.Store(true)
			wg.Wait()
			if err != nil {
				t.Fatal(err)
			}
			got := restore(t, unpack(t, packed.Bytes()), open)
			for n := range writers {
				for i := range before[n] {
					if id := fmt.Sprintf("%d-%d", n, i); got.records["monitor."+id] != id {
						t.Errorf("round %s was completed before the backup, but its monitor is missing", id)
					}
				}
			}
			for guid, times := range got.posts {
				if times != 1 {
					t.Errorf("post %s is there %d times", guid, times)
				}
				if got.records["user."+guid] == "" {
					t.Errorf("post %s exists without its user", guid)
				}
			}
			for key := range got.records {
				if id, ok := strings.CutPrefix(key, "monitor."); ok && got.posts[id] != 1 {
					t.Errorf("monitor %s exists without its post", id)
				}
			}
			if len(got.posts) >= int(total.Load()) {
				t.Errorf("nothing was written during the backup: %d posts of %d rounds", len(got.posts), total.Load())
			}
		})
	}
}

func TestTheJournalIsNotTrimmedDuringABackup(t *testing.T) {
	w := newWorld(t, engines["memory"])
	w.post(t, "0")
	later := time.Now().Add(time.Hour)
	err := w.Write(t.Context(), writerFunc(func(p []byte) (int, error) {
		return len(p), w.journal.Trim(t.Context(), 1, later)
	}))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := w.Journal.Span(t.Context()); err != nil || s != (journal.Span{First: 1, Last: 1}) {
		t.Errorf("after the backup: got %+v, %v, want 1 to 1", s, err)
	}
	if err := w.journal.Trim(t.Context(), 1, later); err != nil {
		t.Fatal(err)
	}
	if s, err := w.Journal.Span(t.Context()); err != nil || s != (journal.Span{First: 2, Last: 1}) {
		t.Errorf("after Trim: got %+v, %v, want 2 to 1", s, err)
	}
}

func TestOneBackupAtATime(t *testing.T) {
	w := newWorld(t, engines["memory"])
	var second error
	err := w.Write(t.Context(), writerFunc(func(p []byte) (int, error) {
		if second == nil {
			second = w.Write(t.Context(), io.Discard)
		}
		return len(p), nil
	}))
	if err != nil || !earshot.IsKind(second, earshot.Unavailable) {
		t.Errorf("got %v and %v, want a backup and an Unavailable error", err, second)
	}
	if err := w.Write(t.Context(), io.Discard); err != nil {
		t.Errorf("a second backup after the first: %v", err)
	}
}

func TestAFailedBackupReturnsAnErrorAndLeavesNoFiles(t *testing.T) {
	broken := errors.New("broken")
	f := func(name string, prepare func(w *world), to io.Writer, want string) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, engines["memory"])
			w.post(t, "0")
			prepare(w)
			before := tree(t, w.Dir)
			if err := w.Write(t.Context(), to); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
			if after := tree(t, w.Dir); after != before {
				t.Errorf("the data directory was\n%s and is\n%s", before, after)
			}
		})
	}
	full := writerFunc(func([]byte) (int, error) { return 0, broken })
	f("a disconnected client", func(*world) {}, full, "broken")
	f("a store without a checkpoint", func(w *world) { w.posts.fails = broken }, io.Discard, "copy the post store: broken")
	f("no secret", func(w *world) { w.Secret = filepath.Join(w.Dir, "none") }, io.Discard, "none: no such file")
}

func TestCleanRemovesLeftoversOfACrash(t *testing.T) {
	w := newWorld(t, engines["memory"])
	before := tree(t, w.Dir)
	left := filepath.Join(w.Dir, ".checkpoint-123", "posts")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, "1.seg"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.Clean(); err != nil {
		t.Fatal(err)
	}
	if after := tree(t, w.Dir); after != before {
		t.Errorf("got\n%s want\n%s", after, before)
	}
}

func TestManifest(t *testing.T) {
	w := newWorld(t, engines["memory"])
	for i := range 4 {
		w.post(t, fmt.Sprint(i))
		if i == 1 {
			w.posts.reach(t)
		}
	}
	w.put(t, "user.1", "ann")
	m, err := backup.Unpack(bytes.NewReader(w.pack(t)), filepath.Join(t.TempDir(), "b"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var size int64
	for _, f := range m.Files {
		names = append(names, f.Name)
		size += f.Size
	}
	want := []string{"catalog/000001", "secret.key", "posts/STATE", "posts/segments/1.seg", "journal/000001", "streams/000001"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("files: got %v, want %v", names, want)
	}
	if m.Version != "test" || !m.Time.Equal(noon) || m.Position != 2 || m.Journal != (backup.Positions{First: 1, Last: 4}) || m.Size() != size {
		t.Errorf("got %+v", m)
	}
}

func TestALargeJournalIsDividedIntoFiles(t *testing.T) {
	w := newWorld(t, engines["memory"])
	posts := make([]earshot.Post, 30)
	for i := range 5 {
		for k := range posts {
			posts[k] = earshot.Post{Source: earshot.News, GUID: fmt.Sprint(i, "-", k), Contents: noise(30*i+k, 100<<10)}
		}
		if _, err := w.journal.Append(t.Context(), journal.Entry{Posts: posts}); err != nil {
			t.Fatal(err)
		}
	}
	dir := unpack(t, w.pack(t))
	files, err := os.ReadDir(filepath.Join(dir, "journal"))
	if err != nil || len(files) < 2 {
		t.Fatalf("got %d files, %v, want several", len(files), err)
	}
	got := restore(t, dir, engines["memory"])
	if len(got.posts) != 150 || got.last != 5 {
		t.Errorf("got %d posts and last position %d, want 150 and 5", len(got.posts), got.last)
	}
}

// hookedJournal is a journal that calls a function when it is copied, which is after the instant of
// the backup.
type hookedJournal struct {
	journal.Archive
	do func()
}

func (m hookedJournal) Entries(ctx context.Context, upTo earshot.Position) iter.Seq2[journal.StoredEntry, error] {
	m.do()
	return m.Archive.Entries(ctx, upTo)
}

func TestResultsAreNoNewerThanTheCatalog(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, open)
			w.wait(t, 1, "one")
			w.Service.Journal = hookedJournal{w.Service.Journal, func() {
				// The copied catalog has not assigned the ID of this analysis.
				must(t, w.Results.AddPending(t.Context(), 10))
				must(t, write(t, w.Results, &ledger.Analysis{ID: 10, State: ledger.Done}))
				// The copied catalog does not count the query of an analysis that finishes now.
				must(t, write(t, w.Results, &ledger.Analysis{ID: 9, State: ledger.Done}))
				must(t, w.Results.RemovePending(t.Context(), 9))
			}}
			to, e := target(t, filepath.Join(t.TempDir(), "data"), open)
			must(t, restoreTo(t.Context(), unpack(t, w.pack(t)), to))
			opened, err := e.Results.ListPending(t.Context())
			must(t, err)
			if !slices.Equal(opened, []earshot.ResultID{9}) {
				t.Errorf("pending: got %v, want only 9", opened)
			}
			if r, _, err := e.Results.Find(t.Context(), 10); !errors.Is(err, ledger.ErrNotFound) {
				t.Errorf("got %+v, %v, want no result 10", r, err)
			}
		})
	}
}

// write writes an analysis, replacing an existing one.
func write(t *testing.T, l *ledger.Ledger, r *ledger.Analysis) error {
	t.Helper()
	_, revision, err := l.Find(t.Context(), r.ID)
	if err == nil || errors.Is(err, ledger.ErrNotFound) {
		_, err = l.Put(t.Context(), r, revision)
	}
	return err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
