package content_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/content"
	"earshot/internal/ingest/item"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
)

// A ledger is a journal that records its entries. It can be told to fail or to call a function
// first.
type ledger struct {
	mu      sync.Mutex
	entries []journal.Entry
	fail    error
	before  func()
}

func (l *ledger) Append(_ context.Context, e journal.Entry) (earshot.Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.before != nil {
		before := l.before
		l.before = nil
		before()
	}
	if l.fail != nil {
		return 0, l.fail
	}
	l.entries = append(l.entries, e)
	return earshot.Position(len(l.entries)), nil
}

type world struct {
	*content.Service
	ledger *ledger
	caller *earshot.Caller
	source *earshot.ContentSource
}

var noon = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) *world {
	t.Helper()
	c, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Teams.Add(t.Context(), 1, &earshot.Team{ID: 1, Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	w := &world{ledger: &ledger{}, caller: earshot.NewCaller(&earshot.User{Teams: []earshot.TeamID{1}})}
	w.Service = &content.Service{Catalog: c, Journal: w.ledger, Store: memory.New(), Now: func() time.Time { return noon }}
	if w.source, err = w.AddSource(t.Context(), w.caller, earshot.ContentSource{Team: 1, Name: "Survey"}); err != nil {
		t.Fatal(err)
	}
	return w
}

func document(guid string) item.Item {
	return item.Item{GUID: guid, Date: "2026-03-01", Contents: "a"}
}

func (w *world) upload(items ...item.Item) (content.UploadResult, error) {
	return w.Upload(context.Background(), w.caller, content.Upload{Source: w.source.ID, Items: items})
}

func TestFailedWriteReleasesQuota(t *testing.T) {
	w := newWorld(t)
	if err := w.Catalog.SetContract(t.Context(), earshot.Contract{DocumentsPerDay: 2}); err != nil {
		t.Fatal(err)
	}
	w.ledger.fail = &earshot.Error{Kind: earshot.StorageFull, Message: "The disk is full"}
	if _, err := w.upload(document("1"), document("2")); !earshot.IsKind(err, earshot.StorageFull) {
		t.Fatalf("got %v, want StorageFull", err)
	}
	w.ledger.fail = nil
	if done, err := w.upload(document("1"), document("2")); err != nil || done.Used != 2 {
		t.Errorf("got %+v %v, want the quota of two restored", done, err)
	}
}

func TestConcurrentUploadsStayWithinContract(t *testing.T) {
	w := newWorld(t)
	if err := w.Catalog.SetContract(t.Context(), earshot.Contract{DocumentsPerDay: 25}); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			if _, err := w.upload(document(fmt.Sprint(i, "a")), document(fmt.Sprint(i, "b"))); err != nil && !earshot.IsKind(err, earshot.OverLimit) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := len(w.ledger.entries); got != 12 {
		t.Errorf("got %d uploads of 2 documents, want 12 under a contract of 25", got)
	}
}

func TestUploadToSourceBeingRemovedLeavesNoDocuments(t *testing.T) {
	w := newWorld(t)
	w.ledger.before = func() {
		if err := w.Catalog.Sources.Remove(context.Background(), w.source.ID); err != nil {
			t.Error(err)
		}
	}
	if _, err := w.upload(document("1")); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("got %v, want NotFound", err)
	}
	last := w.ledger.entries[len(w.ledger.entries)-1]
	if last.Deletion == nil || last.Deletion.ContentSource != w.source.ID {
		t.Errorf("the last entry is %+v, want a deletion of the source's documents", last)
	}
}

func TestSourcesOfOtherTeamsAreHidden(t *testing.T) {
	w := newWorld(t)
	w.caller = earshot.NewCaller(&earshot.User{Teams: []earshot.TeamID{2}, Permissions: []earshot.Permission{"content"}})
	_, upload := w.upload(document("1"))
	_, old := w.Upload(t.Context(), w.caller, content.Upload{Items: []item.Item{{Type: "Survey", GUID: "1", Date: "2026-03-01", Contents: "a"}}})
	_, add := w.AddSource(t.Context(), w.caller, earshot.ContentSource{Team: 1, Name: "Mine"})
	f := func(name string, err error, kind earshot.Kind) {
		t.Helper()
		if !earshot.IsKind(err, kind) {
			t.Errorf("%s: got %v, want kind %d", name, err, kind)
		}
	}
	f("upload", upload, earshot.NotFound)
	f("upload in the old form", old, earshot.Invalid)
	f("delete", w.Remove(t.Context(), w.caller, earshot.Deletion{ContentSource: w.source.ID, Batch: "b"}), earshot.NotFound)
	f("remove the source", w.RemoveSource(t.Context(), w.caller, w.source.ID), earshot.NotFound)
	f("add a source", add, earshot.Forbidden)
	if len(w.ledger.entries) != 0 {
		t.Errorf("the journal has %d entries, want none", len(w.ledger.entries))
	}
}

func TestSourceNamesAreUniquePerTeam(t *testing.T) {
	w := newWorld(t)
	if err := w.Catalog.Teams.Add(t.Context(), 2, &earshot.Team{ID: 2, Name: "Other"}); err != nil {
		t.Fatal(err)
	}
	admin := earshot.NewCaller(&earshot.User{Permissions: earshot.Permissions})
	if _, err := w.AddSource(t.Context(), admin, earshot.ContentSource{Team: 2, Name: "Survey"}); err != nil {
		t.Errorf("use the name in another team: %v", err)
	}
	_, err := w.Upload(t.Context(), admin, content.Upload{Items: []item.Item{{Type: "survey", GUID: "1", Date: "2026-03-01", Contents: "a"}}})
	if err == nil || !strings.Contains(err.Error(), "'survey' is the name of several content sources; use documentType") {
		t.Errorf("got %v, want an error that the name is ambiguous", err)
	}
	if err := w.RemoveSource(t.Context(), w.caller, w.source.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.AddSource(t.Context(), w.caller, earshot.ContentSource{Team: 1, Name: "SURVEY"}); err != nil {
		t.Errorf("reuse the name of a removed source: %v", err)
	}
}

func TestLongDeletionsAreSplit(t *testing.T) {
	w := newWorld(t)
	d := earshot.Deletion{ContentSource: w.source.ID}
	for i := range 2500 {
		d.GUIDs = append(d.GUIDs, fmt.Sprint("g", i))
	}
	d.URLs = []string{"u"}
	if err := w.Remove(t.Context(), w.caller, d); err != nil {
		t.Fatal(err)
	}
	var guids, urls []string
	for _, e := range w.ledger.entries {
		if e.Deletion.ContentSource != w.source.ID || len(e.Deletion.GUIDs)+len(e.Deletion.URLs) == 0 {
			t.Fatalf("%+v would delete documents that were not listed", e.Deletion)
		}
		guids, urls = append(guids, e.Deletion.GUIDs...), append(urls, e.Deletion.URLs...)
	}
	if len(w.ledger.entries) != 3 || len(guids) != 2500 || guids[2499] != "g2499" || len(urls) != 1 {
		t.Errorf("got %d entries, %d guids, %d urls, want 3, 2500, 1", len(w.ledger.entries), len(guids), len(urls))
	}
}

func TestImportRejectsTooManyCustomFields(t *testing.T) {
	w := newWorld(t)
	items := make([]item.Item, 12)
	for i := range items {
		items[i] = document(fmt.Sprint(i))
		items[i].Custom = map[string]*string{fmt.Sprint("field", i): new(string)}
	}
	accepted, problems, err := w.Import(t.Context(), items, w.source)
	if err != nil || accepted != 10 || len(problems) != 2 || problems[0].Item != 10 {
		t.Errorf("got %d accepted, %v %v, want ten and two problems", accepted, problems, err)
	}
}

func TestControlCharactersSeparateWords(t *testing.T) {
	w := newWorld(t)
	it := document("1")
	it.Contents = "a\x00b\nc\x1b"
	if _, err := w.upload(it); err != nil {
		t.Fatal(err)
	}
	if got := w.ledger.entries[0].Posts[0].Contents; got != "a b\nc " {
		t.Errorf("got %q, want %q", got, "a b\nc ")
	}
}

func TestSnapshotsRequireSocialMonitor(t *testing.T) {
	w := newWorld(t)
	day := earshot.Snapshot{Date: earshot.Date{Year: 2026, Month: 3, Day: 1}, Followers: earshot.Counted(5)}
	if err := w.AddSnapshots(t.Context(), &earshot.Monitor{ID: 9, Type: earshot.Buzz}, []earshot.Snapshot{day}); !earshot.IsKind(err, earshot.Invalid) {
		t.Errorf("BUZZ monitor: got %v", err)
	}
	social := &earshot.Monitor{ID: 9, Type: earshot.Social}
	if err := w.AddSnapshots(t.Context(), social, []earshot.Snapshot{{}}); !earshot.IsKind(err, earshot.Invalid) {
		t.Errorf("without a date: got %v", err)
	}
	if err := w.AddSnapshots(t.Context(), social, []earshot.Snapshot{day}); err != nil || len(w.ledger.entries) != 1 {
		t.Errorf("got %v and %d entries", err, len(w.ledger.entries))
	}
	w.ledger.fail = errors.New("broken")
	if err := w.AddSnapshots(t.Context(), social, []earshot.Snapshot{day}); err == nil {
		t.Error("a failed write was not reported")
	}
}

func TestFinishRemovals(t *testing.T) {
	w := newWorld(t)
	w.ledger.fail = errors.New("no journal")
	if err := w.RemoveSource(t.Context(), w.caller, w.source.ID); err == nil {
		t.Fatal("want an error")
	}
	if _, err := w.upload(document("1")); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("upload to it: got %v, want NotFound", err)
	}
	w.ledger.fail = nil
	if err := w.FinishRemovals(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.Catalog.Sources.Find(w.source.ID); ok || len(w.ledger.entries) != 1 || w.ledger.entries[0].Deletion == nil {
		t.Errorf("source exists: %v, entries %+v, want it removed and its documents deleted", ok, w.ledger.entries)
	}
	if _, err := w.AddSource(t.Context(), w.caller, earshot.ContentSource{Team: 1, Name: "Survey"}); err != nil {
		t.Errorf("reuse its name: %v", err)
	}
}

func TestImportToSourceBeingRemovedLeavesNoDocuments(t *testing.T) {
	w := newWorld(t)
	w.ledger.before = func() {
		_, err := w.Catalog.Sources.Update(context.Background(), w.source.ID, func(s *earshot.ContentSource) error { s.Removed = true; return nil })
		if err != nil {
			t.Error(err)
		}
	}
	if _, _, err := w.Import(t.Context(), []item.Item{document("1")}, w.source); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("got %v, want NotFound", err)
	}
	if last := w.ledger.entries[len(w.ledger.entries)-1]; last.Deletion == nil {
		t.Errorf("the last entry is %+v, want a deletion", last)
	}
}

func TestRejectedUploadAddsNoCustomFields(t *testing.T) {
	w := newWorld(t)
	if err := w.Catalog.SetContract(t.Context(), earshot.Contract{DocumentsPerDay: 1}); err != nil {
		t.Fatal(err)
	}
	a, b := document("1"), document("2")
	a.Custom = map[string]*string{"a": new(string)}
	if _, err := w.upload(a, b); !earshot.IsKind(err, earshot.OverLimit) {
		t.Fatalf("got %v, want an error about too many documents", err)
	}
	if src, _ := w.Catalog.Sources.Find(w.source.ID); len(src.CustomFields) != 0 {
		t.Errorf("the source has fields %v, want none", src.CustomFields)
	}
}

func TestDeletionNormalizesKeysLikeUploads(t *testing.T) {
	w := newWorld(t)
	if _, err := w.upload(document(" g\x001 ")); err != nil {
		t.Fatal(err)
	}
	if err := w.Remove(t.Context(), w.caller, earshot.Deletion{ContentSource: w.source.ID, GUIDs: []string{" g\x001 "}}); err != nil {
		t.Fatal(err)
	}
	uploaded, removed := w.ledger.entries[0].Posts[0].GUID, w.ledger.entries[1].Deletion.GUIDs[0]
	if uploaded != "g1" || removed != uploaded {
		t.Errorf("uploaded %q, removed %q, want g1 both", uploaded, removed)
	}
}

func TestImageScoreValidation(t *testing.T) {
	w := newWorld(t)
	bad := document("1")
	bad.Type = "News"
	bad.Images = []earshot.Image{{URL: "u", Objects: []earshot.ImageObject{{Score: 1e308}}}}
	_, problems, err := w.Import(t.Context(), []item.Item{bad}, nil)
	if err != nil || len(problems) != 1 || problems[0].Message != "images must have scores from 0 to 1" {
		t.Errorf("got %v %v, want a problem with scores", problems, err)
	}
}

func TestRequiredTextIsCheckedAfterNormalization(t *testing.T) {
	w := newWorld(t)
	it := document("1")
	it.Contents = "\x00 "
	if _, err := w.upload(it); err == nil || err.Error() != "Invalid request body: items[0].contents is missing" {
		t.Errorf("got %v, want an error that contents is missing", err)
	}
}

func TestImportKeepsMentions(t *testing.T) {
	w := newWorld(t)
	it := document("1")
	it.Type, it.EngagingWith, it.Mentions = "Twitter", " Ann ", []string{"@Ann", "bob\x00"}
	if _, problems, err := w.Import(t.Context(), []item.Item{it}, nil); err != nil || len(problems) > 0 {
		t.Fatalf("got %v %v, want success", problems, err)
	}
	p := w.ledger.entries[0].Posts[0]
	if want := []string{"@Ann", "bob"}; p.EngagingWith != "Ann" || !slices.Equal(p.Mentions, want) {
		t.Errorf("got %q and %q, want Ann and %q", p.EngagingWith, p.Mentions, want)
	}
	it.Mentions = make([]string, 101)
	_, problems, err := w.Import(t.Context(), []item.Item{it}, nil)
	if err != nil || len(problems) != 1 || problems[0].Message != "mentions has 101 entries, at most 100 are allowed" {
		t.Errorf("got %v %v, want a problem with the number of mentions", problems, err)
	}
}
