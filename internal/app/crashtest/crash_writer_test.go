package crashtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"earshot/internal/app/processtest"
)

// Documents belong to groups, which are uploaded as a whole with a version, and deleted as a whole.
// So a reader must see all documents of a group in the same version, or none.
type groupKey struct{ source, name string }

type group struct {
	batch   string
	version int
}

// bigGroup is so large that the journal splits it. It is complete after a restart, but may become
// visible in parts.
const bigGroup = "w0big"

// size returns the number of documents in a group.
func size(name string) int {
	if name == bigGroup {
		return 1000
	}
	h := fnv.New32()
	h.Write([]byte(name))
	return 1 + int(h.Sum32()%50)
}

func guid(name string, i int) string    { return fmt.Sprintf("%s-%d", name, i) }
func address(name string, i int) string { return fmt.Sprintf("https://example.com/%s/%d", name, i) }

// holdings is what a writer has stored.
type holdings struct {
	sources map[string]bool
	groups  map[groupKey]group
}

func (h holdings) clone() holdings {
	return holdings{maps.Clone(h.sources), maps.Clone(h.groups)}
}

// A writer sends one request at a time. No one else changes its groups, so their state is known,
// except for the request in flight at a kill.
type writer struct {
	*rand.Rand
	name     string
	team     int64
	ids      map[string]int64 // of the content sources
	big      bool             // whether bigGroup is one of its groups
	versions int
	sources  int // number of sources created

	known   holdings
	flying  *request       // request in flight; nil: none
	uploads []upload       // took effect, but not yet checked in the stream
	deleted map[string]int // deleted groups, up to a version; streams no longer return them

	acknowledged *atomic.Int64 // requests of all writers
}

// commonSource is the source that all writers share. Each writer also has a source of its own.
const commonSource = "Common"

const groupsPerWriter = 40

// A request is an HTTP request and its effect.
type request struct {
	method, path, body string
	after              holdings
	upload             *upload // nil: not an upload
	done               func(answer []byte)
}

// An upload is a version of some groups.
type upload struct {
	version int
	names   []string
}

// run sends requests until the process is killed.
func (w *writer) run(t *testing.T, p *process) {
	for {
		r := w.choose()
		w.flying = &r
		status, answer, err := p.call(r.method, r.path, r.body)
		if err != nil {
			if !p.Dying.Load() {
				t.Errorf("%s %s: %v", r.method, r.path, err)
			}
			return
		}
		if status >= 300 {
			t.Errorf("%s %s: %d %s", r.method, r.path, status, answer)
			return
		}
		if r.done != nil {
			r.done(answer)
		}
		w.succeeded(r)
		w.acknowledged.Add(1)
	}
}

// succeeded records that a request took effect.
func (w *writer) succeeded(r request) {
	for key := range w.known.groups {
		if _, still := r.after.groups[key]; !still {
			w.deleted[key.name] = w.versions
		}
	}
	w.known, w.flying = r.after, nil
	if r.upload != nil {
		w.uploads = append(w.uploads, *r.upload)
	}
}

func (w *writer) choose() request {
	if w.ownSource() == "" {
		return w.makeSource()
	}
	if w.big && w.IntN(25) == 0 {
		return w.upload([]string{bigGroup})
	}
	if len(w.known.groups) > groupsPerWriter/4 {
		switch w.IntN(40) {
		case 0, 1, 2, 3:
			return w.deleteGroups("", 1+w.IntN(3))
		case 4, 5:
			return w.deleteBatch()
		case 6, 7:
			return w.deleteGroups(w.batch(), 5)
		case 8:
			return w.removeSource()
		}
	}
	var names []string
	for _, i := range w.Perm(groupsPerWriter)[:1+w.IntN(5)] {
		names = append(names, fmt.Sprintf("%sg%d", w.name, i))
	}
	return w.upload(names)
}

// batch returns one of a few names, so several uploads share a batch.
func (w *writer) batch() string { return fmt.Sprintf("%sb%d", w.name, w.IntN(12)) }

// upload adds groups, or replaces them with a new version and another date.
func (w *writer) upload(names []string) request {
	w.versions++
	source, batch := w.source(), w.batch()
	after := w.known.clone()
	var body bytes.Buffer
	for _, name := range names {
		after.groups[groupKey{source, name}] = group{batch, w.versions}
		w.writeGroup(&body, name)
	}
	return request{
		method: "POST", path: fmt.Sprintf("/api/content/upload?documentType=%d&batch=%s", w.ids[source], batch),
		body: fmt.Sprintf(`{"items":[%s]}`, strings.TrimSuffix(body.String(), ",")), after: after,
		upload: &upload{w.versions, names},
	}
}

func (w *writer) writeGroup(body *bytes.Buffer, name string) {
	text := words(w.versions)
	for i := range size(name) {
		if name == bigGroup {
			text = words(w.versions) + " " + processtest.Noise(w.Rand, 9000)
		}
		fmt.Fprintf(body, `{"guid":%q,"url":%q,"date":"2024-03-%02dT%02d:%02d:00","title":"%d","author":%q,"contents":%q},`,
			guid(name, i), address(name, i), 2+w.IntN(crashDays), w.IntN(24), w.IntN(60), w.versions, name, text)
	}
}

// deleteGroups deletes groups by the guids or URLs of their documents, in one batch or in any.
func (w *writer) deleteGroups(batch string, n int) request {
	source := w.source()
	after := w.known.clone()
	var items []map[string]string
	for _, key := range w.groups() {
		if key.source != source || w.IntN(3) == 0 || n == 0 {
			continue
		}
		n--
		for i := range size(key.name) {
			if w.IntN(2) == 0 {
				items = append(items, map[string]string{"guid": guid(key.name, i)})
			} else {
				items = append(items, map[string]string{"url": address(key.name, i)})
			}
		}
		if batch == "" || after.groups[key].batch == batch {
			delete(after.groups, key)
		}
	}
	if len(items) == 0 {
		return w.upload([]string{w.name + "g0"})
	}
	body, _ := json.Marshal(map[string]any{"items": items})
	path := fmt.Sprintf("/api/content/delete?documentType=%d", w.ids[source])
	if batch != "" {
		path += "&batch=" + url.QueryEscape(batch)
	}
	return request{method: "POST", path: path, body: string(body), after: after}
}

func (w *writer) deleteBatch() request {
	source, batch := w.source(), w.batch()
	after := w.known.clone()
	for key, g := range w.known.groups {
		if key.source == source && g.batch == batch {
			delete(after.groups, key)
		}
	}
	return request{method: "POST", path: fmt.Sprintf("/api/content/delete?documentType=%d&batch=%s", w.ids[source], batch), after: after}
}

func (w *writer) makeSource() request {
	w.sources++
	name := fmt.Sprintf("%s source %d", w.name, w.sources)
	after := w.known.clone()
	after.sources[name] = true
	return request{
		method: "POST", path: "/api/content/sources", body: fmt.Sprintf(`{"name":%q,"teamid":"%d"}`, name, w.team), after: after,
		done: func(answer []byte) {
			var made struct{ ContentSource struct{ ID int64 } }
			if json.Unmarshal(answer, &made) == nil {
				w.ids[name] = made.ContentSource.ID
			}
		},
	}
}

// removeSource removes the writer's own content source with all documents.
func (w *writer) removeSource() request {
	source := w.ownSource()
	after := w.known.clone()
	delete(after.sources, source)
	maps.DeleteFunc(after.groups, func(key groupKey, _ group) bool { return key.source == source })
	return request{method: "DELETE", path: fmt.Sprintf("/api/content/sources?documentType=%d", w.ids[source]), after: after}
}

// ownSource returns the writer's own content source, or "".
func (w *writer) ownSource() string {
	for name := range w.known.sources {
		return name
	}
	return ""
}

func (w *writer) source() string {
	if w.IntN(2) == 0 {
		return commonSource
	}
	return w.ownSource()
}

// groups returns the stored groups in a deterministic order.
func (w *writer) groups() []groupKey {
	return slices.SortedFunc(maps.Keys(w.known.groups), func(a, b groupKey) int {
		return strings.Compare(a.source+a.name, b.source+b.name)
	})
}

// adopt checks that the stored data is in an allowed state, and records that state.
func (w *writer) adopt(t *testing.T, s *storedPosts) {
	t.Helper()
	mine := s.of(w.name)
	problem := w.known.differs(mine)
	if problem == "" {
		w.flying = nil
		return
	}
	if w.flying == nil {
		t.Fatalf("%s, with everything acknowledged: %s", w.name, problem)
	}
	if other := w.flying.after.differs(mine); other != "" {
		t.Fatalf("%s has neither\nwhat was acknowledged: %s\nor with the request in flight: %s", w.name, problem, other)
	}
	w.succeeded(*w.flying)
}
