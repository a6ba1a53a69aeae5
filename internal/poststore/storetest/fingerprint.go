package storetest

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var fingerprintCases = []testCase{
	{"a version stays while a monitor's posts do", func(s *subject) {
		s.addFingerprinted()
		before := s.fingerprint(1)
		if again := s.fingerprint(1); again != before {
			s.Errorf("got version %x and then %x", before, again)
		}
		s.add(postAt("c", "2024-03-01T12:00:00Z", 2), postAt("early", "2024-02-29T23:59:59Z", 1), postAt("late", "2024-03-03T00:00:00Z", 1))
		s.add(postAt("c", "2024-03-01T13:00:00Z", 2))
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{2: {}}}))
		if after := s.fingerprint(1); after != before {
			s.Errorf("got version %x, want %x as before: all that changed were others' posts and other days", after, before)
		}
	}},
	{"a version is another after each change", func(s *subject) {
		seen := map[poststore.Fingerprint]string{s.fingerprint(1): "without posts"}
		other := func(what string) {
			s.Helper()
			v := s.fingerprint(1)
			if before, known := seen[v]; known {
				s.Errorf("%s the version is that %s", what, before)
			}
			seen[v] = what
		}
		s.addFingerprinted()
		other("after posts came")
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1))
		other("after a post came again")
		s.remove(earshot.Deletion{ContentSource: 3})
		other("after one was deleted")
		s.reinfer(7)
		other("after models saw them")
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{1: {Where: s.compile(earshot.Criteria{Keywords: "pear"}), UpTo: earshot.EndOfJournal}}}))
		other("after a rematch")
	}},
	{"versions of stretches of time are those of their posts", func(s *subject) {
		s.addFingerprinted()
		whole := s.fingerprint(1)
		narrow, err := s.Fingerprint(s.ctx(), 1, parseTime("2024-03-01T11:59:59Z"), parseTime("2024-03-02T12:00:00.5Z"))
		s.check(err)
		if narrow != whole {
			s.Errorf("got version %x for the time that has all posts, want %x", narrow, whole)
		}
		first, err := s.Fingerprint(s.ctx(), 1, parseTime("2024-03-01T00:00:00Z"), parseTime("2024-03-02T12:00:00Z"))
		s.check(err)
		none, err := s.Fingerprint(s.ctx(), 1, parseTime("2024-03-05T00:00:00Z"), parseTime("2024-03-09T00:00:00Z"))
		s.check(err)
		if first == whole || none == whole || first == none {
			s.Errorf("got versions %x, %x and %x for other posts", whole, first, none)
		}
	}},
	{"a version asks its context", func(s *subject) {
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
