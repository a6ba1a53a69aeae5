package storetest

import (
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var rematchCases = []testCase{
	{"a rematch adds the posts that its condition matches", func(s *subject) {
		s.addFruit()
		s.rematch(2, time.Time{}, earshot.Criteria{Keywords: "apple"})
		s.wantPosts(poststore.Selection{Set: 2}, "a", "b", "d")
	}},
	{"a rematch removes posts that no longer match", func(s *subject) {
		s.addFruit()
		s.wantPosts(poststore.Selection{Set: 1}, "a", "b", "c")
		s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "pear"})
		s.wantPosts(poststore.Selection{Set: 1}, "c")
		s.wantCount(poststore.Selection{}, 4)
	}},
	{"a rematch does not change other sets", func(s *subject) {
		s.addFruit()
		s.rematch(2, time.Time{}, earshot.Criteria{Keywords: "apple"})
		s.rematch(2, time.Time{}, earshot.Criteria{Keywords: "pear"})
		s.wantPosts(poststore.Selection{Set: 1}, "a", "b", "c")
	}},
	{"rematching twice is the same as once", func(s *subject) {
		s.addFruit()
		s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "apple"})
		s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "apple"})
		s.wantPosts(poststore.Selection{Set: 1}, "a", "b", "d")
		s.wantRowsOf(poststore.Selection{Set: 1}, poststore.Tally{}, " 3")
	}},
	{"a rematch without a condition removes all posts", func(s *subject) {
		s.addFruit()
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{1: {}}}))
		s.wantCount(poststore.Selection{Set: 1}, 0)
		s.wantCount(poststore.Selection{}, 4)
	}},
	{"a rematch does not change posts before From", func(s *subject) {
		s.add(postAt("a", "2024-03-01T11:59:59Z", 1), postAt("b", "2024-03-01T12:00:00Z", 1), postAt("c", "2024-03-02T00:00:00Z", 1))
		s.check(s.Rematch(s.ctx(), poststore.Rematch{From: parseTime("2024-03-01T12:00:00Z"), Rules: poststore.Rules{1: {}}}))
		s.wantPosts(poststore.Selection{Set: 1}, "a")
	}},
	{"a post appended after a rematch has the sets of its batch", func(s *subject) {
		s.addFruit()
		s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "pear"})
		s.add(postAt("e", "2024-03-01T13:00:00Z", 1), postAt("c", "2024-03-01T12:00:00Z"))
		s.wantPosts(poststore.Selection{Set: 1}, "e")
	}},
	{"a rematch excludes posts after UpTo", func(s *subject) {
		for at, guid := range []string{"a", "b", "c"} {
			s.check(s.Append(s.ctx(), earshot.Position(10*at+10), []poststore.MatchedPost{postAt(guid, "2024-03-01T12:00:00Z", 1)}))
		}
		everything := s.compile(earshot.Criteria{})
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{1: {Where: everything, UpTo: 20}, 2: {Where: everything, UpTo: 0}}}))
		s.wantPosts(poststore.Selection{Set: 1}, "a", "b")
		s.wantCount(poststore.Selection{Set: 2}, 0)
		s.check(s.Append(s.ctx(), 40, []poststore.MatchedPost{postAt("a", "2024-03-01T12:00:00Z", 1)}))
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{1: {Where: everything, UpTo: 20}}}))
		s.wantPosts(poststore.Selection{Set: 1}, "b") // a replaced post has the position of its new version
	}},
	{"a rematch does not restore deleted posts", func(s *subject) {
		s.add(custom(3, "a", func(p *earshot.Post) { p.Contents = "apple" }))
		s.remove(earshot.Deletion{ContentSource: 3})
		s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "apple"})
		s.wantCount(poststore.Selection{Set: 1}, 0)
	}},
	{"a rematch does not change the position", func(s *subject) {
		s.addFruit()
		s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "pear"})
		s.wantPosition(1)
	}},
}

func (s *subject) rematch(id poststore.SetID, from time.Time, c earshot.Criteria) {
	s.Helper()
	s.check(s.Rematch(s.ctx(), poststore.Rematch{From: from, Rules: poststore.Rules{id: {Where: s.compile(c), UpTo: earshot.EndOfJournal}}}))
}
