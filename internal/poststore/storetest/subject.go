package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
)

// A subject is a store under test with helper methods for the cases.
type subject struct {
	*testing.T
	poststore.Store
	at earshot.Position // position of the last change
}

func (s *subject) ctx() context.Context { return s.Context() }

// next returns the position after the last one.
func (s *subject) next() earshot.Position {
	s.at++
	return s.at
}

// add appends posts at the next position.
func (s *subject) add(posts ...poststore.MatchedPost) {
	s.Helper()
	s.check(s.Append(s.ctx(), s.next(), posts))
}

// remove deletes posts at the next position.
func (s *subject) remove(d earshot.Deletion) {
	s.Helper()
	s.check(s.Delete(s.ctx(), s.next(), d))
}

func (s *subject) check(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// wantPosts checks which posts are selected, by guid and in order.
func (s *subject) wantPosts(of poststore.Selection, want ...string) {
	s.Helper()
	posts, total, err := s.Posts(s.ctx(), of, 1000)
	s.check(err)
	if got := guids(posts); !slices.Equal(got, want) {
		s.Errorf("got posts %q, want %q", got, want)
	}
	if total != int64(len(want)) {
		s.Errorf("got a total of %d posts, want %d", total, len(want))
	}
}

// wantCount checks the number of posts that Posts and Tallies return.
func (s *subject) wantCount(of poststore.Selection, want int64) {
	s.Helper()
	_, total, err := s.Posts(s.ctx(), of, 0)
	s.check(err)
	if total != want {
		s.Errorf("Posts: got a total of %d posts, want %d", total, want)
	}
	s.wantRowsOf(of, poststore.Tally{}, fmt.Sprint(" ", want))
}

// wantRows checks the rows of a tally of all posts, formatted as "key,key posts sum sum".
func (s *subject) wantRows(t poststore.Tally, want ...string) {
	s.Helper()
	s.wantRowsOf(poststore.Selection{}, t, want...)
}

// wantRowsOf checks the rows of a tally of selected posts.
func (s *subject) wantRowsOf(of poststore.Selection, t poststore.Tally, want ...string) {
	s.Helper()
	rows, err := poststore.TallyOne(s.ctx(), s, of, t)
	s.check(err)
	got := []string{}
	for _, r := range rows {
		got = append(got, line(r))
	}
	if !slices.Equal(got, want) {
		s.Errorf("got rows\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// line formats a row as "key,key posts sum sum".
func line(r poststore.Row) string {
	text := fmt.Sprint(strings.Join(r.Key, ","), " ", r.Posts)
	for _, n := range r.Sums {
		text += fmt.Sprint(" ", n)
	}
	return text
}

func guids(posts []earshot.Post) []string {
	ids := []string{}
	for _, p := range posts {
		ids = append(ids, p.GUID)
	}
	return ids
}

// compile compiles valid criteria.
func (s *subject) compile(c earshot.Criteria) *watchlist.Condition {
	s.Helper()
	return compile(s.T, c)
}

func compile(t *testing.T, c earshot.Criteria) *watchlist.Condition {
	t.Helper()
	cond, err := watchlist.Compile(team, c)
	if err != nil {
		t.Fatalf("compile %+v: %v", c, err)
	}
	return cond
}

// team owns the custom content and the conditions of all cases.
const team earshot.TeamID = 7

// noon is the time of a post unless the case specifies another.
var noon = parseTime("2024-03-01T12:00:00Z")

// post returns a post after applying change to it.
func post(guid string, change func(p *earshot.Post)) poststore.MatchedPost {
	p := earshot.Post{Source: earshot.Twitter, GUID: guid, Time: noon}
	if change != nil {
		change(&p)
	}
	return poststore.MatchedPost{Post: p}
}

// postAt returns a post with the given time.
func postAt(guid, at string, monitors ...poststore.SetID) poststore.MatchedPost {
	m := post(guid, func(p *earshot.Post) { p.Time = parseTime(at) })
	m.Sets = monitors
	return m
}

func custom(source earshot.ContentSourceID, guid string, change func(p *earshot.Post)) poststore.MatchedPost {
	return post(guid, func(p *earshot.Post) {
		p.Source, p.ContentSource, p.Team = "Letters", source, team
		if change != nil {
			change(p)
		}
	})
}

// parseTime parses an RFC 3339 time and panics if it is invalid.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}
