package digest

import (
	"cmp"
	"context"
	"strings"
	"time"

	"earshot"
	"earshot/internal/secret/linktoken"
	"earshot/internal/state/catalog"
)

// Requests per minute. A feed reader needs a few per hour.
const (
	perNetwork = 300 // all feeds together; behind a proxy, all readers
	perFeed    = 60  // all readers together
)

var (
	errNoFeed = earshot.Errorf(earshot.NotFound, "Feed does not exist")

	// errInvalidFeed is the same for feeds that never existed, were removed, or show something that was
	// removed, so that it does not reveal which.
	errInvalidFeed = earshot.Errorf(earshot.NotFound, "This feed does not exist")
)

func (s *Service) feeds() catalog.Owned[earshot.FeedLinkID, earshot.FeedLink] {
	return catalog.Owned[earshot.FeedLinkID, earshot.FeedLink]{
		Catalog: s.Catalog, Table: s.Catalog.FeedLinks, Name: "feed", Plural: "feeds", Max: earshot.MaxFeedLinks,
		Team:    func(l *earshot.FeedLink) earshot.TeamID { return l.Team },
		Missing: func(earshot.FeedLinkID) error { return errNoFeed },
	}
}

// Feeds returns the feeds that c may see, ordered by ID. If team is not 0, it returns only those of
// that team.
func (s *Service) Feeds(c *earshot.Caller, team earshot.TeamID) []*earshot.FeedLink {
	return s.feeds().List(c, team)
}

// FeedTarget returns the name of the monitor or filter that a feed is about, or "" if it is about all
// monitors of the team. It reports whether the feed still works.
func (s *Service) FeedTarget(l *earshot.FeedLink) (name string, ok bool) {
	if _, ok := s.Catalog.Teams.Find(l.Team); !ok {
		return "", false
	}
	if l.Monitor == 0 {
		return "", l.Kind == earshot.SignalFeed
	}
	m, ok := s.Catalog.FindMonitor(l.Monitor)
	if !ok || m.Team != l.Team {
		return "", false
	}
	if f, ok := m.Filter(l.Monitor); ok {
		return m.Name + ": " + f.Name, true
	}
	return m.Name, true
}

// A FeedInfo is a secret address of an Atom feed.
type FeedInfo struct {
	ID        earshot.FeedLinkID `json:"id"`
	Team      earshot.TeamID     `json:"team"`
	Name      string             `json:"name"`
	Kind      earshot.FeedKind   `json:"kind"`
	Monitor   earshot.MonitorID  `json:"monitor"` // 0: signals of all monitors of the team
	Target    string             `json:"target"`  // name of the monitor; empty: all, or removed
	Filter    string             `json:"filter"`  // of posts
	Removed   bool               `json:"removed"` // the monitor no longer exists, so the feed does not work
	CreatedBy string             `json:"createdBy"`
	Created   time.Time          `json:"created"`
}

// DescribeFeed returns a feed as JSON.
func (s *Service) DescribeFeed(l *earshot.FeedLink) FeedInfo {
	target, ok := s.FeedTarget(l)
	return FeedInfo{
		ID: l.ID, Team: l.Team, Name: l.Name, Kind: l.Kind, Monitor: l.Monitor, Target: target, Filter: l.Filter, Removed: !ok,
		CreatedBy: l.CreatedBy, Created: l.Created,
	}
}

// AddFeed creates a feed with the team, name, kind, monitor and filter of l. The token is part of its
// address. It cannot be read again.
func (s *Service) AddFeed(ctx context.Context, c *earshot.Caller, l earshot.FeedLink) (added *earshot.FeedLink, token string, err error) {
	if m, ok := s.Catalog.FindMonitor(l.Monitor); l.Monitor != 0 && l.Team == 0 && ok && c.In(m.Team) {
		l.Team = m.Team
	}
	switch {
	case l.Kind != earshot.PostFeed && l.Kind != earshot.SignalFeed:
		return nil, "", earshot.InvalidBody("kind must be posts or signals")
	case l.Kind == earshot.PostFeed && l.Monitor == 0:
		return nil, "", earshot.InvalidBody("monitor is missing")
	case l.Kind == earshot.SignalFeed && l.Filter != "":
		return nil, "", earshot.InvalidBody("a feed of signals has no filter")
	case l.Monitor == 0 && l.Team == 0:
		return nil, "", earshot.InvalidBody("team or monitor is missing")
	}
	if l.Team != 0 {
		if err := s.checkTeam(c, l.Team); err != nil {
			return nil, "", err
		}
	}
	target, ok := s.FeedTarget(&l)
	if !ok {
		return nil, "", earshot.NoMonitor(l.Monitor)
	}
	l.Name = strings.TrimSpace(l.Name)
	if err := earshot.CheckText("name", l.Name, 0, maxName); err != nil {
		return nil, "", err
	}
	l.Name = cmp.Or(l.Name, target, "Signals")
	token = linktoken.New()
	l.TokenHash = linktoken.Hash(token)
	added, err = s.feeds().Add(ctx, c, l.Team, func(id earshot.FeedLinkID) (*earshot.FeedLink, error) {
		l.ID, l.CreatedBy, l.Created = id, c.Name, s.now()
		return &l, nil
	})
	return added, token, err
}

// RemoveFeed deletes a feed. Its address stops working at once.
func (s *Service) RemoveFeed(ctx context.Context, c *earshot.Caller, id earshot.FeedLinkID) error {
	return s.feeds().Remove(ctx, c, id)
}

// OpenFeed returns the feed of a token that an address requests, and a caller that may see what
// belongs to the feed's team, and nothing else.
func (s *Service) OpenFeed(token, address string) (*earshot.FeedLink, *earshot.Caller, error) {
	now := s.Now()
	if err := s.visits.CountNetwork(address, now); err != nil {
		return nil, nil, err
	}
	hash := linktoken.Hash(token)
	l, ok := s.tokens.Find(s.Catalog.FeedLinks, string(hash))
	if !ok || !linktoken.Equal(l.TokenHash, hash) {
		return nil, nil, errInvalidFeed
	}
	if err := s.visits.CountLink(int64(l.ID), now); err != nil {
		return nil, nil, err
	}
	if _, ok := s.FeedTarget(l); !ok {
		return nil, nil, errInvalidFeed
	}
	return l, earshot.TeamCaller(l.Team), nil
}
