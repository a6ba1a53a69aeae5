package crashtest

import (
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// storedPosts are the posts that the service reports.
type storedPosts struct {
	sources   map[string]int64 // IDs of the content sources
	documents map[string]int64 // documents by source
	groups    versions
	days      map[string]int // documents by day, for days that have any
}

// versions counts the documents of each version, by group.
type versions map[groupKey]map[int]int

// of returns the posts of one writer.
func (s *storedPosts) of(writer string) *storedPosts {
	mine := &storedPosts{sources: map[string]int64{}, groups: versions{}}
	for name, id := range s.sources {
		if strings.HasPrefix(name, writer+" ") {
			mine.sources[name] = id
		}
	}
	for key, g := range s.groups {
		if strings.HasPrefix(key.name, writer) {
			mine.groups[key] = g
		}
	}
	return mine
}

// differs describes how the stored posts differ from the holdings, or returns "".
func (h holdings) differs(s *storedPosts) string {
	for name := range h.sources {
		if _, there := s.sources[name]; !there {
			return fmt.Sprintf("content source %s is missing", name)
		}
	}
	for name := range s.sources {
		if !h.sources[name] {
			return fmt.Sprintf("content source %s should not exist", name)
		}
	}
	return s.groups.differ(h.groups)
}

// differ describes how the versions differ from the expected ones, or returns "".
func (v versions) differ(want map[groupKey]group) string {
	var problems []string
	for key, g := range want {
		if got := v[key]; len(got) != 1 || got[g.version] != size(key.name) {
			problems = append(problems, fmt.Sprintf("%s in %s has (version:documents) %v, want %d:%d", key.name, key.source, got, g.version, size(key.name)))
		}
	}
	for key, got := range v {
		if _, wanted := want[key]; !wanted {
			problems = append(problems, fmt.Sprintf("%s in %s has %v, want nothing", key.name, key.source, got))
		}
	}
	if n := len(problems); n > 5 {
		problems = append(problems[:5], fmt.Sprintf("and %d more", n-5))
	}
	return strings.Join(problems, "; ")
}

// newStored requests all posts.
func newStored(t *testing.T, p *process, team, monitor int64) *storedPosts {
	t.Helper()
	var list struct {
		ContentSources []struct {
			ID        int64
			Name      string
			Documents int64
		}
	}
	p.must(t, "GET", fmt.Sprintf("/api/content/sources/list?team=%d", team), "", &list)
	s := &storedPosts{sources: map[string]int64{}, documents: map[string]int64{}}
	for _, source := range list.ContentSources {
		s.sources[source.Name], s.documents[source.Name] = source.ID, source.Documents
	}
	s.groups = posts(t, p, monitor, "")
	s.days = volume(t, p, allDays(monitor))
	return s
}

// crashDays is the number of days that documents are from. The first is 2024-03-02.
const crashDays = 5

// allDays returns the parameters of a request for all posts of a monitor.
func allDays(monitor int64) string {
	return fmt.Sprintf("id=%d&start=2024-03-01&end=2024-03-%02d", monitor, 3+crashDays)
}

// posts requests the documents of a monitor and its volume, which must agree if there are no
// concurrent writes. With a filter it requests only the documents.
func posts(t *testing.T, p *process, monitor int64, filter string) versions {
	t.Helper()
	days := allDays(monitor)
	var answer struct {
		Posts []struct{ URL, Title, Type, Date string }
		Total int64 `json:"totalPostsAvailable"`
	}
	p.must(t, "GET", "/api/monitor/posts?extendLimit=true&filter="+url.QueryEscape(filter)+"&"+days, "", &answer)
	if answer.Total != int64(len(answer.Posts)) {
		t.Fatalf("monitor %d: %d posts of %d are listed", monitor, len(answer.Posts), answer.Total)
	}
	found, once, perDay := versions{}, map[[2]string]bool{}, map[string]int{}
	for _, post := range answer.Posts {
		if once[[2]string{post.Type, post.URL}] {
			t.Fatalf("monitor %d: %s of %s exists twice", monitor, post.URL, post.Type)
		}
		once[[2]string{post.Type, post.URL}] = true
		key := groupKey{post.Type, strings.Split(post.URL, "/")[3]}
		version, err := strconv.Atoi(post.Title)
		if err != nil {
			t.Fatal(err)
		}
		if found[key] == nil {
			found[key] = map[int]int{}
		}
		found[key][version]++
		perDay[post.Date[:10]]++
	}
	if filter == "" {
		if got := volume(t, p, days); !maps.Equal(got, perDay) {
			t.Fatalf("monitor %d: the volume is %v, the documents are %v", monitor, got, perDay)
		}
	}
	return found
}

// volume requests the number of documents by day, for days that have any.
func volume(t *testing.T, p *process, days string) map[string]int {
	t.Helper()
	var answer struct {
		Total  int `json:"numberOfDocuments"`
		Volume []struct {
			StartDate string
			Documents int `json:"numberOfDocuments"`
		}
	}
	p.must(t, "GET", "/api/monitor/volume?"+days, "", &answer)
	perDay, sum := map[string]int{}, 0
	for _, step := range answer.Volume {
		if sum += step.Documents; step.Documents > 0 {
			perDay[step.StartDate[:10]] = step.Documents
		}
	}
	if sum != answer.Total {
		t.Fatalf("the total volume is %d, but the days have %d", answer.Total, sum)
	}
	return perDay
}
