package insight_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/query"
)

func store(t *testing.T, posts ...earshot.Post) *insight.Service {
	t.Helper()
	s := memory.New()
	var matched []poststore.MatchedPost
	for _, p := range posts {
		matched = append(matched, poststore.MatchedPost{Post: p})
	}
	if err := s.Append(t.Context(), 1, matched); err != nil {
		t.Fatal(err)
	}
	return &insight.Service{Store: s, Now: time.Now}
}

func post(guid, at, contents string) earshot.Post {
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		panic(err)
	}
	return earshot.Post{Source: earshot.News, GUID: guid, Time: when, Contents: contents}
}

func date(day int) earshot.Date { return earshot.Date{Year: 2026, Month: time.March, Day: day} }

func TestPreview(t *testing.T) {
	own, other := post("own", "2026-03-11T09:00:00Z", "coffee"), post("other", "2026-03-11T10:00:00Z", "coffee")
	own.Team, other.Team = 7, 8
	s := store(t,
		post("a", "2026-03-09T22:59:59Z", "coffee"), // before the first day in Berlin
		post("b", "2026-03-09T23:00:00Z", "coffee"),
		post("c", "2026-03-12T22:59:59Z", "coffee"),
		post("d", "2026-03-12T23:00:00Z", "coffee"), // after the last day
		post("e", "2026-03-11T12:00:00Z", "tea"),
		own, other,
	)
	m := &earshot.Monitor{
		Team: 7, Type: earshot.Buzz, Timezone: "Europe/Berlin", Start: date(30),
		Criteria: earshot.Criteria{Keywords: "coffee"},
	}
	got, err := s.Preview(t.Context(), m, earshot.Days{Start: date(10), End: date(13)}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if want := "{2026-03-10 1} {2026-03-11 1} {2026-03-12 1}"; got.Posts != 3 || days(got) != want {
		t.Errorf("got %d posts on %s, want 3 on %s", got.Posts, days(got), want)
	}
	if len(got.Newest) != 2 || got.Newest[0].GUID != "c" || got.Newest[1].GUID != "own" {
		t.Errorf("got newest %+v, want c and own", got.Newest)
	}
}

func days(p insight.Preview) string {
	text := ""
	for i, d := range p.Days {
		if i > 0 {
			text += " "
		}
		text += fmt.Sprint(d)
	}
	return text
}

func TestPreviewFails(t *testing.T) {
	s := store(t, post("a", "2026-03-10T12:00:00Z", "coffee"))
	m := &earshot.Monitor{Team: 7, Type: earshot.Buzz, Criteria: earshot.Criteria{Keywords: "coffee"}}
	sel := earshot.Days{Start: date(10), End: date(11)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Preview(ctx, m, sel, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled request: got error %v, want %v", err, context.Canceled)
	}
	m.Criteria.Keywords = "(coffee"
	var wrong *query.ParseError
	if _, err := s.Preview(t.Context(), m, sel, 2); !errors.As(err, &wrong) {
		t.Errorf("invalid query: got error %v, want a ParseError", err)
	}
}
