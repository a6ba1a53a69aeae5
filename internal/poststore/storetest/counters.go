package storetest

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var counterCases = []testCase{
	{"a new version of a tracked post reports counter changes", func(s *subject) {
		s.add(tracked("a", 10, 1))
		s.wantCounterChanges(1)
		s.add(receivedAt(tracked("a", 25, 1), "2024-03-01T14:00:00Z"))
		s.add(receivedAt(tracked("a", 20, 1), "2024-03-01T15:00:00Z"))
		s.wantCounterChanges(1, "likes 15", "likes -5")
	}},
	{"changes have all three counters and the time of the new version", func(s *subject) {
		first := post("a", func(p *earshot.Post) {
			p.Likes, p.Shares, p.Comments = earshot.Counted(1), earshot.Counted(2), earshot.Counted(3)
		})
		again := post("a", func(p *earshot.Post) {
			p.Likes, p.Shares, p.Comments = earshot.Counted(1), earshot.Counted(1<<62), earshot.Counted(0)
			p.Time = parseTime("2024-03-02T00:14:59.999999999Z")
		})
		for _, m := range []*poststore.MatchedPost{&first, &again} {
			m.Sets, m.Tracked, m.Received = []poststore.SetID{1}, []poststore.SetID{1}, parseTime("2024-03-03T00:30:00+01:00")
			s.add(*m)
		}
		got := s.changes(1, time.Time{}, endOfTime)
		want := poststore.CounterChange{Time: parseTime("2024-03-02T23:30:00Z"), Posted: parseTime("2024-03-02T00:00:00Z"), Shares: 1<<62 - 2, Comments: -3}
		if len(got) != 1 || got[0] != want {
			s.Errorf("got %+v, want %+v", got, want)
		}
	}},
	{"a counter not stated before counts from 0, and one no longer stated is inherited", func(s *subject) {
		s.add(unstated("a", 1))
		s.add(receivedAt(tracked("a", 5, 1), "2024-03-01T14:00:00Z"))
		s.add(receivedAt(unstated("a", 1), "2024-03-01T15:00:00Z"))
		s.wantCounterChanges(1, "likes 5")
		s.add(receivedAt(unstated("a", 1), "2024-03-01T16:00:00Z"))
		s.wantCounterChanges(1, "likes 5")
		s.wantLikes("a", earshot.Counted(5))
		s.add(receivedAt(tracked("a", 7, 1), "2024-03-01T17:00:00Z"))
		s.wantCounterChanges(1, "likes 5", "likes 2")
	}},
	{"each counter that is not stated is inherited separately", func(s *subject) {
		first, again := unstated("a", 1), unstated("a", 1)
		first.Post.Likes, first.Post.Shares, first.Post.Comments = earshot.Counted(1), earshot.Counted(0), earshot.Counted(3)
		again.Post.Likes, again.Post.Views = earshot.Counted(0), earshot.Counted(4)
		s.add(first)
		s.add(again, tracked("b", 1, 1))
		if again.Post.Comments != (earshot.Count{}) {
			s.Error("the caller's post was changed")
		}
		posts, err := s.Find(s.ctx(), []earshot.PostKey{again.Post.Key()})
		s.check(err)
		again.Post.Shares, again.Post.Comments = earshot.Counted(0), earshot.Counted(3)
		if len(posts) != 1 || !reflect.DeepEqual(posts[0], again.Post) {
			s.Errorf("got %+v, want %+v", posts, again.Post)
		}
		sums := []poststore.Measure{poststore.Likes, poststore.Comments, poststore.Views}
		s.wantRowsOf(poststore.Selection{Set: 1}, poststore.Tally{Sum: sums}, " 2 1 3 4")
		s.wantCounterChanges(1, "likes -1")
	}},
	{"counters are inherited even if the sets did not contain the post", func(s *subject) {
		s.add(postWith("a", 5, nil, nil))
		s.add(unstated("a", 1))
		s.wantLikes("a", earshot.Counted(5))
		s.wantCounterChanges(1)
	}},
	{"untracked posts are stored unchanged", func(s *subject) {
		s.add(tracked("a", 5, 1))
		none := unstated("a", 1)
		none.Tracked = nil
		s.add(none)
		s.wantLikes("a", earshot.Count{})
		s.add(tracked("b", 5, 1))
		s.add(unstated("b", 1), none, postWith("b", 0, []poststore.SetID{1}, nil))
		s.wantLikes("b", earshot.Counted(0))
	}},
	{"changes within the same quarter hours are added up", func(s *subject) {
		of := func(guid, at string, likes int64) poststore.MatchedPost {
			m := tracked(guid, likes, 1)
			m.Post.Time = parseTime(at)
			return m
		}
		s.add(of("a", "2024-03-01T10:00:00Z", 0), of("b", "2024-03-01T10:14:59Z", 0), of("c", "2024-03-01T10:15:00Z", 0))
		s.add(receivedAt(of("a", "2024-03-01T10:00:00Z", 1), "2024-03-01T14:00:00Z"), receivedAt(of("b", "2024-03-01T10:14:59Z", 20), "2024-03-01T14:14:59Z"))
		s.wantCounterChanges(1, "likes 21")
		s.add(receivedAt(of("b", "2024-03-01T10:14:59Z", 10), "2024-03-01T14:10:00Z"), receivedAt(of("c", "2024-03-01T10:15:00Z", 100), "2024-03-01T14:10:00Z"))
		s.wantCounterChanges(1, "likes 11", "likes 100")
		s.add(receivedAt(of("b", "2024-03-01T10:14:59Z", 13), "2024-03-01T14:15:00Z"))
		s.wantCounterChanges(1, "likes 11", "likes 100", "likes 3")
	}},
	{"a post without a Received time is received now", func(s *subject) {
		before := time.Now().Truncate(poststore.CounterStep)
		for likes := range int64(2) {
			m := tracked("a", likes, 1)
			m.Received = time.Time{}
			s.add(m)
		}
		got := s.changes(1, noon.Add(-time.Hour), noon.Add(time.Hour))
		if len(got) != 1 || got[0].Time.Before(before) || got[0].Time.After(time.Now()) {
			s.Errorf("got %+v, want one between %v and now", got, before)
		}
	}},
	{"unchanged counters are not reported", func(s *subject) {
		s.add(tracked("a", 5, 1))
		s.add(tracked("a", 5, 1))
		s.wantCounterChanges(1)
	}},
	{"only sets that track the post and had the old version have changes", func(s *subject) {
		s.add(postWith("a", 5, []poststore.SetID{1, 2, 3}, nil))
		s.add(postWith("a", 6, []poststore.SetID{1, 2, 4}, []poststore.SetID{1, 4}))
		s.wantCounterChanges(1, "likes 1")
		for _, other := range []poststore.SetID{2, 3, 4} {
			s.wantCounterChanges(other)
		}
	}},
	{"own posts of an account are tracked under the id of their set", func(s *subject) {
		id, own := poststore.MonitorSet(1), poststore.OwnSet(1)
		for likes := range int64(3) {
			s.add(postWith("a", likes, []poststore.SetID{id, own}, []poststore.SetID{own}))
		}
		s.wantCounterChanges(own, "likes 2")
		s.wantCounterChanges(id)
	}},
	{"the last rematch decides whether a set had the old version", func(s *subject) {
		s.addFruit() // a, b and c belong to monitor 1
		s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "pear"})
		s.add(tracked("a", 7, 1), tracked("c", 8, 1))
		s.wantCounterChanges(1, "likes 8")
	}},
	{"of two posts with the same key in a batch, the later one is compared with the stored one", func(s *subject) {
		s.add(tracked("a", 1, 1), tracked("a", 10, 1))
		s.wantCounterChanges(1)
		s.add(tracked("a", 50, 1), tracked("a", 12, 1))
		s.wantCounterChanges(1, "likes 2")
		s.add(tracked("a", 50, 1), postWith("a", 12, []poststore.SetID{1}, nil))
		s.wantCounterChanges(1, "likes 2")
	}},
	{"a repeated position is not compared again", func(s *subject) {
		s.add(tracked("a", 1, 1))
		for range 2 {
			s.check(s.Append(s.ctx(), 5, []poststore.MatchedPost{tracked("a", 3, 1)}))
		}
		s.wantCounterChanges(1, "likes 2")
	}},
	{"a deleted post is new when it is appended again", func(s *subject) {
		letter := custom(3, "a", func(p *earshot.Post) { p.Likes = earshot.Counted(4) })
		letter.Sets, letter.Tracked = []poststore.SetID{1}, []poststore.SetID{1}
		s.add(letter)
		s.remove(earshot.Deletion{ContentSource: 3})
		letter.Post.Likes = earshot.Counted(9)
		s.add(letter)
		s.wantCounterChanges(1)
	}},
	{"reinferred posts are compared by their counters", func(s *subject) {
		s.add(tracked("a", 1, 1))
		s.reinfer(2)
		s.add(tracked("a", 4, 1))
		s.reinfer(2)
		s.wantCounterChanges(1, "likes 3")
	}},
	{"changes received in the range or of posts in the range are reported", func(s *subject) {
		s.add(tracked("a", 0, 1, 2)) // posted at noon
		s.add(receivedAt(tracked("a", 1, 1, 2), "2024-03-01T12:00:00Z"))
		s.add(receivedAt(tracked("a", 3, 1, 2), "2024-03-02T12:00:00Z"))
		s.add(receivedAt(tracked("a", 7, 1), "2024-03-03T12:00:00Z"))
		f := func(from, to string, want ...string) {
			s.Helper()
			if got := likes(s.changes(1, parseTime(from), parseTime(to))); !slices.Equal(got, want) {
				s.Errorf("%s to %s: got changes %q, want %q", from, to, got, want)
			}
		}
		f("2024-03-01T12:00:00Z", "2024-03-01T12:00:00.000000001Z", "likes 1", "likes 2", "likes 4")
		f("2024-03-01T12:00:00.000000001Z", "2024-03-02T12:00:00Z")
		f("2024-03-01T12:00:00.000000001Z", "2024-03-02T12:00:00.000000001Z", "likes 2")
		f("2024-03-02T00:00:00Z", "2024-03-03T12:00:00Z", "likes 2")
		f("2024-03-02T12:00:00Z", "2024-03-04T00:00:00Z", "likes 2", "likes 4")
		f("2024-03-03T12:00:01Z", "2024-03-04T00:00:00Z")
		f("2024-03-01T12:00:00Z", "2024-03-01T12:00:00Z")
		f("2024-03-02T12:00:00Z", "2024-03-01T12:00:00Z")
	}},
	{"a removed set has no changes", func(s *subject) {
		for likes := range int64(2) {
			s.add(postWith("a", likes, []poststore.SetID{1, -1, 2}, []poststore.SetID{1, -1, 2}))
		}
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{1: {}, -1: {}}}))
		s.wantCounterChanges(1)
		s.wantCounterChanges(-1)
		s.wantCounterChanges(2, "likes 1")
	}},
}

// tracked returns a post that the given monitors match and track.
func tracked(guid string, likes int64, monitors ...poststore.SetID) poststore.MatchedPost {
	return postWith(guid, likes, monitors, monitors)
}

// postWith returns a post that was received an hour after noon.
func postWith(guid string, likes int64, monitors, tracked []poststore.SetID) poststore.MatchedPost {
	m := post(guid, func(p *earshot.Post) { p.Likes = earshot.Counted(likes) })
	m.Sets, m.Tracked, m.Received = monitors, tracked, noon.Add(time.Hour)
	return m
}

// unstated returns a post without counters that the given monitors match and track.
func unstated(guid string, monitors ...poststore.SetID) poststore.MatchedPost {
	m := tracked(guid, 0, monitors...)
	m.Post.Likes = earshot.Count{}
	return m
}

func receivedAt(m poststore.MatchedPost, at string) poststore.MatchedPost {
	m.Received = parseTime(at)
	return m
}

// endOfTime is later than all times in the tests.
var endOfTime = parseTime("9999-12-31T00:00:00Z")

// changes returns the counter changes of a monitor in chronological order.
func (s *subject) changes(id poststore.SetID, from, to time.Time) (all []poststore.CounterChange) {
	s.Helper()
	s.check(s.CounterChanges(s.ctx(), id, from, to, func(c poststore.CounterChange) { all = append(all, c) }))
	slices.SortFunc(all, func(a, b poststore.CounterChange) int {
		return cmp.Or(a.Time.Compare(b.Time), a.Posted.Compare(b.Posted))
	})
	return all
}

func likes(changes []poststore.CounterChange) (all []string) {
	for _, c := range changes {
		all = append(all, fmt.Sprint("likes ", c.Likes))
	}
	return all
}

// wantCounterChanges checks all changes of a monitor, in order, formatted as "likes n".
func (s *subject) wantCounterChanges(id poststore.SetID, want ...string) {
	s.Helper()
	if got := likes(s.changes(id, time.Time{}, endOfTime)); !slices.Equal(got, want) {
		s.Errorf("monitor %d: got changes %q, want %q", id, got, want)
	}
}

// wantLikes checks the likes of a post as stored.
func (s *subject) wantLikes(guid string, want earshot.Count) {
	s.Helper()
	posts, err := s.Find(s.ctx(), []earshot.PostKey{{Source: earshot.Twitter, GUID: guid}})
	s.check(err)
	if len(posts) != 1 || posts[0].Likes != want {
		s.Errorf("got %+v, want one post with likes %+v", posts, want)
	}
}
