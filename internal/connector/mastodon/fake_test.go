package mastodon

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

// A fake is a Mastodon server with one hashtag, #test, which all posts have.
type fake struct {
	*httptest.Server
	now func() time.Time

	mu        sync.Mutex
	domain    string
	info      map[string]any
	posts     []*fakePost // ascending by id
	last      uint64      // id
	written   int
	listeners map[chan []byte]string // messages for open streams, by name of the stream
	token     string                 // "": streams are not available
	refused   time.Time
	rejected  int
	revoked   bool
	noBatch   bool // the server is too old to return several posts at once
	emptyList bool // it returns none although it has them
	lost      bool // it finds no single post, although its timelines have them
	lists     int  // how many it still finds if several are requested
	silent    bool // streams send no heartbeats
	period    time.Time
	requests  int // in the period
	most      int // streams open at once
	violation string
	paths     map[string]int // requests by path

	page       string // instead of stored posts; "": none
	pageStatus int
}

type fakePost struct {
	id   uint64
	json map[string]any
	raw  []byte // instead of json
}

const fakeWindow, fakeLimit = 5 * time.Minute, 300

func newFake(t testing.TB, now func() time.Time) *fake {
	f := &fake{now: now, token: "secret-token", listeners: map[chan []byte]string{}, paths: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v2/instance", f.handle(func(*http.Request) (int, any) { return 200, f.info }))
	mux.HandleFunc("GET /api/v1/timelines/tag/{tag}", f.handle(f.timeline))
	mux.HandleFunc("GET /api/v1/timelines/public", f.handle(f.timeline))
	mux.HandleFunc("GET /api/v1/statuses", f.handle(f.several))
	mux.HandleFunc("GET /api/v1/statuses/{id}", f.handle(f.one))
	mux.HandleFunc("GET /api/v1/streaming/{name...}", f.stream)
	f.Server = httptest.NewServer(mux)
	f.domain = strings.TrimPrefix(f.URL, "http://")
	f.info = map[string]any{
		"domain": f.domain, "version": "4.6.4",
		"configuration": map[string]any{
			"urls":             map[string]any{"streaming": "ws://" + f.domain, "about": f.URL + "/about", "terms_of_service": nil},
			"timelines_access": map[string]any{"live_feeds": map[string]any{"local": "public", "remote": "public"}, "hashtag_feeds": map[string]any{"local": "public", "remote": "public"}},
		},
		"rules": []any{map[string]any{"id": "1", "text": "Be kind", "hint": "Always."}},
	}
	t.Cleanup(f.Close)
	return f
}

// settings returns the settings of a source that reads the fake.
func (f *fake) settings() connector.Settings {
	s, err := decodeServer(mustJSON(f.info), f.URL)
	if err != nil {
		panic(err)
	}
	return connector.Settings{"url": f.URL, "hashtags": "test", "accepted_rules": s.rules.Version, "trusted": "true"}
}

// handle answers a request that counts for the limit.
func (f *fake) handle(answer func(*http.Request) (int, any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.paths[r.URL.Path]++
		now := f.now()
		if now.Sub(f.period) > fakeWindow {
			f.period, f.requests = now, 0
		}
		f.requests++
		w.Header().Set("X-RateLimit-Limit", strconv.Itoa(fakeLimit))
		w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(max(fakeLimit-f.requests, 0)))
		w.Header().Set("X-RateLimit-Reset", f.period.Add(fakeWindow).UTC().Format(time.RFC3339Nano))
		if f.requests > fakeLimit {
			f.violation = fmt.Sprintf("%d requests in five minutes", f.requests)
		}
		if f.deny(w, r) {
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		status, body := answer(r)
		if single := strings.HasPrefix(r.URL.Path, "/api/v1/statuses/"); f.page != "" && (single || r.URL.Path == "/api/v1/statuses" && !f.noBatch) {
			w.WriteHeader(f.pageStatus)
			fmt.Fprint(w, f.page)
			return
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
}

// deny answers requests that the fake refuses. The caller holds f.mu.
func (f *fake) deny(w http.ResponseWriter, r *http.Request) bool {
	switch token, given := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); {
	case f.now().Before(f.refused):
		f.rejected++
		w.Header().Set("Retry-After", strconv.Itoa(int(f.refused.Sub(f.now())/time.Second)+1))
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":"Too many requests"}`)
	case f.revoked, given && token != f.token:
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":"The access token was revoked: %s"}`, token)
	default:
		return false
	}
	return true
}

func (p *fakePost) body() any {
	if p.raw != nil {
		return json.RawMessage(p.raw)
	}
	return p.json
}

// timeline answers like a server: ids above min_id, the lowest first, but listed in descending order.
func (f *fake) timeline(r *http.Request) (int, any) {
	first, end := 0, len(f.posts)
	if r.FormValue("min_id") != "" {
		first, _ = f.search(formID(r, "min_id") + 1)
	}
	if r.FormValue("max_id") != "" {
		end, _ = f.search(formID(r, "max_id"))
	}
	found := f.posts[first:max(first, end)]
	limit := min(cmp.Or(int(formID(r, "limit")), 20), 40)
	if extra := len(found) - limit; extra > 0 {
		if r.FormValue("min_id") != "" {
			found = found[:limit]
		} else {
			found = found[extra:]
		}
	}
	list := []any{}
	for _, p := range slices.Backward(found) {
		if p.raw == nil || json.Valid(p.raw) {
			list = append(list, p.body())
		}
	}
	return 200, list
}

func formID(r *http.Request, name string) uint64 {
	n, _ := strconv.ParseUint(r.FormValue(name), 10, 64)
	return n
}

func (f *fake) several(r *http.Request) (int, any) {
	ids := r.URL.Query()["id[]"]
	switch {
	case f.noBatch:
		return 404, map[string]string{"error": "Record not found"}
	case len(ids) > 20:
		return 422, map[string]string{"error": "Validation failed"}
	}
	list := []any{}
	for _, id := range ids {
		if p := f.find(id); p != nil && !f.emptyList && (!f.lost || len(list) < f.lists) {
			list = append(list, p.body())
		}
	}
	return 200, list
}

func (f *fake) one(r *http.Request) (int, any) {
	if p := f.find(r.PathValue("id")); p != nil && !f.lost {
		return 200, p.body()
	}
	return 404, map[string]string{"error": "Record not found"}
}

// find returns the post with an id or a uri. The caller holds f.mu.
func (f *fake) find(id string) *fakePost {
	if number, err := strconv.ParseUint(id, 10, 64); err == nil {
		if i, ok := f.search(number); ok {
			return f.posts[i]
		}
		return nil
	}
	for _, p := range f.posts {
		if p.json["uri"] == id {
			return p
		}
	}
	return nil
}

// search returns the position of an id. The caller holds f.mu.
func (f *fake) search(id uint64) (int, bool) {
	return slices.BinarySearchFunc(f.posts, id, func(p *fakePost, id uint64) int { return cmp.Compare(p.id, id) })
}

func (f *fake) stream(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name") + "?" + r.URL.RawQuery
	messages := make(chan []byte, 1000)
	f.mu.Lock()
	if r.Header.Get("Authorization") == "" {
		w.WriteHeader(http.StatusUnauthorized)
		f.mu.Unlock()
		return
	}
	if f.deny(w, r) {
		f.mu.Unlock()
		return
	}
	f.listeners[messages] = name
	open := 0
	for _, other := range f.listeners {
		if other == name {
			open++
		}
	}
	f.most = max(f.most, open)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.listeners, messages)
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, ":)\n")
	heartbeat := time.NewTicker(100 * time.Millisecond)
	if f.silent {
		heartbeat.Stop()
	}
	defer heartbeat.Stop()
	for {
		w.(http.Flusher).Flush()
		select {
		case m := <-messages:
			_, _ = w.Write(m)
		case <-heartbeat.C:
			fmt.Fprint(w, ":thump\n")
		case <-r.Context().Done():
			return
		}
	}
}

// send sends a message to all streams. The caller holds f.mu.
func (f *fake) send(name string, data any) {
	if len(f.listeners) == 0 {
		return
	}
	text, ok := data.([]byte)
	if !ok {
		text = mustJSON(data)
	}
	for l := range f.listeners {
		select {
		case l <- fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, text):
		default: // the stream is not read
		}
	}
}

// publish adds a post with HTML as content, changed by edits.
func (f *fake) publish(content string, edits ...func(post map[string]any)) *fakePost {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = max(f.last+1, uint64(f.now().UnixMilli())<<16)
	f.written++
	p := &fakePost{id: f.last, json: statusJSON(f.last, f.URL, content, f.now())}
	for _, edit := range edits {
		edit(p.json)
	}
	f.posts = append(f.posts, p)
	f.send("update", p.json)
	return p
}

// statusJSON returns a status with the fields that servers of version 4.6 send.
func statusJSON(id uint64, base, content string, at time.Time) map[string]any {
	text := strconv.FormatUint(id, 10)
	user := fmt.Sprintf("user%d", id%7)
	return map[string]any{
		"id": text, "created_at": at.UTC().Format("2006-01-02T15:04:05.000Z"), "in_reply_to_id": nil, "in_reply_to_account_id": nil,
		"sensitive": false, "spoiler_text": "", "visibility": "public", "language": "en",
		"uri": base + "/ap/users/" + user + "/statuses/" + text, "url": base + "/@" + user + "/" + text,
		"replies_count": 0, "reblogs_count": 0, "favourites_count": 0, "quotes_count": 0, "edited_at": nil,
		"content": "<p>" + content + `</p><p><a href="` + base + `/tags/test" class="mention hashtag" rel="tag">#<span>test</span></a></p>`,
		"reblog":  nil,
		"account": map[string]any{
			"id": "1", "username": user, "acct": user, "display_name": "", "locked": false, "bot": false, "discoverable": true, "indexable": true, "group": false,
			"created_at": "2026-08-01T00:00:00.000Z", "note": "", "url": base + "/@" + user, "uri": base + "/ap/users/" + user,
			"followers_count": 3, "following_count": 2, "statuses_count": 10, "noindex": false, "emojis": []any{}, "roles": []any{}, "fields": []any{},
		},
		"media_attachments": []any{}, "mentions": []any{}, "tags": []any{map[string]any{"name": "test", "url": base + "/tags/test"}}, "emojis": []any{},
		"quote": nil, "card": nil, "poll": nil,
	}
}

// edit changes a post.
func (f *fake) edit(uri string, edit func(post map[string]any)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.find(uri)
	changed := map[string]any{}
	for k, v := range p.json {
		changed[k] = v
	}
	edit(changed)
	changed["edited_at"] = f.now().UTC().Format(time.RFC3339)
	p.json = changed
	f.send("status.update", p.json)
}

// delete deletes a post.
func (f *fake) delete(uri string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.find(uri)
	f.posts = slices.DeleteFunc(f.posts, func(o *fakePost) bool { return o == p })
	f.send("delete", []byte(strconv.FormatUint(p.id, 10)))
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func (f *fake) requestsTo(path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.paths[path]
}

// total returns the number of requests so far.
func (f *fake) total() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, count := range f.paths {
		n += count
	}
	return n
}

// network returns the fake as the contract tests use it.
func (f *fake) network() *connectortest.Fake {
	edits := 0
	return &connectortest.Fake{
		Kind:     Kind(),
		Settings: f.settings(),
		Secret:   f.token,
		Publish: func(n int) (guids []string) {
			for range n {
				guids = append(guids, f.publish("I like " + connectortest.Word).json["uri"].(string))
			}
			return guids
		},
		Edit: func(guid string) string {
			edits++
			word := fmt.Sprintf("edited%d", edits)
			f.edit(guid, func(post map[string]any) { post["content"] = "<p>" + connectortest.Word + " " + word + "</p>" })
			return word
		},
		Delete: f.delete,
		DeleteAccount: func(guid string) (guids []string) {
			f.mu.Lock()
			owner := f.find(guid).json["account"].(map[string]any)["uri"]
			for _, p := range f.posts {
				if p.json["account"].(map[string]any)["uri"] == owner {
					guids = append(guids, p.json["uri"].(string))
				}
			}
			f.mu.Unlock()
			for _, guid := range guids {
				f.delete(guid)
			}
			return guids
		},
		Disconnect: f.CloseClientConnections,
		Forget: func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.posts = nil
		},
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
			case f.violation != "":
				return f.violation
			case f.rejected > 1:
				return fmt.Sprintf("%d requests during a refusal", f.rejected)
			case f.most > 4: // a killed connection takes a moment to end
				return fmt.Sprintf("%d connections to a stream", f.most)
			}
			return ""
		},
		Scale: 60,
	}
}

// junk sends what a server should never send, in the stream and in the timeline.
func (f *fake) junk() {
	raw := func(format string, args ...any) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.last = max(f.last+1, uint64(f.now().UnixMilli())<<16)
		p := &fakePost{id: f.last, raw: []byte(strings.ReplaceAll(fmt.Sprintf(format, args...), "ID", strconv.FormatUint(f.last, 10)))}
		if len(p.raw) < 100_000 {
			f.posts = append(f.posts, p)
		}
		f.send("update", p.raw)
	}
	raw(`{"id":"ID",`)
	raw(`[]`)
	raw(`null`)
	raw(`{}`)
	raw(`"ID"`)
	raw(`{"id":"ID","account":17,"tags":"none","created_at":"yesterday"}`)
	raw(`{"id":"ID","visibility":"public","uri":"https://a.example/1","content":"<p>no date</p>"}`)
	raw(`{"id":"ID","visibility":"public","created_at":"2026-08-01T13:55:55Z","content":"<p>no uri</p>"}`)
	raw(`{"id":"../../ID","visibility":"public","created_at":"2026-08-01T13:55:55Z","uri":"https://a.example/3","content":"bad id"}`)
	raw(`{"id":"ID","visibility":"public","created_at":"9999-08-01T13:55:55Z","uri":"https://a.example/2","content":"late"}`)
	raw("{\"id\":\"ID\",\"visibility\":\"public\",\"created_at\":\"2026-08-01T13:55:55Z\",\"uri\":\"https://a.example/4\",\"content\":\"bad \xff\xfe text\"}")
	raw(`{"id":"ID","visibility":"public","created_at":"2026-08-01T13:55:55Z","uri":"https://a.example/5","content":"%s"}`, strings.Repeat("<div>", 30_000))
	raw(`{"id":"ID","content":"%s"}`, strings.Repeat("x", 3<<20))
	raw(`%s`, strings.Repeat(`{"reblog":`, 9_000))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.send("delete", []byte("1"))
	f.send("delete", []byte("not an id"))
	f.send("notification", []byte(`{}`))
	f.send("", []byte(``))
	f.send("update\nretry: 5\nid: x\nunknown", []byte("{}\ndata: {}\ndata: more"))
}
