package hackernews

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/connector"
	"earshot/internal/connector/connectortest"
)

// A fake is a Hacker News with a search API.
type fake struct {
	*httptest.Server
	now func() time.Time

	mu       sync.Mutex
	newest   int64
	items    map[int64]any // JSON, or raw bytes
	changes  []change
	refused  time.Time // requests are rejected until then
	rejected int       // requests during the refusal
	revoked  bool
	reads    map[int64]int
	searches int
}

type change struct {
	id int64
	at time.Time
}

func newFake(t testing.TB, now func() time.Time) *fake {
	f := &fake{now: now, newest: 121_000, items: map[int64]any{}, reads: map[int64]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v0/maxitem.json", f.handle(func(*http.Request) any { return f.newest }))
	mux.HandleFunc("GET /v0/updates.json", f.handle(f.updates))
	mux.HandleFunc("GET /v0/item/{name}", f.handle(f.item))
	mux.HandleFunc("GET /api/v1/search_by_date", f.handle(f.search))
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

// settings returns the settings of a source that reads the fake.
func (f *fake) settings() connector.Settings {
	return connector.Settings{"url": f.URL + "/v0"}
}

func (f *fake) handle(answer func(*http.Request) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if wait := f.refused.Sub(f.now()); wait > 0 {
			f.rejected++
			w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		if f.revoked {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"error":"Permission denied"}`)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		if body := answer(r); body != nil {
			if raw, ok := body.([]byte); ok {
				_, _ = w.Write(raw)
				return
			}
			_ = json.NewEncoder(w).Encode(body)
			return
		}
		fmt.Fprint(w, "null")
	}
}

func (f *fake) updates(*http.Request) any {
	list := struct {
		Items    []int64  `json:"items"`
		Profiles []string `json:"profiles"`
	}{[]int64{}, []string{"ann"}}
	for _, c := range f.changes {
		if f.now().Sub(c.at) < time.Minute {
			list.Items = append(list.Items, c.id)
		}
	}
	return list
}

func (f *fake) item(r *http.Request) any {
	id, _ := strconv.ParseInt(strings.TrimSuffix(r.PathValue("name"), ".json"), 10, 64)
	f.reads[id]++
	return f.items[id]
}

// search answers like the search API: newest first, and never more than 1,000 hits of a query.
func (f *fake) search(r *http.Request) any {
	f.searches++
	var from, to int64
	if _, err := fmt.Sscanf(r.FormValue("numericFilters"), "created_at_i>=%d,created_at_i<%d", &from, &to); err != nil {
		panic(err)
	}
	number, size := formInt(r, "page"), formInt(r, "hitsPerPage")
	var hits []hit
	for id, it := range f.items {
		it, ok := it.(*item)
		if !ok || it.Time < from || it.Time >= to || it.gone() || !strings.Contains(it.Title+it.Text, r.FormValue("query")) {
			continue
		}
		h := hit{ObjectID: guid(id), Author: it.By, Created: it.Time, Title: it.Title, URL: it.URL, Points: it.Score, Comments: it.Descendants, Tags: []string{it.Type, "author_" + it.By}}
		if h.StoryText = it.Text; it.Type == "comment" {
			h.StoryText, h.CommentText, h.Parent = "", it.Text, it.Parent
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.Created, a.Created), cmp.Compare(b.ObjectID, a.ObjectID))
	})
	page := searchPage{Total: len(hits)}
	reachable := hits[:min(len(hits), 1000)]
	page.Hits = reachable[min(number*size, len(reachable)):min((number+1)*size, len(reachable))]
	return page
}

func formInt(r *http.Request, name string) int {
	n, err := strconv.Atoi(r.FormValue(name))
	if err != nil {
		panic(err)
	}
	return n
}

// publish adds an item and returns it. Fields that are not set are filled in.
func (f *fake) publish(it item) *item {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest++
	it.ID = f.newest
	it.Type = cmp.Or(it.Type, "story")
	it.By = cmp.Or(it.By, "ann")
	it.Time = cmp.Or(it.Time, f.now().Unix())
	f.items[it.ID] = &it
	return &it
}

// raw adds an item with a body that only the test understands. Nil: the item is not visible.
func (f *fake) raw(body []byte) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest++
	if body != nil {
		f.items[f.newest] = body
	}
	return f.newest
}

// edit changes an item and lists it in updates.json.
func (f *fake) edit(id int64, edit func(it *item)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	it := *f.items[id].(*item)
	edit(&it)
	f.items[id] = &it
	f.changes = append(f.changes, change{id, f.now()})
}

func (f *fake) readsOf(id int64) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reads[id]
}

// network returns the fake as the contract tests use it.
func (f *fake) network() *connectortest.Fake {
	number := func(guid string) int64 {
		id, err := strconv.ParseInt(guid, 10, 64)
		if err != nil {
			panic(err)
		}
		return id
	}
	edits := 0
	return &connectortest.Fake{
		Kind:     Kind(),
		Settings: f.settings(),
		Publish: func(n int) (guids []string) {
			for i := range n {
				it := item{Title: "Show HN: " + connectortest.Word, URL: "https://example.com/", Score: new(int64), Descendants: new(int64)}
				if i%3 != 0 {
					it = item{Type: "comment", Text: "<p>I like <i>" + connectortest.Word + "</i>", Parent: 121_000, By: "bob"}
				}
				guids = append(guids, guid(f.publish(it).ID))
			}
			return guids
		},
		Edit: func(guid string) string {
			edits++
			word := fmt.Sprintf("edited%d", edits)
			f.edit(number(guid), func(it *item) { it.Text += "<p>Edit: " + word })
			return word
		},
		Delete: func(guid string) {
			f.edit(number(guid), func(it *item) { *it = item{ID: it.ID, Type: it.Type, Time: it.Time, Deleted: true} })
		},
		Disconnect: f.CloseClientConnections,
		Refuse: func(d time.Duration) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.refused = f.now().Add(d)
		},
		Revoke: func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.revoked = true
		},
		Junk: func(n int) {
			for range n {
				f.junk()
			}
		},
		Violation: func() string {
			f.mu.Lock()
			defer f.mu.Unlock()
			switch {
			case f.rejected > parallelism:
				return fmt.Sprintf("%d requests during a refusal", f.rejected)
			case f.searches > 10_000:
				return fmt.Sprintf("%d searches", f.searches)
			}
			return ""
		},
		Scale: 20,
	}
}

func (f *fake) junk() {
	next := f.newest + 1
	f.raw(nil)
	f.raw([]byte(`{"id":`))
	f.raw([]byte(`"a string"`))
	f.raw([]byte(`[1,2,3]`))
	f.raw([]byte(`{"id":"a","type":1,"time":"now","kids":{}}`))
	f.raw([]byte(`{"id":1,"type":"story","title":"another item","time":1}`))
	f.raw([]byte(strings.Repeat(`{"kids":[`, 20_000)))
	f.raw([]byte(strings.Repeat("x", maxItemSize+1)))
	f.raw(fmt.Appendf(nil, `{"id":%d,"type":"comment","time":1203647620,"text":"%s"}`, next+8, strings.Repeat("<p><b>", 100_000)))
	f.raw(fmt.Appendf(nil, "{\"id\":%d,\"type\":\"comment\",\"time\":1203647620,\"text\":\"bad \xff\xfe \\u0000 text\"}", next+9))
	f.raw(fmt.Appendf(nil, `{"id":%d,"type":"comment","time":9e99,"text":"late"}`, next+10))
	f.raw(fmt.Appendf(nil, `{"id":%d,"type":"comment","time":99999999999,"text":"late"}`, next+11))
	f.raw(fmt.Appendf(nil, `{"id":%d,"type":"comment","text":"no date"}`, next+12))
	f.raw(fmt.Appendf(nil, `{"id":%d,"type":"riddle","time":1203647620,"text":"unknown type"}`, next+13))
	f.raw(fmt.Appendf(nil, `{"id":%d,"type":"comment","time":1203647620,"dead":true,"text":"dead"}`, next+14))
}
