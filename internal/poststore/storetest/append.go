package storetest

import (
	"earshot"
	"earshot/internal/poststore"
)

var appendCases = []testCase{
	{"an empty store has no posts, no snapshots and position 0", func(s *subject) {
		s.wantPosts(poststore.Selection{})
		s.wantCount(poststore.Selection{Set: 1}, 0)
		s.wantPosition(0)
		s.wantStored(0)
	}},
	{"append twice counts once", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1), postAt("b", "2024-03-02T12:00:00Z", 1))
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1), postAt("b", "2024-03-02T12:00:00Z", 1))
		s.wantCount(poststore.Selection{Set: 1}, 2)
		s.wantStored(2)
		s.wantPosition(2)
	}},
	{"a repeated position is skipped", func(s *subject) {
		s.check(s.Append(s.ctx(), 5, []poststore.MatchedPost{post("a", nil)}))
		s.check(s.Append(s.ctx(), 5, []poststore.MatchedPost{post("b", nil)}))
		s.wantPosts(poststore.Selection{}, "a")
		s.wantPosition(5)
	}},
	{"an earlier position is skipped, whatever the change", func(s *subject) {
		s.check(s.Append(s.ctx(), 5, []poststore.MatchedPost{custom(3, "a", nil)}))
		s.check(s.Append(s.ctx(), 4, []poststore.MatchedPost{post("b", nil)}))
		s.check(s.Delete(s.ctx(), 4, earshot.Deletion{ContentSource: 3}))
		s.check(s.AddSnapshots(s.ctx(), 5, 1, []earshot.Snapshot{{Date: march(1)}}))
		s.wantPosts(poststore.Selection{}, "a")
		s.wantSnapshots(1, earshot.Days{Start: march(1), End: march(2)})
		s.wantPosition(5)
	}},
	{"position 0, before the first entry, is skipped, whatever the change", func(s *subject) {
		s.check(s.Append(s.ctx(), 0, []poststore.MatchedPost{post("a", nil)}))
		s.check(s.Delete(s.ctx(), 0, earshot.Deletion{ContentSource: 3}))
		s.check(s.AddSnapshots(s.ctx(), 0, 1, []earshot.Snapshot{{Date: march(1)}}))
		s.wantPosts(poststore.Selection{})
		s.wantSnapshots(1, earshot.Days{Start: march(1), End: march(2)})
		s.wantPosition(0)
	}},
	{"every kind of change advances the position, even without effect", func(s *subject) {
		s.check(s.Append(s.ctx(), 2, nil))
		s.wantPosition(2)
		s.check(s.Delete(s.ctx(), 4, earshot.Deletion{ContentSource: 3}))
		s.wantPosition(4)
		s.check(s.AddSnapshots(s.ctx(), 9, 1, nil))
		s.wantPosition(9)
	}},
	{"of two posts with the same key in a batch, the later one wins", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1), postAt("a", "2024-03-02T12:00:00Z", 2))
		s.wantCount(poststore.Selection{}, 1)
		s.wantCount(poststore.Selection{Set: 1}, 0)
		s.wantRowsOf(poststore.Selection{Set: 2}, poststore.Tally{By: []poststore.Dim{poststore.ByDay}}, "2024-03-02 1")
	}},
	{"a replaced post leaves its old day", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z"), postAt("b", "2024-03-01T13:00:00Z"), postAt("c", "2024-03-01T14:00:00Z"))
		s.add(postAt("a", "2024-05-09T12:00:00Z"))
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByDay}}, "2024-03-01 2", "2024-05-09 1")
		s.wantPosts(poststore.Selection{}, "a", "c", "b")
	}},
	{"a replaced post leaves its old sets", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1, 2))
		s.add(postAt("a", "2024-03-01T12:00:00Z", 2, 3))
		s.wantCount(poststore.Selection{Set: 1}, 0)
		s.wantCount(poststore.Selection{Set: 2}, 1)
		s.wantCount(poststore.Selection{Set: 3}, 1)
	}},
	{"a replaced post leaves its old values", func(s *subject) {
		s.add(post("a", func(p *earshot.Post) { p.Language, p.Hashtags, p.Likes = "en", []string{"old"}, earshot.Counted(9) }))
		s.add(post("a", func(p *earshot.Post) { p.Language, p.Hashtags, p.Likes = "fr", []string{"new"}, earshot.Counted(2) }))
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByLanguage, poststore.ByHashtag}, Sum: []poststore.Measure{poststore.Likes}}, "fr,new 1 2")
	}},
	{"the same guid in two sources is two posts", func(s *subject) {
		s.add(post("a", nil), post("a", func(p *earshot.Post) { p.Source = earshot.Reddit }), custom(3, "a", nil), custom(4, "a", nil))
		s.wantCount(poststore.Selection{}, 4)
	}},
	{"custom content is the same post after its source is renamed", func(s *subject) {
		s.add(custom(3, "a", nil))
		s.add(custom(3, "a", func(p *earshot.Post) { p.Source = "Renamed" }))
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.BySource}}, "Renamed 1")
	}},
	{"a monitor listed twice counts a post once", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1, 1))
		s.wantCount(poststore.Selection{Set: 1}, 1)
	}},
}

func (s *subject) wantPosition(want earshot.Position) {
	s.Helper()
	got, err := s.Position(s.ctx())
	s.check(err)
	if got != want {
		s.Errorf("got position %d, want %d", got, want)
	}
}

// wantStored checks the number of posts in the store's statistics.
func (s *subject) wantStored(want int64) {
	s.Helper()
	got, err := s.Stats(s.ctx())
	s.check(err)
	if got.Posts != want || got.Engine == "" {
		s.Errorf("got %d posts in engine %q, want %d in a named engine", got.Posts, got.Engine, want)
	}
}
