package storetest

import (
	"fmt"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var figureCases = []testCase{
	{"a tracked post that comes again tells how its figures changed", func(s *subject) {
		s.add(tracked("a", 10, 1))
		s.wantFigures(1)
		s.add(tracked("a", 25, 1))
		s.add(tracked("a", 20, 1))
		s.wantFigures(1, "likes 15", "likes -5")
	}},
	{"all three figures are told, and the time of the post as it came", func(s *subject) {
		first := post("a", func(p *earshot.Post) {
			p.Likes, p.Shares, p.Comments = earshot.Counted(1), earshot.Counted(2), earshot.Counted(3)
		})
		again := post("a", func(p *earshot.Post) {
			p.Likes, p.Shares, p.Comments = earshot.Counted(1), earshot.Counted(1<<62), earshot.Counted(0)
			p.Time = moment("2024-03-02T00:00:00.000000007Z")
		})
		for _, m := range []*poststore.Matched{&first, &again} {
			m.Monitors, m.Tracked = []earshot.MonitorID{1}, []earshot.MonitorID{1}
			s.add(*m)
		}
		got, err := s.FigureChanges(s.ctx(), 1, time.Time{})
		s.check(err)
		if len(got) != 1 || got[0].Likes != 0 || got[0].Shares != 1<<62-2 || got[0].Comments != -3 || !got[0].Posted.Equal(again.Post.Time) {
			s.Errorf("got %+v", got)
		}
	}},
	{"a figure that was not stated counts from 0, and one that is not stated any more stays", func(s *subject) {
		none := post("a", nil)
		none.Monitors, none.Tracked = []earshot.MonitorID{1}, []earshot.MonitorID{1}
		s.add(none)
		s.add(tracked("a", 5, 1))
		s.add(none)
		s.wantFigures(1, "likes 5")
	}},
	{"figures that stay as they are tell nothing", func(s *subject) {
		s.add(tracked("a", 5, 1))
		s.add(tracked("a", 5, 1))
		s.wantFigures(1)
	}},
	{"only monitors that track the post and had the old one are told", func(s *subject) {
		s.add(postWith("a", 5, []earshot.MonitorID{1, 2, 3}, nil))
		s.add(postWith("a", 6, []earshot.MonitorID{1, 2, 4}, []earshot.MonitorID{1, 4}))
		s.wantFigures(1, "likes 1")
		for _, other := range []earshot.MonitorID{2, 3, 4} {
			s.wantFigures(other)
		}
	}},
	{"own posts of an account are tracked under their own id", func(s *subject) {
		id := earshot.MonitorID(1)
		for likes := range int64(3) {
			s.add(postWith("a", likes, []earshot.MonitorID{id, id.Own()}, []earshot.MonitorID{id.Own()}))
		}
		s.wantFigures(id.Own(), "likes 1", "likes 1")
		s.wantFigures(id)
	}},
	{"whether the old post was a monitor's is what matching said last", func(s *subject) {
		s.addFruit() // a, b and c are of monitor 1
		s.rematch(1, time.Time{}, earshot.Criteria{Keywords: "pear"})
		s.add(tracked("a", 7, 1), tracked("c", 8, 1))
		s.wantFigures(1, "likes 8")
	}},
	{"of two posts with one key in a batch the later is compared with the stored one", func(s *subject) {
		s.add(tracked("a", 1, 1), tracked("a", 10, 1))
		s.wantFigures(1)
		s.add(tracked("a", 50, 1), tracked("a", 12, 1))
		s.wantFigures(1, "likes 2")
		s.add(tracked("a", 50, 1), postWith("a", 12, []earshot.MonitorID{1}, nil))
		s.wantFigures(1, "likes 2")
	}},
	{"a repeated position is not compared again", func(s *subject) {
		s.add(tracked("a", 1, 1))
		for range 2 {
			s.check(s.Append(s.ctx(), 5, []poststore.Matched{tracked("a", 3, 1)}))
		}
		s.wantFigures(1, "likes 2")
	}},
	{"a post that was deleted is new when it comes again", func(s *subject) {
		letter := custom(3, "a", func(p *earshot.Post) { p.Likes = earshot.Counted(4) })
		letter.Monitors, letter.Tracked = []earshot.MonitorID{1}, []earshot.MonitorID{1}
		s.add(letter)
		s.remove(earshot.Deletion{ContentSource: 3})
		letter.Post.Likes = earshot.Counted(9)
		s.add(letter)
		s.wantFigures(1)
	}},
	{"posts that models saw again are compared by what they have", func(s *subject) {
		s.add(tracked("a", 1, 1))
		s.revise(2)
		s.add(tracked("a", 4, 1))
		s.revise(2)
		s.wantFigures(1, "likes 3")
	}},
	{"changes since a moment are told, that moment included", func(s *subject) {
		before := time.Now()
		s.add(tracked("a", 1, 1))
		s.add(tracked("a", 2, 1))
		s.add(tracked("a", 4, 1))
		all, err := s.FigureChanges(s.ctx(), 1, before.Add(-time.Second))
		s.check(err)
		if len(all) != 2 || all[0].Time.Before(before.Round(0)) || all[1].Time.Before(all[0].Time) || all[1].Time.After(time.Now()) {
			s.Fatalf("got %+v, want two changes one after the other", all)
		}
		since, err := s.FigureChanges(s.ctx(), 1, all[1].Time)
		s.check(err)
		if n := len(since); n == 0 || since[n-1] != all[1] {
			s.Errorf("got %+v since the last change, want it", since)
		}
		later, err := s.FigureChanges(s.ctx(), 1, all[1].Time.Add(1))
		s.check(err)
		if len(later) > 0 {
			s.Errorf("got %+v after the last change", later)
		}
	}},
	{"nothing is left of a monitor that is gone", func(s *subject) {
		for likes := range int64(2) {
			s.add(postWith("a", likes, []earshot.MonitorID{1, -1, 2}, []earshot.MonitorID{1, -1, 2}))
		}
		s.check(s.Rematch(s.ctx(), poststore.Rematch{Rules: poststore.Rules{1: {}, -1: {}}}))
		s.wantFigures(1)
		s.wantFigures(-1)
		s.wantFigures(2, "likes 1")
	}},
}

// tracked returns a post that monitors have and track.
func tracked(guid string, likes int64, monitors ...earshot.MonitorID) poststore.Matched {
	return postWith(guid, likes, monitors, monitors)
}

func postWith(guid string, likes int64, monitors, tracked []earshot.MonitorID) poststore.Matched {
	m := post(guid, func(p *earshot.Post) { p.Likes = earshot.Counted(likes) })
	m.Monitors, m.Tracked = monitors, tracked
	return m
}

// wantFigures checks all changes of a monitor, in order, written as "likes n".
func (s *subject) wantFigures(id earshot.MonitorID, want ...string) {
	s.Helper()
	changes, err := s.FigureChanges(s.ctx(), id, time.Time{})
	s.check(err)
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprint("likes ", c.Likes))
	}
	if !slices.Equal(got, want) {
		s.Errorf("monitor %d: got the changes %q, want %q", id, got, want)
	}
}
