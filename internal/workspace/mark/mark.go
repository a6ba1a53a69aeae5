// Package mark keeps what people write down while they read posts and charts: annotations on the
// time axis, marks on posts (a star, tags, an assignee, notes), and saved views. All of it belongs
// to a team: its members see and change it, and for everyone else it does not exist.
//
// A post has one mark per team, no matter how many monitors of the team match it. A mark refers to
// its post by key and contains nothing of it, so a deleted post leaves no text behind. Callers look
// marks up by the posts they show, and so never show the mark of a post that is gone; [Service.Clean]
// removes such marks, and everything that belongs to a removed monitor or team.
//
// Marks are looked up for every post of every list, so an index by team and post follows the
// catalog in memory.
package mark

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"earshot"
	"earshot/internal/state/catalog"
)

// Posts finds the posts that still exist.
type Posts interface {
	// Find returns the posts with the given keys. Keys without a post are skipped.
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)
}

// A Service manages annotations, marks and saved views.
type Service struct {
	Catalog *catalog.Catalog
	Posts   Posts
	Now     func() time.Time

	marks      index
	selections selections
}

// Maximum lengths in characters.
const (
	maxAnnotation = 300
	maxTag        = 50
	maxNote       = 1000
	maxViewName   = 100
	maxViewPath   = 8000 // about what a browser sends in its first line
)

// checkTeam returns an error unless the team exists and c is a member.
func (s *Service) checkTeam(c *earshot.Caller, team earshot.TeamID) error {
	if _, ok := s.Catalog.Teams.Find(team); !ok || !c.In(team) {
		return earshot.Errorf(earshot.NotFound, "Team %d does not exist", team)
	}
	return nil
}

// ownerOf returns the team and the monitor that something new belongs to. It belongs to the monitor
// even if the caller names one of its filters. Without a monitor, the team is required.
func (s *Service) ownerOf(c *earshot.Caller, team earshot.TeamID, monitor earshot.MonitorID) (earshot.TeamID, earshot.MonitorID, error) {
	if monitor == 0 {
		if team == 0 {
			return 0, 0, earshot.InvalidBody("team or monitor is missing")
		}
		return team, 0, s.checkTeam(c, team)
	}
	m, ok := s.Catalog.FindMonitor(monitor)
	if !ok || !c.In(m.Team) {
		return 0, 0, earshot.NoMonitor(monitor)
	}
	if team != 0 && team != m.Team {
		return 0, 0, earshot.InvalidBody("monitor %d belongs to another team", monitor)
	}
	return m.Team, m.ID, nil
}

// exists reports whether a team, and a monitor unless it is 0, have not been removed.
func (s *Service) exists(team earshot.TeamID, monitor earshot.MonitorID) bool {
	if _, ok := s.Catalog.Teams.Find(team); !ok {
		return false
	}
	if monitor == 0 {
		return true
	}
	m, ok := s.Catalog.Monitors.Find(monitor)
	return ok && !m.Removed
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Second) }

// checkLines is like [earshot.CheckText] for a text that may have several lines.
func checkLines(field, text string, maxLength int) error {
	if n := utf8.RuneCountInString(text); n < 1 || n > maxLength {
		return earshot.InvalidBody("%s must have 1 to %d characters", field, maxLength)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		return earshot.InvalidBody("%s must not contain control characters", field)
	}
	return nil
}
