package storetest

import (
	"fmt"
	"reflect"

	"earshot"
	"earshot/internal/poststore"
)

var postCases = []testCase{
	{"every field of a post is preserved", func(s *subject) {
		s.add(poststore.MatchedPost{Post: fullPost()})
		s.wantSame(s.only(), fullPost())
	}},
	{"an empty post is preserved", func(s *subject) {
		s.add(post("a", nil))
		s.wantSame(s.only(), post("a", nil).Post)
	}},
	{"a counter of 0 differs from one that is not stated", func(s *subject) {
		s.add(post("a", func(p *earshot.Post) { p.Likes = earshot.Counted(0) }))
		p := s.only()
		if n, stated := p.Likes.Value(); n != 0 || !stated {
			s.Errorf("got %d likes, stated %v, want a stated 0", n, stated)
		}
		if _, stated := p.Shares.Value(); stated {
			s.Error("shares are stated, but the post did not state them")
		}
	}},
	{"text is preserved character by character", func(s *subject) {
		contents := "tab\t, newline\n, NUL\x00, emoji \U0001f9d1\u200d\U0001f680"
		s.add(post("a", func(p *earshot.Post) { p.Contents = contents }))
		if got := s.only().Contents; got != contents {
			s.Errorf("got %q, want %q", got, contents)
		}
	}},
	{"a stored post is independent of the caller's post", func(s *subject) {
		given := poststore.MatchedPost{Post: fullPost(), Sets: []poststore.SetID{1}}
		s.add(given)
		scribble(&given.Post)
		given.Sets[0] = 2
		s.wantSame(s.only(), fullPost())
		s.wantCount(poststore.Selection{Set: 1}, 1)
	}},
	{"a returned post is independent of the stored post", func(s *subject) {
		s.add(poststore.MatchedPost{Post: fullPost()})
		p := s.only()
		scribble(&p)
		s.wantSame(s.only(), fullPost())
	}},
	{"posts are sorted newest first, ties by guid and then by source", func(s *subject) {
		s.add(
			postAt("b", "2024-03-01T12:00:00Z"), postAt("c", "2024-03-01T12:00:01Z"), postAt("a", "2024-03-01T12:00:00Z"),
			postAt("old", "2023-12-31T23:59:59Z"), postAt("new", "2024-03-02T00:00:00Z"),
			post("b", func(p *earshot.Post) { p.Source = earshot.Reddit }),
		)
		s.wantPosts(poststore.Selection{}, "new", "c", "a", "b", "b", "old")
		posts, _, err := s.Posts(s.ctx(), poststore.Selection{}, 5)
		s.check(err)
		if posts[3].Source != earshot.Reddit || posts[4].Source != earshot.Twitter {
			s.Errorf("got %s before %s, want Reddit before Twitter", posts[3].Source, posts[4].Source)
		}
	}},
	{"a limit truncates the posts but not the total", func(s *subject) {
		for day := range 5 {
			for n := range 3 {
				s.add(postAt(fmt.Sprint(day, "-", n), fmt.Sprintf("2024-03-0%dT12:00:0%dZ", day+1, n)))
			}
		}
		for limit, want := range map[int]string{
			0: "[]", 1: "[4-2]", 2: "[4-2 4-1]", 3: "[4-2 4-1 4-0]", 4: "[4-2 4-1 4-0 3-2]", 7: "[4-2 4-1 4-0 3-2 3-1 3-0 2-2]",
		} {
			posts, total, err := s.Posts(s.ctx(), poststore.Selection{}, limit)
			s.check(err)
			if got := fmt.Sprint(guids(posts)); got != want || total != 15 {
				s.Errorf("limit %d: got %s of %d, want %s of 15", limit, got, total, want)
			}
		}
	}},
	{"a negative limit is an error", func(s *subject) {
		if _, _, err := s.Posts(s.ctx(), poststore.Selection{}, -1); err == nil {
			s.Error("got no error")
		}
	}},
}

// only returns the single post in the store.
func (s *subject) only() earshot.Post {
	s.Helper()
	posts, total, err := s.Posts(s.ctx(), poststore.Selection{}, 10)
	s.check(err)
	if len(posts) != 1 || total != 1 {
		s.Fatalf("got %d posts of %d, want 1 of 1", len(posts), total)
	}
	return posts[0]
}

// wantSame checks that two posts are equal. Their times may be in different zones.
func (s *subject) wantSame(got, want earshot.Post) {
	s.Helper()
	if !got.Time.Equal(want.Time) {
		s.Errorf("got a post with time %v, want %v", got.Time, want.Time)
	}
	got.Time = want.Time
	if !reflect.DeepEqual(got, want) {
		s.Errorf("got post\n\t%+v\nwant\n\t%+v", got, want)
	}
}
