package storetest

import (
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var changedCases = []testCase{
	{"days that never had posts never changed", func(s *subject) {
		s.addDays(3)
		s.wantNever(2, 1, 2, 3)
		s.wantNever(1, 4, 5)
		got, err := s.Changed(s.ctx(), 1, nil)
		s.check(err)
		if len(got) > 0 {
			s.Errorf("got %v for no days", got)
		}
	}},
	{"an added post changes its day, and no other", func(s *subject) {
		s.wantChanged(1, func() { s.addDays(3) }, 1, 2, 3)
		s.wantChanged(1, func() { s.add(postAt("new", "2024-03-02T23:59:59Z", 1)) }, 2)
		s.wantChanged(1, func() { s.add(postAt("later", "2024-03-05T00:00:00Z", 1)) }, 5)
		s.wantChanged(1, func() { s.add(postAt("other", "2024-03-02T13:00:00Z", 2)) })
		s.wantChanged(2, func() {})
		s.wantNever(2, 1, 3)
	}},
	{"a replaced post changes its old and its new day", func(s *subject) {
		s.addDays(4)
		s.wantChanged(1, func() { s.add(postAt("1", "2024-03-04T12:00:00Z", 1)) }, 2, 4)
		s.wantChanged(1, func() { s.add(postAt("1", "2024-03-04T12:00:00Z", 1)) }, 4)
		s.wantChanged(1, func() { s.add(postAt("1", "2024-03-04T12:00:00Z")) }, 4)
	}},
	{"a deleted post changes its day, even if no posts are left", func(s *subject) {
		s.add(letterAt("a", "2024-03-01T12:00:00Z"), letterAt("b", "2024-03-01T13:00:00Z"), letterAt("c", "2024-03-02T12:00:00Z"))
		s.wantChanged(1, func() { s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{"a"}}) }, 1)
		s.wantChanged(1, func() { s.remove(earshot.Deletion{ContentSource: 3}) }, 1, 2)
		s.wantNever(1, 3)
	}},
	{"a day whose posts were deleted before the first call has changed", func(s *subject) {
		before := now()
		s.add(letterAt("a", "2024-03-01T12:00:00Z"), letterAt("b", "2024-03-03T13:00:00Z"))
		s.remove(earshot.Deletion{ContentSource: 3})
		s.add(postAt("c", "2024-03-02T12:00:00Z", 2), letterAt("b", "2024-03-04T13:00:00Z"))
		got := s.changed(1)
		for _, day := range []int{1, 3, 4} {
			if got[day-1].Before(before) || got[day-1].After(now()) {
				s.Errorf("March %d: got %v, want a time since %v", day, got[day-1], before)
			}
		}
		s.wantNever(1, 2, 5)
		s.wantNever(2, 1, 3, 4)
	}},
	{"a rematch changes the days whose posts it changes", func(s *subject) {
		s.add(
			withText("a", "2024-03-01T12:00:00Z", "apple"), withText("b", "2024-03-02T12:00:00Z", "pear"),
			withText("c", "2024-03-03T12:00:00Z", "apple pear"), withText("d", "2024-03-04T12:00:00Z", "plum"),
		)
		s.wantChanged(1, func() { s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "apple"}) }, 1, 3)
		s.wantChanged(1, func() { s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "pear"}) }, 1, 2)
		s.wantChanged(1, func() { s.rematch(1, parseTime("2024-03-03T00:00:00Z"), earshot.Criteria{Keywords: "plum"}) }, 3, 4)
		s.wantNever(1, 5)
	}},
	{"a day that a rematch emptied before the first call has changed", func(s *subject) {
		s.add(withText("a", "2024-03-01T12:00:00Z", "apple"), withText("b", "2024-03-02T12:00:00Z", "pear"))
		s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "apple"})
		before := now()
		s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "plum"})
		if got := s.changed(1)[0]; got.Before(before) {
			s.Errorf("got %v, want a time since %v", got, before)
		}
		s.wantNever(1, 2)
	}},
	{"reinferring changes the days whose posts it changes", func(s *subject) {
		s.addDays(2)
		m := postAt("seen", "2024-03-03T12:00:00Z", 1)
		m.Post.InferredBy = 5
		s.add(m)
		s.wantChanged(1, func() { s.reinfer(5) }, 1, 2)
	}},
	{"a post that came and went between calls has changed its day then, or not at all", func(s *subject) {
		s.add(letterAt("a", "2024-03-01T12:00:00Z"))
		told := s.changed(1)[0]
		from := now()
		s.add(letterAt("b", "2024-03-01T13:00:00Z"))
		s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{"b"}})
		got := s.changed(1)[0]
		if !got.Equal(told) && (got.Before(from) || got.After(now())) {
			s.Errorf("got %v, want %v as before or a time since %v", got, told, from)
		}
	}},
	{"days are those of the query, in any time zone", func(s *subject) {
		s.addDays(2)
		night := []time.Time{parseTime("2024-03-01T12:00:01Z"), parseTime("2024-03-02T12:00:00Z"), parseTime("2024-03-02T12:00:01Z")}
		got, err := s.Changed(s.ctx(), 1, night)
		s.check(err)
		if len(got) != 2 || !got[0].IsZero() || got[1].IsZero() {
			s.Errorf("got %v, want the zero time for the night and a time for the second after", got)
		}
	}},
	{"a removed set never changed", func(s *subject) {
		s.addDays(2)
		s.changed(1)
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{1: {}}}))
		s.wantNever(1, 1, 2, 3)
	}},
}

// marchDays are the days that changed queries: March 1 to 5.
var marchDays = func() (starts []time.Time) {
	for day := range 6 {
		starts = append(starts, march(day+1).Start(time.UTC))
	}
	return starts
}()

func (s *subject) changed(id poststore.SetID) []time.Time {
	s.Helper()
	got, err := s.Changed(s.ctx(), id, marchDays)
	s.check(err)
	if len(got) != len(marchDays)-1 {
		s.Fatalf("got %d times, want one for each of %d days", len(got), len(marchDays)-1)
	}
	return got
}

// wantChanged checks that Changed reports a change on the given days of March, at the time of the
// change or of the next call, and that it reports no change on the other days.
func (s *subject) wantChanged(id poststore.SetID, change func(), days ...int) {
	s.Helper()
	want := s.changed(id)
	from := now()
	change()
	got := s.changed(id)
	to := now()
	for _, day := range days {
		if at := got[day-1]; at.Before(from) || at.After(to) {
			s.Errorf("March %d: got %v, want a time from %v to %v", day, at, from, to)
		}
		want[day-1] = got[day-1]
	}
	again := s.changed(id)
	for d := range want {
		if !got[d].Equal(want[d]) || !again[d].Equal(want[d]) {
			s.Errorf("March %d: got %v, then %v, want %v", d+1, got[d], again[d], want[d])
		}
	}
}

// wantNever checks that the given days of March never had posts.
func (s *subject) wantNever(id poststore.SetID, days ...int) {
	s.Helper()
	got := s.changed(id)
	for _, day := range days {
		if !got[day-1].IsZero() {
			s.Errorf("March %d: got %v for a day that never had posts", day, got[day-1])
		}
	}
}

// now returns the time as stores record it, without a monotonic clock.
func now() time.Time { return time.Now().Round(0) }

func letterAt(guid, at string) poststore.MatchedPost {
	m := custom(3, guid, func(p *earshot.Post) { p.Time = parseTime(at) })
	m.Sets = []poststore.SetID{1}
	return m
}

func withText(guid, at, text string) poststore.MatchedPost {
	m := postAt(guid, at)
	m.Post.Contents = text
	return m
}
