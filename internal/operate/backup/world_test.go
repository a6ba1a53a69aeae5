package backup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/operate/backup"
	"earshot/internal/state/catalog"
	"earshot/internal/state/feed"
	feedstream "earshot/internal/state/feed/jetstream"
	feedmemory "earshot/internal/state/feed/memory"
	"earshot/internal/state/journal"
	journalstream "earshot/internal/state/journal/jetstream"
	journalmemory "earshot/internal/state/journal/memory"
	"earshot/internal/state/kv"
	"earshot/internal/state/ledger"
	"earshot/internal/state/natsnode"
)

// engines maps names to functions that open a journal and a catalog. Durable engines store their
// files in dir.
var engines = map[string]func(ctx context.Context, dir string) (backup.Engines, error){
	"memory": func(context.Context, string) (backup.Engines, error) {
		return backup.Engines{Journal: journalmemory.New(), Catalog: kv.NewMemory(), Streams: feedmemory.New(),
			Results: ledger.New(kv.NewMemory()), Sources: kv.NewMemory(), Close: func() {}}, nil
	},
	"jetstream": openJetStream,
}

func openJetStream(ctx context.Context, dir string) (e backup.Engines, err error) {
	node, err := natsnode.Open(ctx, natsnode.Options{Dir: filepath.Join(dir, "nats")})
	if err != nil {
		return e, err
	}
	e.Close = node.Close
	if e.Catalog, err = natsnode.OpenBucket(ctx, node, natsnode.BucketOptions{Name: catalog.BucketName}); err != nil {
		return e, err
	}
	if e.Streams, err = feedstream.Open(ctx, node, feedstream.Options{}); err != nil {
		return e, err
	}
	results, err := natsnode.OpenBucket(ctx, node, natsnode.BucketOptions{Name: ledger.BucketName, MaxAge: ledger.Retention})
	if err != nil {
		return e, err
	}
	e.Results = ledger.New(results)
	if e.Sources, err = natsnode.OpenBucket(ctx, node, natsnode.BucketOptions{Name: "sources"}); err != nil {
		return e, err
	}
	e.Journal, err = journalstream.Open(ctx, node, journalstream.Options{})
	return e, err
}

// A world is a minimal service with everything that a backup contains.
type world struct {
	*backup.Service
	posts   *fakePosts
	journal journal.Journal // for writes
	catalog kv.Store        // for writes
}

const secret = "a key of thirty-two bytes or more"

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T, open func(context.Context, string) (backup.Engines, error)) *world {
	t.Helper()
	dir := t.TempDir()
	e, err := open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	file := filepath.Join(dir, "secret.key")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	freeze := &backup.Freeze{}
	posts := &fakePosts{journal: e.Journal}
	return &world{
		Service: &backup.Service{Posts: posts, Journal: e.Journal, Catalog: e.Catalog, Streams: e.Streams, Results: e.Results, Sources: e.Sources, Freeze: freeze,
			Secret: file, Dir: dir, Version: "test", Now: func() time.Time { return noon }},
		posts:   posts,
		journal: freeze.Journal(e.Journal),
		catalog: freeze.Catalog(e.Catalog),
	}
}

// post appends a post with the given guid.
func (w *world) post(t testing.TB, guid string) {
	t.Helper()
	if _, err := w.journal.Append(t.Context(), journal.Entry{Posts: []earshot.Post{{Source: earshot.Blogs, GUID: guid}}}); err != nil {
		t.Errorf("Append: %v", err)
	}
}

func (w *world) put(t testing.TB, key, value string) {
	t.Helper()
	if _, err := w.catalog.Put(t.Context(), key, []byte(value), 0); err != nil {
		t.Errorf("Put: %v", err)
	}
}

// pack returns a backup as a tar file.
func (w *world) pack(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := w.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpack returns a directory with the backup in a tar file.
func unpack(t *testing.T, packed []byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "backup")
	if _, err := backup.Unpack(bytes.NewReader(packed), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// contents is the data after a restore.
type contents struct {
	posts   map[string]int    // number of occurrences by guid
	records map[string]string // of the catalog
	secret  string
	last    earshot.Position
	letters []journal.DeadLetter
	waiting string // contents of stream 7
	results string // pending IDs, and the state of analysis 9
	sources map[string]string
}

// restore restores a backup to a new directory and reads it as a service would.
func restore(t *testing.T, dir string, open func(context.Context, string) (backup.Engines, error)) contents {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	to, e := target(t, data, open)
	if err := restoreTo(t.Context(), dir, to); err != nil {
		t.Fatal(err)
	}
	return read(t, data, e)
}

// target returns a target and the engines that it will open.
func target(t *testing.T, data string, open func(context.Context, string) (backup.Engines, error)) (backup.Target, *backup.Engines) {
	opened := &backup.Engines{Close: func() {}}
	t.Cleanup(func() { opened.Close() })
	return backup.Target{
		Data:   data,
		Posts:  filepath.Join(data, "posts"),
		Secret: filepath.Join(data, "secret.key"),
		Open: func(ctx context.Context, _ *backup.Manifest) (backup.Engines, error) {
			e, err := open(ctx, data)
			*opened = e
			e.Close = func() {} // the test reads from them later
			return e, err
		},
	}, opened
}

func restoreTo(ctx context.Context, dir string, to backup.Target) error {
	b, err := backup.Open(dir)
	if err != nil {
		return err
	}
	defer b.Close()
	return b.Restore(ctx, to)
}

// read counts the posts in the store's files and the later ones in the journal.
func read(t *testing.T, data string, e *backup.Engines) contents {
	t.Helper()
	r := contents{records: map[string]string{}, sources: map[string]string{}}
	at := earshot.Position(0)
	r.posts, at = readPosts(t, filepath.Join(data, "posts"))
	for entry, err := range e.Journal.Entries(t.Context(), 1<<40) {
		if err != nil {
			t.Fatal(err)
		}
		if entry.Position > at {
			count(t, entry, r.posts)
		}
	}
	records, err := catalog.Dump(t.Context(), e.Catalog)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		r.records[rec.Key] = string(rec.Value)
	}
	sources, err := catalog.Dump(t.Context(), e.Sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range sources {
		r.sources[rec.Key] = string(rec.Value)
	}
	key, err := os.ReadFile(filepath.Join(data, "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	r.secret = string(key)
	if r.last, err = e.Journal.Last(t.Context()); err != nil {
		t.Fatal(err)
	}
	letters, err := e.Journal.DeadLetters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.letters = letters.Recent
	r.waiting, r.results = waiting(t, e.Streams), results(t, e.Results)
	return r
}

// waiting describes stream 7: all items, the items after the stored cursor, and the feed's
// position.
func waiting(t *testing.T, f feed.Feed) string {
	t.Helper()
	queue, err := f.Cursor(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	at, known, err := f.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, from := range []feed.Cursor{{}, queue} {
		page, err := f.Read(t.Context(), 7, from, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			text += fmt.Sprintf("%s/%d ", item.Post, item.Monitor)
		}
		text += fmt.Sprintf("to %s, ", page.Next)
	}
	return fmt.Sprintf("%sposition %d %v", text, at, known)
}

func results(t *testing.T, l *ledger.Ledger) string {
	t.Helper()
	opened, err := l.ListPending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := l.Find(t.Context(), 9)
	if errors.Is(err, ledger.ErrNotFound) {
		return fmt.Sprint(opened)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%v %s", opened, r.State)
}

// wait adds posts to stream 7, takes the first, and writes analysis 9.
func (w *world) wait(t *testing.T, upTo earshot.Position, posts ...string) {
	t.Helper()
	run := feed.Run{Stream: 7, Position: upTo}
	for i, p := range posts {
		run.Items = append(run.Items, feed.Item{Monitor: earshot.MonitorID(10 + i), Post: p})
	}
	err := errors.Join(w.Streams.Append(t.Context(), upTo, []feed.Run{run}), w.Results.AddPending(t.Context(), 9))
	if err == nil {
		_, err = w.Streams.Take(t.Context(), 7, 1)
	}
	if err == nil {
		_, err = w.Results.Put(t.Context(), &ledger.Analysis{ID: 9, State: ledger.Waiting}, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, e journal.StoredEntry, posts map[string]int) {
	t.Helper()
	entry, err := journal.Decode(e.Data)
	if err != nil {
		t.Fatalf("entry %d: %v", e.Position, err)
	}
	for _, p := range entry.Posts {
		posts[p.GUID]++
	}
}

// fakePosts is a store whose checkpoints contain the journal up to a position.
type fakePosts struct {
	journal journal.Archive

	mu      sync.Mutex
	durable earshot.Position
	fails   error
}

// reach makes everything up to now durable.
func (p *fakePosts) reach(t *testing.T) {
	t.Helper()
	last, err := p.journal.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.durable = last
}

// Flush does nothing, as if posts arrived faster than they are flushed.
func (p *fakePosts) Flush(context.Context) error { return nil }

func (p *fakePosts) Durable() earshot.Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.durable
}

type segment struct {
	Position earshot.Position
	Posts    map[string]int
}

func (p *fakePosts) Checkpoint(ctx context.Context, dir string) error {
	if p.fails != nil {
		return p.fails
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there", dir)
	}
	s := segment{Position: p.Durable(), Posts: map[string]int{}}
	for e, err := range p.journal.Entries(ctx, s.Position) {
		if err != nil {
			return err
		}
		entry, err := journal.Decode(e.Data)
		if err != nil {
			return err
		}
		for _, post := range entry.Posts {
			s.Posts[post.GUID]++
		}
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "segments"), 0o700); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "segments", "1.seg"), data, 0o600),
		os.WriteFile(filepath.Join(dir, "STATE"), []byte("state"), 0o600),
	)
}

// readPosts reads the files that Checkpoint wrote.
func readPosts(t *testing.T, dir string) (map[string]int, earshot.Position) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "segments", "1.seg"))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]int{}, 0
	}
	var s segment
	if err := errors.Join(err, json.Unmarshal(data, &s)); err != nil {
		t.Fatal(err)
	}
	return s.Posts, s.Position
}

// tree lists the files below a directory with their contents.
func tree(t *testing.T, dir string) string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%s %q\n", name, files[name])
	}
	return b.String()
}

// writerFunc is a writer that is a function.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// journalSpan returns the span of a journal whose entries are all trimmed.
func journalSpan(last earshot.Position) journal.Span {
	return journal.Span{First: last + 1, Last: last}
}

func nothing(func(journal.StoredEntry, error) bool) {}
