package storetest

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var fingerprintCases = []testCase{
	{"a fingerprint is unchanged as long as the posts are", func(s *subject) {
		s.addFingerprinted()
		before := s.fingerprint(1)
		if again := s.fingerprint(1); again != before {
			s.Errorf("got fingerprint %x and then %x", before, again)
		}
		s.add(postAt("c", "2024-03-01T12:00:00Z", 2), postAt("early", "2024-02-29T23:59:59Z", 1), postAt("late", "2024-03-03T00:00:00Z", 1))
		s.add(postAt("c", "2024-03-01T13:00:00Z", 2))
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{2: {}}}))
		if after := s.fingerprint(1); after != before {
			s.Errorf("got fingerprint %x, want %x as before: only other sets and days changed", after, before)
		}
	}},
	{"a fingerprint changes with each change of the posts", func(s *subject) {
		seen := map[poststore.Fingerprint]string{s.fingerprint(1): "without posts"}
		other := func(what string) {
			s.Helper()
			v := s.fingerprint(1)
			if before, known := seen[v]; known {
				s.Errorf("%s: got the same fingerprint as %s", what, before)
			}
			seen[v] = what
		}
		s.addFingerprinted()
		other("after posts were appended")
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1))
		other("after a post was replaced")
		s.remove(earshot.Deletion{ContentSource: 3})
		other("after a post was deleted")
		s.reinfer(7)
		other("after posts were reinferred")
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{1: {Where: s.compile(earshot.Criteria{Keywords: "pear"}), UpTo: earshot.EndOfJournal}}}))
		other("after a rematch")
	}},
	{"a fingerprint depends on the posts, not on the range", func(s *subject) {
		s.addFingerprinted()
		whole := s.fingerprint(1)
		narrow, err := s.Fingerprint(s.ctx(), 1, parseTime("2024-03-01T11:59:59Z"), parseTime("2024-03-02T12:00:00.5Z"))
		s.check(err)
		if narrow != whole {
			s.Errorf("got fingerprint %x for a range with all posts, want %x", narrow, whole)
		}
		first, err := s.Fingerprint(s.ctx(), 1, parseTime("2024-03-01T00:00:00Z"), parseTime("2024-03-02T12:00:00Z"))
		s.check(err)
		none, err := s.Fingerprint(s.ctx(), 1, parseTime("2024-03-05T00:00:00Z"), parseTime("2024-03-09T00:00:00Z"))
		s.check(err)
		if first == whole || none == whole || first == none {
			s.Errorf("got fingerprints %x, %x and %x for different posts", whole, first, none)
		}
	}},
	{"Fingerprint returns the error of a canceled context", func(s *subject) {
		ctx, cancel := context.WithCancel(s.ctx())
		cancel()
		if _, err := s.Fingerprint(ctx, 1, noon, noon.Add(time.Hour)); !errors.Is(err, context.Canceled) {
			s.Errorf("got error %v, want %v", err, context.Canceled)
		}
	}},
}

// addFingerprinted appends posts of monitor 1, one of them from content source 3.
func (s *subject) addFingerprinted() {
	s.Helper()
	letter := custom(3, "letter", nil)
	letter.Sets = []poststore.SetID{1}
	fruit := postAt("b", "2024-03-02T12:00:00Z", 1)
	fruit.Post.Contents = "a pear"
	s.add(postAt("a", "2024-03-01T12:00:00Z", 1), fruit, letter)
}

// fingerprint returns the fingerprint of a set's posts on March 1 and 2, 2024.
func (s *subject) fingerprint(m poststore.SetID) poststore.Fingerprint {
	s.Helper()
	v, err := s.Fingerprint(s.ctx(), m, parseTime("2024-03-01T00:00:00Z"), parseTime("2024-03-03T00:00:00Z"))
	s.check(err)
	return v
}
