package erasure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
)

var noon = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// world is a service whose journal applies entries to the store at once.
type world struct {
	*Service
	t        *testing.T
	records  *kv.Memory
	store    *memory.Store
	entries  []journal.Entry
	training []earshot.TrainingPost
	fail     error // of the next step after the mark
	admin    *earshot.Caller
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, records: kv.NewMemory(), store: memory.New(), admin: earshot.NewCaller(&earshot.User{Permissions: earshot.Permissions})}
	w.Service = &Service{Journal: w, Posts: w.store, Training: w, Secret: []byte("secret of the installation"), Now: func() time.Time { return noon }}
	w.open()
	return w
}

// open opens the catalog as after a restart.
func (w *world) open() {
	w.t.Helper()
	c, err := catalog.Open(w.t.Context(), w.records, slog.New(slog.DiscardHandler))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.Close)
	w.Service = &Service{Catalog: c, Journal: w, Posts: w.store, Training: w, Secret: w.Secret, Now: w.Now}
}

func (w *world) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	w.entries = append(w.entries, e)
	at := earshot.Position(len(w.entries))
	if e.Deletion != nil {
		return at, w.store.Delete(ctx, at, *e.Deletion)
	}
	posts, err := w.Filter(e.Posts)
	if err != nil {
		return at, err
	}
	var matched []poststore.MatchedPost
	for _, p := range posts {
		matched = append(matched, poststore.MatchedPost{Post: p})
	}
	return at, w.store.Append(ctx, at, matched)
}

func (w *world) RemoveWhere(_ context.Context, _ *earshot.Caller, match func(*earshot.TrainingPost) bool, dryRun bool) (n int, err error) {
	if w.fail != nil {
		err, w.fail = w.fail, nil
		return 0, err
	}
	var kept []earshot.TrainingPost
	for _, p := range w.training {
		if match(&p) {
			n++
		} else {
			kept = append(kept, p)
		}
	}
	if !dryRun {
		w.training = kept
	}
	return n, nil
}

func (w *world) add(posts ...earshot.Post) {
	w.t.Helper()
	for i := range posts {
		if posts[i].Time.IsZero() {
			posts[i].Time = noon
		}
	}
	if _, err := w.Append(w.t.Context(), journal.Entry{Posts: posts}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) erase(r Request) string {
	w.t.Helper()
	got, err := w.Erase(w.t.Context(), w.admin, r)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d posts, %d training", got.Posts, got.Training)
}

func (w *world) wantStored(guids ...string) {
	w.t.Helper()
	posts, _, err := w.store.Posts(w.t.Context(), poststore.Selection{}, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, p := range posts {
		got = append(got, p.GUID)
	}
	if strings.Join(got, " ") != strings.Join(guids, " ") {
		w.t.Errorf("stored %v, want %v", got, guids)
	}
}

func (w *world) want(got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("got %s, want %s", got, want)
	}
}

// annsPosts returns posts by ann, who is known by different names, and one by bob.
func annsPosts(suffix string) []earshot.Post {
	return []earshot.Post{
		{Source: earshot.Bluesky, GUID: "a" + suffix, AuthorUsername: "Ann", PageID: "did:plc:ann"},
		{Source: earshot.Twitter, GUID: "b" + suffix, Author: "@ann (Ann Lee)"},
		{Source: "Survey", ContentSource: 7, Team: 1, GUID: "c" + suffix, AuthorProfileID: "ANN"},
		{Source: earshot.Bluesky, GUID: "d" + suffix, AuthorUsername: "bob"},
	}
}

func TestAnErasedAuthorStaysAway(t *testing.T) {
	w := newWorld(t)
	w.add(annsPosts("1")...)
	w.want(w.erase(Request{Author: " @ANN "}), "3 posts, 0 training")
	w.wantStored("d1")
	w.add(annsPosts("2")...)
	w.wantStored("d1", "d2")
	if got := w.Skipped(); got != 3 {
		t.Errorf("skipped %d posts, want 3", got)
	}
	w.open()
	w.add(annsPosts("3")...)
	w.wantStored("d1", "d2", "d3")
}

// A post of Bluesky comes without the handle of its author while the server that knows it is down.
func TestAnErasedHandleIncludesItsAccount(t *testing.T) {
	w := newWorld(t)
	withoutHandle := func(guid, id string) earshot.Post {
		return earshot.Post{Source: earshot.Bluesky, GUID: guid, Author: id, AuthorProfileID: id, PageID: id}
	}
	w.add(annsPosts("1")...)
	w.add(withoutHandle("e1", "did:plc:ann"), withoutHandle("f1", "did:plc:bob"))
	w.want(w.erase(Request{Author: "ann", Network: "bluesky", DryRun: true}), "2 posts, 0 training")
	w.want(w.erase(Request{Author: "ann", Network: "bluesky"}), "2 posts, 0 training")
	w.wantStored("b1", "c1", "d1", "f1")
	w.add(withoutHandle("e2", "did:plc:ann"), withoutHandle("f2", "did:plc:bob"))
	w.wantStored("b1", "c1", "d1", "f1", "f2")
}

func TestErasingOnOneNetworkKeepsOthers(t *testing.T) {
	w := newWorld(t)
	w.add(annsPosts("1")...)
	w.want(w.erase(Request{Author: "ann", Network: "bluesky"}), "1 posts, 0 training")
	w.add(annsPosts("2")...)
	w.wantStored("b1", "b2", "c1", "c2", "d1", "d2")
}

func TestADryRunChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.add(annsPosts("1")...)
	w.training = []earshot.TrainingPost{{Author: "ann"}, {Author: "bob"}}
	before := len(w.entries)
	w.want(w.erase(Request{Author: "ann", DryRun: true}), "3 posts, 1 training")
	if len(w.entries) != before || len(w.training) != 2 || len(w.Catalog.Erasures.List()) != 0 {
		t.Errorf("%d entries, %d training posts, %d marks; want %d, 2, 0", len(w.entries), len(w.training), len(w.Catalog.Erasures.List()), before)
	}
}

func TestTrainingPostsAreFoundByAuthorOrStoredPost(t *testing.T) {
	w := newWorld(t)
	w.add(earshot.Post{Source: earshot.Bluesky, GUID: "at://1", URL: "https://bsky.app/1", AuthorUsername: "ann", Author: "Ann Lee"},
		earshot.Post{Source: earshot.Bluesky, GUID: "at://2", AuthorUsername: "ann", Author: "Ann Lee"})
	w.training = []earshot.TrainingPost{
		{URL: "https://bsky.app/1", Author: "Ann Lee", Source: earshot.Bluesky},
		{URL: "at://2", Author: "Ann Lee", Source: earshot.Bluesky},
		{URL: "https://example.com/3", Author: "ann (Ann Lee)", Source: earshot.Twitter},
		{URL: "https://example.com/4", Author: "bob"},
	}
	w.want(w.erase(Request{Author: "ann", Network: earshot.Bluesky}), "2 posts, 2 training")
	w.want(w.erase(Request{Author: "ann"}), "0 posts, 1 training")
	if len(w.training) != 1 || w.training[0].Author != "bob" {
		t.Errorf("left %+v, want the post of bob", w.training)
	}
}

func TestManyPostsAreFoundInPages(t *testing.T) {
	w := newWorld(t)
	posts := make([]earshot.Post, 2*pageSize+5)
	for i := range posts {
		posts[i] = earshot.Post{Source: earshot.News, GUID: fmt.Sprint("g", i), Author: "ann", Time: noon.Add(time.Duration(i/7) * time.Second)}
		w.training = append(w.training, earshot.TrainingPost{URL: posts[i].GUID})
	}
	w.add(posts...)
	w.want(w.erase(Request{Author: "ann"}), fmt.Sprintf("%d posts, %d training", len(posts), len(posts)))
	w.wantStored()
}

func TestAFailedErasureCanBeRepeated(t *testing.T) {
	w := newWorld(t)
	w.add(annsPosts("1")...)
	w.fail = errors.New("no disk")
	w.want(w.erase(Request{Author: "ann"}), "erase training posts: no disk")
	w.add(annsPosts("2")...)
	w.wantStored("a1", "b1", "c1", "d1", "d2") // nothing more comes in
	w.want(w.erase(Request{Author: "ann"}), "3 posts, 0 training")
	w.wantStored("d1", "d2")
	if marks := w.Catalog.Erasures.List(); len(marks) != 2 {
		t.Errorf("%d marks, want one of the name and one of the account", len(marks))
	}
}

func TestMarksDoNotRevealTheAuthor(t *testing.T) {
	w := newWorld(t)
	w.erase(Request{Author: "ann.example"})
	w.erase(Request{Author: "ann.example", Network: earshot.Bluesky})
	var marks [][]byte
	for _, e := range w.Catalog.Erasures.List() {
		record, err := json.Marshal(e)
		if err != nil || bytes.Contains(record, []byte("ann")) {
			t.Errorf("%s: %v", record, err)
		}
		marks = append(marks, e.Mark)
	}
	if len(marks) != 2 || bytes.Equal(marks[0], marks[1]) {
		t.Errorf("marks are %x, want two different ones", marks)
	}
	other := newWorld(t)
	other.Secret = []byte("another installation")
	other.erase(Request{Author: "ann.example"})
	if bytes.Equal(other.Catalog.Erasures.List()[0].Mark, marks[0]) {
		t.Error("the mark does not depend on the secret")
	}
}

func TestInvalidRequests(t *testing.T) {
	w := newWorld(t)
	w.want(w.erase(Request{Author: " @ "}), "Invalid request body: author is missing: enter a handle, a profile ID or a page ID")
	w.want(w.erase(Request{Author: "a\x00b"}), "Invalid request body: author must not contain control characters")
	w.want(w.erase(Request{Author: strings.Repeat("a", 3000)}), "Invalid request body: author must have 1 to 2048 characters")
	if got := w.erase(Request{Author: "ann", Network: "MySpace"}); !strings.HasPrefix(got, "Invalid request body: network 'MySpace' is unknown; the networks are Twitter, Facebook") {
		t.Error(got)
	}
	if len(w.entries) != 0 || len(w.Catalog.Erasures.List()) != 0 {
		t.Errorf("%d entries and %d marks, want none", len(w.entries), len(w.Catalog.Erasures.List()))
	}
}

// BenchmarkFilter measures what the check of a batch costs for each post.
func BenchmarkFilter(b *testing.B) {
	c, err := catalog.Open(b.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	s := &Service{Catalog: c, Secret: []byte("secret"), Now: time.Now}
	posts := make([]earshot.Post, 1000)
	for i := range posts {
		posts[i] = earshot.Post{Source: earshot.Bluesky, Author: fmt.Sprintf("user%d.example (User %d)", i, i), AuthorUsername: fmt.Sprintf("user%d.example", i), PageID: fmt.Sprint("did:plc:", i)}
	}
	run := func(b *testing.B) {
		for b.Loop() {
			if kept, err := s.Filter(posts); err != nil || len(kept) != len(posts) {
				b.Fatal(len(kept), err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(posts)), "ns/post")
	}
	b.Run("no marks", run)
	for i := range 1000 {
		if err := s.mark(b.Context(), "", fmt.Sprint("erased", i)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("1000 marks", run)
}
