package training_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/model/training"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A fixture is a service with one opinion monitor.
type fixture struct {
	*training.Service
	store  *flakyStore
	caller *earshot.Caller
}

// An idleMatcher does nothing and is always done.
type idleMatcher struct{ used int64 }

func (idleMatcher) Rematch(earshot.MonitorID) <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

func (m idleMatcher) InUse(earshot.MonitorID) int64 { return m.used }

// A flakyStore fails to write some keys, or writes them and loses the response.
type flakyStore struct {
	kv.Store
	fail         func(key string) error
	loseResponse func(key string) error
}

func (s *flakyStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if s.fail != nil {
		if err := s.fail(key); err != nil {
			return 0, err
		}
	}
	revision, err := s.Store.Put(ctx, key, value, revision)
	if err == nil && s.loseResponse != nil {
		err = s.loseResponse(key)
	}
	return revision, err
}

const (
	monitor = earshot.MonitorID(earshot.FirstID)
	taste   = earshot.CategoryID(earshot.FirstID + 1)
	price   = earshot.CategoryID(earshot.FirstID + 2)
)

func newFixture(t testing.TB) *fixture {
	t.Helper()
	store := &flakyStore{Store: kv.NewMemory()}
	c, err := catalog.Open(t.Context(), store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if _, err := c.NextIDs(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	err = c.Monitors.Add(t.Context(), monitor, &earshot.Monitor{ID: monitor, Type: earshot.Opinion, Team: 7, Enabled: true, Timezone: "UTC",
		Categories: []earshot.Category{{ID: taste, Name: "Taste"}, {ID: price, Name: "Price"}}})
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{
		Service: &training.Service{Catalog: c, Rematcher: idleMatcher{}, Enrich: func([]earshot.Post) {}, Log: slog.New(slog.DiscardHandler), Now: time.Now},
		store:   store,
		caller:  earshot.NewCaller(&earshot.User{Username: "ann", Teams: []earshot.TeamID{7}}),
	}
}

func document(url, contents string) training.Document {
	title, author, language, date := "a title", "ann", "en", "2026-03-01T08:30:00+02:00"
	return training.Document{URL: &url, Title: &title, Contents: &contents, Author: &author, Language: &language, Date: &date}
}

func documents(name string, n int) (docs []training.Document) {
	for i := range n {
		docs = append(docs, document(fmt.Sprintf("http://example.com/%s/%d", name, i), fmt.Sprintf("%s %d", name, i)))
	}
	return docs
}

func (s *fixture) monitor(t testing.TB) *earshot.Monitor {
	t.Helper()
	m, ok := s.Catalog.Monitors.Find(monitor)
	if !ok {
		t.Fatal("the monitor is gone")
	}
	return m
}

// wantDocs checks the number of training posts per category, in the monitor's record and in the
// list.
func (s *fixture) wantDocs(t *testing.T, ofTaste, ofPrice int) {
	t.Helper()
	m := s.monitor(t)
	if m.Categories[0].TrainingDocs != ofTaste || m.Categories[1].TrainingDocs != ofPrice {
		t.Errorf("the record says %d and %d training posts, want %d and %d", m.Categories[0].TrainingDocs, m.Categories[1].TrainingDocs, ofTaste, ofPrice)
	}
	for category, want := range map[earshot.CategoryID]int{taste: ofTaste, price: ofPrice, 0: ofTaste + ofPrice} {
		posts, err := s.List(t.Context(), m, category)
		if err != nil || len(posts) != want {
			t.Errorf("category %d: got %d training posts, %v, want %d", category, len(posts), err, want)
		}
	}
}

func TestAddReplacesPostWithSameURL(t *testing.T) {
	s := newFixture(t)
	added, err := s.Add(t.Context(), s.caller, monitor, taste, documents("a", 3))
	if err != nil || added.Posts != 3 || added.Replaced != 0 {
		t.Fatalf("got %+v, %v", added, err)
	}
	s.wantDocs(t, 3, 0)
	// One moves to another category, one appears twice, one is new.
	again := []training.Document{document("http://example.com/a/1", "other text"), document("http://example.com/b", "x"), document(" http://example.com/b ", "y")}
	added, err = s.Add(t.Context(), s.caller, monitor, price, again)
	if err != nil || added.Posts != 2 || added.Replaced != 1 || added.Category.TrainingDocs != 2 {
		t.Fatalf("got %+v, %v", added, err)
	}
	s.wantDocs(t, 2, 2)
	posts, err := s.List(t.Context(), s.monitor(t), price)
	if err != nil || posts[0].Contents != "other text" || posts[1].Contents != "y" {
		t.Errorf("got %+v, %v", posts, err)
	}
	if want := time.Date(2026, 3, 1, 6, 30, 0, 0, time.UTC); !posts[0].Time.Equal(want) || posts[0].Language != "EN" || posts[0].AddedBy != "ann" {
		t.Errorf("got %+v", posts[0])
	}
}

// storedPosts finds posts by their keys.
type storedPosts []earshot.Post

func (l storedPosts) Find(_ context.Context, keys []earshot.PostKey) (found []earshot.Post, err error) {
	for i := range l {
		if slices.Contains(keys, l[i].Key()) {
			found = append(found, l[i])
		}
	}
	return found, nil
}

func TestTypeOfADocument(t *testing.T) {
	s := newFixture(t)
	s.Posts = storedPosts{{Source: earshot.Forums, GUID: "http://example.com/1"}, {Source: earshot.News, GUID: "http://www.reddit.com/1"}}
	docs := []training.Document{
		document("http://example.com/1", "stored"), document("http://www.reddit.com/1", "stored, whatever its host"),
		document("http://www.reddit.com/2", "from a network"), document("http://example.com/2", "unknown"), document("http://example.com/1 ", "sent"),
	}
	docs[4].URL, docs[4].Type = docs[3].URL, "Blogs"
	for i, want := range []earshot.Source{earshot.Forums, earshot.News, earshot.Reddit, "", earshot.Blogs} {
		if _, err := s.Add(t.Context(), s.caller, monitor, taste, docs[i:i+1]); err != nil {
			t.Fatal(err)
		}
		posts, err := s.List(t.Context(), s.monitor(t), taste)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(posts, func(p earshot.TrainingPost) bool { return p.URL == *docs[i].URL })
		if posts[at].Source != want {
			t.Errorf("%s: got %q, want %q", *docs[i].URL, posts[at].Source, want)
		}
	}
}

func TestAddIsRecordedInAudit(t *testing.T) {
	s := newFixture(t)
	if _, err := s.Add(t.Context(), s.caller, monitor, taste, documents("a", 1)); err != nil {
		t.Fatal(err)
	}
	audit := s.monitor(t).Audit
	if len(audit) != 1 || audit[0].Kind != earshot.EventTrained || audit[0].User != "ann" {
		t.Errorf("got %+v", audit)
	}
}

func TestAddRejectsInvalidDocuments(t *testing.T) {
	s := newFixture(t)
	text := func(s string) *string { return &s }
	for want, change := range map[string]func(*training.Document){
		"documents[1].url is missing":                                   func(d *training.Document) { d.URL = nil },
		"documents[1].url is empty":                                     func(d *training.Document) { d.URL = text(" ") },
		"documents[1].url 'javascript:x' is not a link":                 func(d *training.Document) { d.URL = text("javascript:x") },
		"documents[1].title is missing":                                 func(d *training.Document) { d.Title = nil },
		"documents[1].author is missing":                                func(d *training.Document) { d.Author = nil },
		"documents[1].contents is missing":                              func(d *training.Document) { d.Contents = nil },
		"documents[1].contents is empty":                                func(d *training.Document) { d.Contents = text("\n") },
		"documents[1].contents must have at most 16384 characters":      func(d *training.Document) { d.Contents = text(strings.Repeat("ä", 16_385)) },
		"documents[1].contents must not contain control characters":     func(d *training.Document) { d.Contents = text("a\x00b") },
		"documents[1].date is missing":                                  func(d *training.Document) { d.Date = nil },
		"documents[1].date 'soon' is not a timestamp like 2026-03-01T0": func(d *training.Document) { d.Date = text("soon") },
		"documents[1].date must be from 1970 to 2099":                   func(d *training.Document) { d.Date = text("0026-03-01T00:00:00Z") },
		"documents[1].language is missing":                              func(d *training.Document) { d.Language = nil },
		"documents[1].language 'xx' is not a supported language":        func(d *training.Document) { d.Language = text("xx") },
	} {
		docs := documents("a", 2)
		change(&docs[1])
		_, err := s.Add(t.Context(), s.caller, monitor, taste, docs)
		var e *earshot.Error
		if !errors.As(err, &e) || e.Kind != earshot.Invalid || !strings.HasPrefix(e.Message, "Invalid request body: "+want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	s.wantDocs(t, 0, 0)
	if audit := s.monitor(t).Audit; len(audit) != 0 {
		t.Errorf("the audit has %+v", audit)
	}
}

func TestAddRejectsInvalidRequests(t *testing.T) {
	s := newFixture(t)
	if err := s.Catalog.Monitors.Add(t.Context(), 99, &earshot.Monitor{ID: 99, Type: earshot.Buzz, Team: 7}); err != nil {
		t.Fatal(err)
	}
	stranger := earshot.NewCaller(&earshot.User{Username: "eve", Teams: []earshot.TeamID{8}})
	for name, f := range map[string]struct {
		caller   *earshot.Caller
		monitor  earshot.MonitorID
		category earshot.CategoryID
		docs     int
		want     earshot.Kind
	}{
		"a monitor of another team": {stranger, monitor, taste, 1, earshot.NotFound},
		"unknown monitor":           {s.caller, 12345, taste, 1, earshot.NotFound},
		"a buzz monitor":            {s.caller, 99, taste, 1, earshot.Invalid},
		"unknown category":          {s.caller, monitor, 12345, 1, earshot.NotFound},
		"no documents":              {s.caller, monitor, taste, 0, earshot.Invalid},
		"too many documents":        {s.caller, monitor, taste, 1001, earshot.TooLarge},
	} {
		_, err := s.Add(t.Context(), f.caller, f.monitor, f.category, documents("a", f.docs))
		var e *earshot.Error
		if !errors.As(err, &e) || e.Kind != f.want {
			t.Errorf("%s: got %v, want kind %v", name, err, f.want)
		}
	}
	s.wantDocs(t, 0, 0)
}

func TestAddIsAllOrNothing(t *testing.T) {
	s := newFixture(t)
	if _, err := s.Add(t.Context(), s.caller, monitor, taste, documents("a", 5)); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"large.", "monitor."} {
		s.store.fail = func(key string) error {
			if strings.HasPrefix(key, prefix) {
				return errors.New("the disk is full")
			}
			return nil
		}
		if _, err := s.Add(t.Context(), s.caller, monitor, taste, documents("b", 5)); err == nil {
			t.Errorf("%s cannot be written: want an error", prefix)
		}
		s.store.fail = nil
		s.wantDocs(t, 5, 0)
	}
}

func TestTrainingPostsSurviveLostStoreResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t)
		if _, err := s.Add(t.Context(), s.caller, monitor, taste, documents("a", 3)); err != nil {
			t.Fatal(err)
		}
		s.store.loseResponse = func(key string) error {
			if strings.HasPrefix(key, "monitor.") {
				return errors.New("the response is lost")
			}
			return nil
		}
		if _, err := s.Add(t.Context(), s.caller, monitor, taste, documents("b", 3)); err == nil {
			t.Error("want an error")
		}
		s.store.loseResponse = nil
		synctest.Wait()
		s.wantDocs(t, 6, 0)
		if _, err := s.Add(t.Context(), s.caller, monitor, price, documents("c", 3)); err != nil {
			t.Error(err)
		}
		s.wantDocs(t, 6, 3)
	})
}

func TestAddCompletesWhenCallerIsCanceled(t *testing.T) {
	s := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.store.fail = func(key string) error {
		if strings.HasPrefix(key, "monitor.") {
			cancel() // during the write
		}
		return nil
	}
	if _, err := s.Add(ctx, s.caller, monitor, taste, documents("a", 3)); err != nil {
		t.Error(err)
	}
	s.wantDocs(t, 3, 0)
}

func TestEditWithoutChangesIsNotWritten(t *testing.T) {
	s := newFixture(t)
	if _, err := s.Add(t.Context(), s.caller, monitor, taste, documents("a", 1)); err != nil {
		t.Fatal(err)
	}
	posts, err := s.List(t.Context(), s.monitor(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Edit(t.Context(), s.caller, monitor, posts[0].ID(), func(*earshot.TrainingPost) {}); err != nil {
		t.Fatal(err)
	}
	if got := s.monitor(t).Training.Changes; got != 1 {
		t.Errorf("got %d changes, want 1", got)
	}
}

func TestConcurrentAdds(t *testing.T) {
	s := newFixture(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := s.Add(t.Context(), s.caller, monitor, taste, documents(fmt.Sprint(i), 10)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s.wantDocs(t, 80, 0)
	if got := s.monitor(t).Training.Changes; got != 8 {
		t.Errorf("got %d changes, want 8", got)
	}
}

func TestEditAndRemove(t *testing.T) {
	s := newFixture(t)
	if _, err := s.Add(t.Context(), s.caller, monitor, taste, documents("a", 2)); err != nil {
		t.Fatal(err)
	}
	posts, err := s.List(t.Context(), s.monitor(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	id := posts[0].ID()
	_, edited, err := s.Edit(t.Context(), s.caller, monitor, id, func(p *earshot.TrainingPost) { p.Category, p.Contents, p.URL = price, "new", "other" })
	if err != nil || edited.Contents != "new" || edited.URL != posts[0].URL {
		t.Errorf("got %+v, %v", edited, err)
	}
	s.wantDocs(t, 1, 1)
	for _, bad := range []func(*earshot.TrainingPost){
		func(p *earshot.TrainingPost) { p.Category = 12345 },
		func(p *earshot.TrainingPost) { p.Contents = "" },
	} {
		if _, _, err := s.Edit(t.Context(), s.caller, monitor, id, bad); err == nil {
			t.Error("want an error")
		}
	}
	for _, want := range []bool{true, false} {
		if err := s.Remove(t.Context(), s.caller, monitor, id); (err == nil) != want {
			t.Errorf("remove: got %v", err)
		}
	}
	s.wantDocs(t, 1, 0)
}

func TestPostsOfRemovedCategoryAreNotListed(t *testing.T) {
	s := newFixture(t)
	for _, category := range []earshot.CategoryID{taste, price} {
		if _, err := s.Add(t.Context(), s.caller, monitor, category, documents(fmt.Sprint(category), 3)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Catalog.Monitors.Update(t.Context(), monitor, func(m *earshot.Monitor) error {
		m.Categories = m.Categories[:1]
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if posts, err := s.List(t.Context(), s.monitor(t), 0); err != nil || len(posts) != 3 {
		t.Errorf("got %d, %v", len(posts), err)
	}
}

func TestTrainedModelIsReadBack(t *testing.T) {
	s := newFixture(t)
	if _, err := s.Add(t.Context(), s.caller, monitor, taste, documents("smooth flavour", 12)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Train(t.Context(), monitor, 0); err == nil || !strings.Contains(err.Error(), "Price has 0") {
		t.Errorf("with one category: got %v", err)
	}
	if _, err := s.Add(t.Context(), s.caller, monitor, price, documents("expensive dollars", 12)); err != nil {
		t.Fatal(err)
	}
	m, err := s.Train(t.Context(), monitor, 0)
	if err != nil {
		t.Fatal(err)
	}
	post := earshot.Post{Contents: "an expensive thing"}
	model, err := s.Model(t.Context(), m.Training.Model)
	if err != nil {
		t.Fatal(err)
	}
	want := model.Score(&post, nil)
	fresh := &training.Service{Catalog: s.Catalog, Rematcher: idleMatcher{m.Training.Model.Record}}
	used, read, err := fresh.InUse(t.Context(), monitor)
	if err != nil || used != m.Training.Model || !slices.Equal(read.Score(&post, nil), want) {
		t.Errorf("read back: %+v, %v", used, err)
	}
}

func TestSweepRemovesUnreferencedRecords(t *testing.T) {
	s := newFixture(t)
	if _, err := s.Add(t.Context(), s.caller, monitor, taste, documents("a", 2)); err != nil {
		t.Fatal(err)
	}
	lost, err := s.Catalog.AddBlob(t.Context(), []byte("cut off"))
	if err != nil {
		t.Fatal(err)
	}
	reopened, err := catalog.Open(t.Context(), s.store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer reopened.Close()
	if err := reopened.Monitors.Add(t.Context(), 77, &earshot.Monitor{ID: 77, Removed: true, Training: earshot.Training{Documents: lost}}); err != nil {
		t.Fatal(err)
	}
	after := &training.Service{Catalog: reopened, Log: slog.New(slog.DiscardHandler)}
	after.Sweep(t.Context())
	if _, err := reopened.FindBlob(t.Context(), lost); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("unreferenced blob: got %v", err)
	}
	s.wantDocs(t, 2, 0)
}

func TestAddReturnsPreviousCategories(t *testing.T) {
	s := newFixture(t)
	f := func(category earshot.CategoryID, urls string, want ...earshot.CategoryID) {
		t.Helper()
		var docs []training.Document
		for _, url := range strings.Fields(urls) {
			docs = append(docs, document(url, "text"))
		}
		added, err := s.Add(t.Context(), s.caller, monitor, category, docs)
		if err != nil || !slices.Equal(added.Previous, want) {
			t.Errorf("%s: got %v, error %v, want %v", urls, added.Previous, err, want)
		}
	}
	f(taste, "a b", 0, 0)
	f(price, "c b b", 0, taste, taste)
	f(taste, "b a d d c", price, taste, 0, 0, price)
}
