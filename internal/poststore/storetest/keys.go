package storetest

import (
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

var keyCases = []testCase{
	{"keys select the posts that have one of them", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1), postAt("b", "2024-03-01T11:00:00Z", 2), postAt("c", "1969-07-20T20:17:40Z", 1), custom(3, "a", nil))
		s.wantPosts(withKeys(twitter("a"), twitter("c"), twitter("unknown")), "a", "c")
		s.wantPosts(withKeys(twitter("b"), twitter("b")), "b")
		of := withKeys(twitter("a"), twitter("b"), twitter("c"))
		s.wantCount(of, 3)
		of.Set = 1
		s.wantPosts(of, "a", "c")
		of.From = noon
		s.wantPosts(of, "a")
		s.wantRowsOf(of, poststore.Tally{By: []poststore.Dim{poststore.ByDay}}, "2024-03-01 1")
		s.wantPosts(withKeys(earshot.PostKey{ContentSource: 3, GUID: "a"}), "a")
	}},
	{"a set without keys selects no posts", func(s *subject) {
		s.add(post("a", nil))
		s.wantPosts(withKeys())
		s.wantPosts(poststore.Selection{Except: []poststore.Selection{withKeys()}}, "a")
	}},
	{"an exception with keys leaves out their posts", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1), postAt("b", "2024-03-01T12:00:00Z", 1), postAt("c", "2024-03-01T12:00:00Z"))
		s.wantPosts(poststore.Selection{Except: []poststore.Selection{withKeys(twitter("b"))}}, "a", "c")
		s.wantPosts(poststore.Selection{Set: 1, Except: []poststore.Selection{withKeys(twitter("b"), twitter("c"))}}, "a")
		exceptA := withKeys(twitter("a"), twitter("b"))
		exceptA.Except = []poststore.Selection{withKeys(twitter("b"))}
		s.wantPosts(poststore.Selection{Except: []poststore.Selection{exceptA}}, "b", "c")
	}},
	{"keys select posts after they are replaced, deleted and appended again", func(s *subject) {
		of := withKeys(twitter("a"), twitter("b"))
		of.Set = 1
		days, all := s.marchDays(1, 3), []poststore.Tally{{}}
		s.wantPosts(of)
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1), postAt("b", "2024-03-01T13:00:00Z", 1))
		s.wantPosts(of, "b", "a")
		s.wantDays(of, days, all, "[ 2] [ 0]")
		s.add(postAt("a", "2024-03-02T12:00:00Z", 1))
		s.wantPosts(of, "a", "b")
		s.wantDays(of, days, all, "[ 1] [ 1]")
		s.add(postAt("a", "2024-03-02T12:00:00Z"))
		s.wantPosts(of, "b")
		s.add(custom(3, "c", nil))
		s.remove(earshot.Deletion{ContentSource: 3})
		s.wantPosts(withKeys(earshot.PostKey{ContentSource: 3, GUID: "c"}))
		s.add(custom(3, "c", nil))
		s.wantPosts(withKeys(earshot.PostKey{ContentSource: 3, GUID: "c"}), "c")
	}},
	{"a large set selects few posts, and a small set selects among many", func(s *subject) {
		var many []poststore.MatchedPost
		var keys []earshot.PostKey
		for n := range 2000 {
			many = append(many, postAt(fmt.Sprint(n), "2024-03-01T12:00:00Z", 1))
			keys = append(keys, twitter(fmt.Sprint(2*n)))
		}
		s.add(many...)
		s.wantCount(withKeys(keys...), 1000)
		s.wantPosts(withKeys(twitter("1999"), twitter("3")), "1999", "3")
	}},
}

// withKeys selects the posts with the given keys.
func withKeys(keys ...earshot.PostKey) poststore.Selection {
	return poststore.Selection{Keys: poststore.NewKeySet(slices.Values(keys))}
}
