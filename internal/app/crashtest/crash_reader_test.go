package crashtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strconv"
	"testing"
)

// A reader requests groups while they are written. It must see each group as a whole, and never an
// older version than before, even after a kill, because visible posts are on disk.
type reader struct {
	*rand.Rand
	monitor int64
	latest  map[groupKey]int // last version seen
}

// run sends requests until the process is killed.
func (r *reader) run(t *testing.T, p *process) {
	for {
		name := fmt.Sprintf("w%dg%d", r.IntN(4), r.IntN(groupsPerWriter))
		status, answer, err := p.call("GET", fmt.Sprintf("/api/monitor/posts?id=%d&start=2024-03-01&end=2024-03-%02d&filter=%s",
			r.monitor, 3+crashDays, url.QueryEscape("author:"+name)), "")
		if err != nil {
			if !p.Dying.Load() {
				t.Error(err)
			}
			return
		}
		if status != 200 {
			t.Errorf("posts of %s: %d %s", name, status, answer)
			return
		}
		if problem := r.check(name, answer); problem != "" {
			t.Error(problem)
			return
		}
	}
}

func (r *reader) check(name string, answer []byte) (problem string) {
	var list struct {
		Posts []struct{ Title, Type string }
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return err.Error()
	}
	found := versions{}
	for _, post := range list.Posts {
		key := groupKey{post.Type, name}
		if found[key] == nil {
			found[key] = map[int]int{}
		}
		version, _ := strconv.Atoi(post.Title)
		found[key][version]++
	}
	for key, got := range found {
		for version, n := range got {
			if len(got) != 1 || n != size(name) {
				return fmt.Sprintf("%s in %s was partly visible (version:documents): %v, want %d documents", name, key.source, got, size(name))
			}
			if version < r.latest[key] {
				return fmt.Sprintf("%s in %s has version %d, it had %d before", name, key.source, version, r.latest[key])
			}
			r.latest[key] = version
		}
	}
	return ""
}

// compare fails if a group is older than it was before a kill.
func (r *reader) compare(t *testing.T, all map[groupKey]group) {
	t.Helper()
	for key, g := range all {
		if g.version < r.latest[key] {
			t.Fatalf("%s in %s had version %d before a restart and has %d after it", key.name, key.source, r.latest[key], g.version)
		}
	}
}

// A fileWatch counts files that were merged into others. A file found at two consecutive starts is
// durable, because a start removes files that are not. It can only disappear by a merge.
type fileWatch struct {
	last, lasting map[string]bool
	merged        int
}

func (w *fileWatch) poll(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	now, lasting := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // removed in the meantime
		}
		file := fmt.Sprint(e.Name(), info.ModTime().UnixNano()) // names of files that were not durable are reused
		now[file] = true
		lasting[file] = w.last[file]
	}
	for name, was := range w.lasting {
		if was && !now[name] {
			w.merged++
		}
	}
	w.last, w.lasting = now, lasting
}
