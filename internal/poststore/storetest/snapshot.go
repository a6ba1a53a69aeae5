package storetest

import (
	"slices"
	"time"

	"earshot"
)

var snapshotCases = []testCase{
	{"snapshots are returned in chronological order", func(s *subject) {
		s.snap(1, figures(3, 30), figures(1, 10), figures(2, 20))
		s.wantSnapshots(1, earshot.Days{Start: march(1), End: march(32)}, figures(1, 10), figures(2, 20), figures(3, 30))
	}},
	{"the latest snapshot of a day wins", func(s *subject) {
		s.snap(1, figures(1, 10), figures(1, 11))
		s.snap(1, figures(2, 20))
		s.snap(1, figures(2, 21))
		s.wantSnapshots(1, earshot.Days{Start: march(1), End: march(3)}, figures(1, 11), figures(2, 21))
	}},
	{"a later snapshot replaces the entire day", func(s *subject) {
		s.snap(1, earshot.Snapshot{Date: march(1), Followers: earshot.Counted(5), Likes: earshot.Counted(6)})
		s.snap(1, earshot.Snapshot{Date: march(1), Likes: earshot.Counted(7)})
		s.wantSnapshots(1, earshot.Days{Start: march(1), End: march(2)}, earshot.Snapshot{Date: march(1), Likes: earshot.Counted(7)})
	}},
	{"the first day of snapshots is inclusive and the last exclusive", func(s *subject) {
		s.snap(1, figures(1, 10), figures(2, 20), figures(3, 30), figures(4, 40))
		s.wantSnapshots(1, earshot.Days{Start: march(2), End: march(4)}, figures(2, 20), figures(3, 30))
		s.wantSnapshots(1, earshot.Days{Start: march(2), End: march(2)})
	}},
	{"snapshots belong to one monitor", func(s *subject) {
		s.snap(1, figures(1, 10))
		s.snap(2, figures(1, 99))
		s.wantSnapshots(1, earshot.Days{Start: march(1), End: march(2)}, figures(1, 10))
		s.wantSnapshots(3, earshot.Days{Start: march(1), End: march(2)})
	}},
	{"days without a snapshot are omitted", func(s *subject) {
		s.snap(1, figures(1, 10), figures(31, 310))
		s.wantSnapshots(1, earshot.Days{Start: march(1), End: march(40)}, figures(1, 10), figures(31, 310))
	}},
}

// march returns a day of March 2024. Days after 31 are in April.
func march(day int) earshot.Date {
	return earshot.Date{Year: 2024, Month: time.March, Day: 1}.AddDays(day - 1)
}

// figures returns a snapshot for a day of March.
func figures(day int, followers int64) earshot.Snapshot {
	return earshot.Snapshot{Date: march(day), Followers: earshot.Counted(followers)}
}

// snap adds snapshots at the next position.
func (s *subject) snap(m earshot.MonitorID, snapshots ...earshot.Snapshot) {
	s.Helper()
	s.check(s.AddSnapshots(s.ctx(), s.next(), m, snapshots))
}

func (s *subject) wantSnapshots(m earshot.MonitorID, days earshot.Days, want ...earshot.Snapshot) {
	s.Helper()
	got, err := s.Snapshots(s.ctx(), m, days)
	s.check(err)
	if !slices.Equal(got, want) {
		s.Errorf("got snapshots %+v, want %+v", got, want)
	}
}
