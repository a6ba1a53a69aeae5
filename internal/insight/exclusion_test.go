package insight_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/query"
)

func TestExclusions(t *testing.T) {
	var posts []earshot.Post
	add := func(n int, author, contents string, hashtags ...string) {
		for range n {
			p := post(fmt.Sprint("p", len(posts)), "2026-03-10T12:00:00Z", contents)
			p.Author, p.Hashtags = author, hashtags
			if author == "" {
				p.Author = fmt.Sprint("author", len(posts))
			}
			posts = append(posts, p)
		}
	}
	add(3, "", "kelvarro river flood warning #hydro", "hydro")
	add(1, "gauge", "kelvarro level rising")
	add(1, "gauge", "kelvarro level falling in the river")
	add(40, "", "kelvarro coffee in the morning")
	add(2, "", "kelvarro coffee by the river")
	engine := memory.New()
	var matched []poststore.MatchedPost
	for _, p := range posts {
		matched = append(matched, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(1)}})
	}
	if err := engine.Append(t.Context(), 1, matched); err != nil {
		t.Fatal(err)
	}
	s := &insight.Service{Store: engine, Now: func() time.Time { return time.Date(2026, 3, 12, 0, 0, 0, 0, time.UTC) }}
	m := &earshot.Monitor{ID: 1, Team: 7, Type: earshot.Buzz, Timezone: "UTC", Start: date(1), Enabled: true, Criteria: earshot.Criteria{Keywords: "kelvarro"}}
	var irrelevant []*earshot.Post
	for i := range 5 {
		irrelevant = append(irrelevant, &posts[i])
	}
	found, err := s.SuggestExclusions(t.Context(), m, irrelevant)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, term := range found.Terms {
		got = append(got, fmt.Sprintf("%s %d/%d", term.Term, term.Selected, term.Others))
	}
	want := "river 4/2; #hydro 3/0; flood 3/0; flood warning 3/0; river flood 3/0; warning 3/0; author:gauge 2/0; level 2/0"
	if joined := strings.Join(got, "; "); joined != want || found.Posts != 42 {
		t.Errorf("got %d posts and %s\nwant 42 posts and %s", found.Posts, joined, want)
	}
	removed, err := s.Exclude(t.Context(), m, irrelevant, []string{"flood warning", "author:gauge"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `kelvarro AND NOT ("flood warning" OR author:gauge)`; removed.Query != want || removed.Removal != (insight.Removal{Selected: 5}) || removed.Posts != 42 {
		t.Errorf("got %+v, want %s, which removes 5 posts", removed, want)
	}
	if _, err := s.Exclude(t.Context(), m, irrelevant, []string{" "}); err == nil {
		t.Error("a blank term excludes something")
	}
}

func TestExcludeWithoutForm(t *testing.T) {
	got, err := query.Exclude("a OR (b AND c)", []string{"d e", "#f"})
	if want := `(a OR (b AND c)) AND NOT ("d e" OR #f)`; got != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
