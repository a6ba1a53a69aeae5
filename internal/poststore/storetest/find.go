package storetest

import (
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

var findCases = []testCase{
	{"posts are found by key, regardless of time and sets", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1), postAt("b", "1969-12-31T23:59:59Z"), postAt("c", "2024-03-01T12:00:00Z"))
		s.add(postAt("d", "2031-01-01T00:00:00Z", 2))
		s.wantFound([]string{"a", "b", "d"}, "d", "a", "b")
	}},
	{"unknown keys are skipped, and duplicates are found once", func(s *subject) {
		s.wantFound([]string{}, "a")
		s.add(post("a", nil))
		s.wantFound([]string{"a"}, "a", "b", "a", "")
		s.wantFound([]string{})
	}},
	{"the source is part of the key, but not the name of a content source", func(s *subject) {
		s.add(post("a", nil), custom(3, "a", nil), custom(4, "b", nil))
		posts, err := s.Find(s.ctx(), []earshot.PostKey{
			{Source: earshot.Reddit, GUID: "a"}, {ContentSource: 3, GUID: "a"}, {ContentSource: 3, GUID: "b"},
		})
		s.check(err)
		if len(posts) != 1 || posts[0].ContentSource != 3 {
			s.Errorf("got %d posts, want the one from content source 3: %s", len(posts), describe(posts))
		}
	}},
	{"a replaced post is found in its new version, at its new time", func(s *subject) {
		for n := range 5 {
			s.add(postAt("a", fmt.Sprintf("2024-03-%02dT12:00:00Z", 9-n), 1), postAt(fmt.Sprint("other", n), "2024-03-05T00:00:00Z"))
			posts, err := s.Find(s.ctx(), []earshot.PostKey{twitter("a")})
			s.check(err)
			if len(posts) != 1 || posts[0].Time.Day() != 9-n {
				s.Errorf("got %s, want the post from March %d", describe(posts), 9-n)
			}
		}
	}},
	{"a deleted post is not found until it is appended again", func(s *subject) {
		s.addLetters()
		keys := []earshot.PostKey{{ContentSource: 3, GUID: "a"}, {ContentSource: 4, GUID: "a"}}
		s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{"a"}})
		s.wantFoundKeys(keys, "a/4")
		s.add(custom(3, "a", nil))
		s.wantFoundKeys(keys, "a/3", "a/4")
	}},
	{"a post is found complete, even after it was reinferred", func(s *subject) {
		s.add(poststore.MatchedPost{Post: fullPost()})
		want := fullPost()
		s.wantSame(s.found(want.Key()), want)
		s.reinfer(4)
		infer(&want, 4)
		s.wantSame(s.found(want.Key()), want)
	}},
	{"hundreds of keys are found at once", func(s *subject) {
		var want []string
		for range 5 {
			batch := s.batch(100)
			for _, m := range batch {
				want = append(want, m.Post.GUID)
			}
			s.add(batch...)
		}
		s.wantFound(want, want...)
	}},
}

// twitter returns the key of a post created by the function post.
func twitter(guid string) earshot.PostKey {
	return earshot.PostKey{Source: earshot.Twitter, GUID: guid}
}

// wantFound searches for posts by guid and checks which are found.
func (s *subject) wantFound(want []string, sought ...string) {
	s.Helper()
	var keys []earshot.PostKey
	for _, guid := range sought {
		keys = append(keys, twitter(guid))
	}
	posts, err := s.Find(s.ctx(), keys)
	s.check(err)
	got := guids(posts)
	slices.Sort(got)
	if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
		s.Errorf("got posts %q, want %q", got, want)
	}
}

// wantFoundKeys checks which posts are found, formatted as guid/content source.
func (s *subject) wantFoundKeys(keys []earshot.PostKey, want ...string) {
	s.Helper()
	posts, err := s.Find(s.ctx(), keys)
	s.check(err)
	got := []string{}
	for _, p := range posts {
		got = append(got, fmt.Sprintf("%s/%d", p.GUID, p.ContentSource))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		s.Errorf("got posts %q, want %q", got, want)
	}
}

// found returns the only post with the given key.
func (s *subject) found(key earshot.PostKey) earshot.Post {
	s.Helper()
	posts, err := s.Find(s.ctx(), []earshot.PostKey{key})
	s.check(err)
	if len(posts) != 1 {
		s.Fatalf("got %d posts, want one", len(posts))
	}
	return posts[0]
}
