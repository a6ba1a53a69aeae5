package crashtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A keyword is a query and the versions of groups that it selects.
type keyword struct {
	query   string
	selects func(version int) bool
}

var keywords = []keyword{
	{"survivor", func(int) bool { return true }},
	{"even", func(v int) bool { return v%2 == 0 }},
	{"survivor AND NOT even", func(v int) bool { return v%2 != 0 }},
	{"even AND third", func(v int) bool { return v%6 == 0 }},
	{"odd OR third", func(v int) bool { return v%2 != 0 || v%3 == 0 }},
	{`"survivor odd third"`, func(v int) bool { return v%6 == 3 }},
}

// words returns the text of documents of a version.
func words(version int) string {
	text := []string{"survivor", "even"}
	if version%2 != 0 {
		text[1] = "odd"
	}
	if version%3 == 0 {
		text = append(text, "third")
	}
	return strings.Join(text, " ")
}

// A manager creates, edits, resets and removes monitors, one request at a time.
type manager struct {
	*rand.Rand
	team int64
	ids  map[string]int64 // by name
	made int

	known  map[string]int // index in keywords, by monitor name
	flying map[string]int // state if the request in flight takes effect; nil: no request is in flight

	acknowledged *atomic.Int64
}

const mostMonitors = 4

// run sends requests until the process is killed.
func (m *manager) run(t *testing.T, p *process) {
	for {
		after, method, path, body := m.choose()
		m.flying = after
		status, answer, err := p.call(method, path, body)
		if err != nil {
			if !p.Dying.Load() {
				t.Errorf("%s %s: %v", method, path, err)
			}
			return
		}
		if status >= 300 {
			t.Errorf("%s %s: %d %s", method, path, status, answer)
			return
		}
		if path == monitorsPath {
			var made struct {
				ID   int64
				Name string
			}
			if err := json.Unmarshal(answer, &made); err != nil {
				t.Error(err)
				return
			}
			m.ids[made.Name] = made.ID
		}
		m.known, m.flying = after, nil
		m.acknowledged.Add(1)
	}
}

const monitorsPath = "/manage/v1/monitors"

func (m *manager) choose() (after map[string]int, method, path, body string) {
	after = maps.Clone(m.known)
	names := slices.Sorted(maps.Keys(m.known))
	chosen := m.IntN(len(keywords))
	if len(names) == 0 || len(names) < mostMonitors && m.IntN(3) == 0 {
		m.made++
		name := fmt.Sprintf("Monitor %d", m.made)
		after[name] = chosen
		return after, "POST", monitorsPath, fmt.Sprintf(`{"name":%q,"team":%d,"keywords":%q,"start":"2024-03-01"}`, name, m.team, keywords[chosen].query)
	}
	name := names[m.IntN(len(names))]
	path = fmt.Sprintf("%s/%d", monitorsPath, m.ids[name])
	switch m.IntN(6) {
	case 0:
		delete(after, name)
		return after, "DELETE", path, ""
	case 1:
		return after, "POST", path + "/reset", fmt.Sprintf(`{"from":"2024-03-%02d"}`, 1+m.IntN(crashDays))
	}
	after[name] = chosen
	return after, "PATCH", path, fmt.Sprintf(`{"keywords":%q}`, keywords[chosen].query)
}

// adopt checks that the existing monitors are in an allowed state, and records that state.
func (m *manager) adopt(t *testing.T, p *process) {
	t.Helper()
	var list struct {
		Items []struct {
			ID             int64
			Name, Keywords string
		}
	}
	p.must(t, "GET", monitorsPath, "", &list)
	got := map[string]int{}
	for _, item := range list.Items {
		if item.Name == allMonitor || item.Name == thirdMonitor || item.Name == taughtMonitor {
			continue
		}
		m.ids[item.Name] = item.ID
		got[item.Name] = slices.IndexFunc(keywords, func(k keyword) bool { return k.query == item.Keywords })
	}
	if !maps.Equal(got, m.known) && (m.flying == nil || !maps.Equal(got, m.flying)) {
		t.Fatalf("got monitors with keywords %v, want %v or %v", got, m.known, m.flying)
	}
	m.known, m.flying = got, nil
}

// compare waits until stored posts are matched, and compares the posts of each monitor with its
// query.
func (m *manager) compare(t *testing.T, p *process, all map[groupKey]group) {
	t.Helper()
	for name, chosen := range m.known {
		awaitMatched(t, p, m.ids[name])
		want := maps.Clone(all)
		maps.DeleteFunc(want, func(_ groupKey, g group) bool { return !keywords[chosen].selects(g.version) })
		if problem := posts(t, p, m.ids[name], "").differ(want); problem != "" {
			t.Fatalf("%s with keywords %s: %s", name, keywords[chosen].query, problem)
		}
	}
}

// awaitMatched waits until all stored posts are matched against a monitor.
func awaitMatched(t *testing.T, p *process, id int64) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		var progress struct{ State, Message string }
		p.must(t, "GET", fmt.Sprintf("%s/%d/progress", monitorsPath, id), "", &progress)
		switch progress.State {
		case "idle", "done":
			return
		case "failed":
			t.Fatalf("monitor %d: %s\n%s", id, progress.Message, p.Log)
		}
		if time.Now().After(deadline) {
			t.Fatalf("monitor %d is %s for a minute", id, progress.State)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
