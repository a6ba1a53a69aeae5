package crashtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

// The opinion monitor, which also selects all documents.
const taughtMonitor = "Taught"

// A trainer trains an opinion monitor, one request at a time.
type trainer struct {
	*rand.Rand
	monitor    int64
	categories [2]int64

	known  map[string]int64 // category by URL of the training post
	flying map[string]int64 // state if the request in flight takes effect; nil: no request is in flight

	acknowledged *atomic.Int64
}

func newTeacher(t *testing.T, c *crashes) *trainer {
	t.Helper()
	var made struct {
		ID         int64
		Categories []struct{ ID int64 }
	}
	c.process.must(t, "POST", monitorsPath, fmt.Sprintf(
		`{"name":%q,"team":%d,"type":"OPINION","keywords":"survivor","start":"2024-03-01","categories":[{"name":"Even"},{"name":"Odd"}]}`, taughtMonitor, c.team), &made)
	return &trainer{
		Rand: c.random(), monitor: made.ID, categories: [2]int64{made.Categories[0].ID, made.Categories[1].ID},
		known: map[string]int64{}, acknowledged: &c.acknowledged,
	}
}

// run sends requests until the process is killed.
func (w *trainer) run(t *testing.T, p *process) {
	for {
		after, body := w.choose()
		w.flying = after
		status, answer, err := p.call("POST", "/api/monitor/train", body)
		if err != nil {
			if !p.Dying.Load() {
				t.Errorf("train: %v", err)
			}
			return
		}
		if status != 200 {
			t.Errorf("train: %d %s", status, answer)
			return
		}
		w.known, w.flying = after, nil
		w.acknowledged.Add(1)
	}
}

// choose returns training posts, some of which replace others.
func (w *trainer) choose() (after map[string]int64, body string) {
	after = maps.Clone(w.known)
	which := w.IntN(2)
	var docs []map[string]string
	for range 12 + w.IntN(20) {
		url := fmt.Sprintf("https://example.com/lesson/%d", w.IntN(200))
		after[url] = w.categories[which]
		text := []string{"a survivor that is even", "a survivor that is odd"}[which]
		docs = append(docs, map[string]string{"title": "", "author": "", "url": url, "language": "en", "date": "2024-03-01T00:00:00Z", "contents": text + " " + url[20:]})
	}
	text, err := json.Marshal(map[string]any{"id": w.monitor, "categoryid": w.categories[which], "documents": docs})
	if err != nil {
		panic(err)
	}
	return after, string(text)
}

// compare checks that the training posts are in an allowed state, waits until stored posts are
// categorized, and checks that each is in exactly one category, the one it is listed with.
func (w *trainer) compare(t *testing.T, p *process) {
	t.Helper()
	var list struct {
		TrainingPosts []struct {
			URL        string
			CategoryID int64
		}
	}
	p.must(t, "GET", fmt.Sprintf("/api/monitor/trainingposts?id=%d", w.monitor), "", &list)
	got := map[string]int64{}
	for _, post := range list.TrainingPosts {
		got[post.URL] = post.CategoryID
	}
	if len(got) != len(list.TrainingPosts) {
		t.Fatalf("of %d training posts %d are different", len(list.TrainingPosts), len(got))
	}
	if !maps.Equal(got, w.known) && (w.flying == nil || !maps.Equal(got, w.flying)) {
		t.Fatalf("there are %d training posts, want %d or %d", len(got), len(w.known), len(w.flying))
	}
	w.known, w.flying = got, nil
	awaitMatched(t, p, w.monitor)
	w.compareCategories(t, p)
}

func (w *trainer) compareCategories(t *testing.T, p *process) {
	t.Helper()
	docs := map[int64]int{}
	for _, category := range w.known {
		docs[category]++
	}
	if docs[w.categories[0]] < 10 || docs[w.categories[1]] < 10 {
		return
	}
	ask := func(filter string) (total int64, posts []struct{ AssignedCategoryID int64 }) {
		var answer struct {
			TotalPostsAvailable int64
			Posts               []struct{ AssignedCategoryID int64 }
		}
		p.must(t, "GET", fmt.Sprintf("/api/monitor/posts?id=%d&start=2024-03-01&end=2025-03-01%s", w.monitor, filter), "", &answer)
		return answer.TotalPostsAvailable, answer.Posts
	}
	all, _ := ask("")
	var sorted int64
	for _, category := range w.categories {
		total, posts := ask(fmt.Sprintf("&filter=category:%d", category))
		sorted += total
		for _, post := range posts {
			if post.AssignedCategoryID != category {
				t.Fatalf("a post is in category %d, but listed with %d", category, post.AssignedCategoryID)
			}
		}
	}
	if sorted != all {
		t.Fatalf("%d of %d posts are in a category", sorted, all)
	}
	var results struct {
		Results []struct{ NumberOfDocuments int64 }
	}
	p.must(t, "GET", fmt.Sprintf("/api/monitor/results?id=%d&start=2024-03-01&end=2025-03-01", w.monitor), "", &results)
	var counted int64
	for _, day := range results.Results {
		counted += day.NumberOfDocuments
	}
	if counted != all {
		t.Fatalf("results count %d of %d posts", counted, all)
	}
}
