// Package share lets people without an account see a dashboard, or the overview of a monitor.
//
// A team creates links and can revoke them. A link contains a random token, of which only a hash is
// stored. The token alone decides what its visitors see: [Service.Open] and [Service.Card] return the
// cards of the link with a caller that may read the link's team and do nothing else. A link may
// expire and may have a password, after which the visitor's browser has a signed cookie that is valid
// for this link and this password only.
//
// The package knows nothing about HTTP and does not count posts.
package share

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/limit"
	"earshot/internal/patch"
	"earshot/internal/secret/linktoken"
	"earshot/internal/secret/password"
	"earshot/internal/state/catalog"
)

// A Service manages share links and serves their visitors. It is safe for concurrent use.
type Service struct {
	Options
	tokens   catalog.Index[earshot.ShareLinkID, earshot.ShareLink]
	throttle throttle
	visits   *limit.Visits
	usage    *usage
}

// Options configure a [Service].
type Options struct {
	Catalog *catalog.Catalog
	Secret  []byte           // signs the cookies of visitors
	Hasher  password.Hasher  // zero: password.DefaultHasher
	Hashing Hashing          // nil: two hashes at a time
	Now     func() time.Time // nil: time.Now
	Log     *slog.Logger     // nil: nothing is logged
}

// Hashing limits and schedules the hashing of passwords. See [limit.Queue].
type Hashing interface {
	Do(ctx context.Context, t limit.Turn, f func()) error
}

// New returns a Service.
func New(o Options) *Service {
	if o.Hasher == (password.Hasher{}) {
		o.Hasher = password.DefaultHasher
	}
	if o.Hashing == nil {
		o.Hashing = limit.NewQueue(2)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{Options: o, throttle: newThrottle(), visits: limit.NewVisits(perNetwork, perLink), usage: newUsage()}
	s.tokens.Of = func(l *earshot.ShareLink) string { return string(l.TokenHash) }
	return s
}

const (
	// MaxLinks bounds the links of a team. When it is reached, the oldest link that was revoked or has
	// expired makes room.
	MaxLinks = 1000

	maxNameRunes = 200
)

var errNoLink = earshot.Errorf(earshot.NotFound, "Share link does not exist")

// A State is whether a link works.
type State string

const (
	Active  State = "active"
	Expired State = "expired"
	Revoked State = "revoked"
	Removed State = "removed" // its dashboard, monitor or team was removed
)

// State returns whether a link works.
func (s *Service) State(l *earshot.ShareLink) State {
	switch {
	case !l.Revoked.IsZero():
		return Revoked
	case !l.Expires.IsZero() && !s.Now().Before(l.Expires):
		return Expired
	}
	if _, ok := s.Target(l); !ok {
		return Removed
	}
	return Active
}

// Target returns the name of the dashboard, monitor or filter that a link shows. It reports whether it
// still exists.
func (s *Service) Target(l *earshot.ShareLink) (name string, ok bool) {
	if _, ok := s.Catalog.Teams.Find(l.Team); !ok {
		return "", false
	}
	if l.Dashboard != 0 {
		d, ok := s.Catalog.Dashboards.Find(l.Dashboard)
		if !ok || d.Team != l.Team {
			return "", false
		}
		return d.Name, true
	}
	m, ok := s.Catalog.FindMonitor(l.Monitor())
	if !ok || m.Team != l.Team {
		return "", false
	}
	if f, ok := m.Filter(l.Monitor()); ok {
		return m.Name + ": " + f.Name, true
	}
	return m.Name, true
}

// Find returns a link if c may see it.
func (s *Service) Find(c *earshot.Caller, id earshot.ShareLinkID) (*earshot.ShareLink, error) {
	l, ok := s.Catalog.ShareLinks.Find(id)
	if !ok || !c.In(l.Team) {
		return nil, errNoLink
	}
	return s.current(l), nil
}

// List returns the links that c may see, ordered by ID.
func (s *Service) List(c *earshot.Caller) []*earshot.ShareLink {
	var list []*earshot.ShareLink
	for _, l := range s.Catalog.ShareLinks.List() {
		if c.In(l.Team) {
			list = append(list, s.current(l))
		}
	}
	return list
}

// A NewLink describes a link to create. Either Dashboard or Monitor is set.
type NewLink struct {
	Name     string    // shown to visitors; empty: the name of the dashboard or monitor
	Password string    // empty: none
	Expires  time.Time // zero: never

	Dashboard earshot.DashboardID

	Monitor    earshot.MonitorID // or one of its filters
	Filter     string
	Range      string
	Start, End earshot.Date       // instead of Range
	Cards      []earshot.CardKind // empty: all of OverviewCards
}

// OverviewCards are the kinds of cards that a link to a monitor shows, in this order. Cards that are
// next to each other have the same height.
var OverviewCards = []earshot.CardKind{
	earshot.FiguresCard, earshot.VolumeCard,
	earshot.SentimentCard, earshot.PlacesCard,
	earshot.SourcesCard, earshot.HashtagsCard,
	earshot.WordsCard, earshot.TopicsCard,
	earshot.AuthorsCard, earshot.LanguagesCard,
	earshot.EmotionsCard, earshot.PostsCard,
}

// wideCards take a whole row; others take half of it.
var wideCards = []earshot.CardKind{earshot.FiguresCard, earshot.VolumeCard}

// Add creates a link. The token is part of the link's address. It cannot be read again.
func (s *Service) Add(ctx context.Context, c *earshot.Caller, n NewLink) (l *earshot.ShareLink, token string, err error) {
	l = &earshot.ShareLink{Expires: n.Expires.UTC().Truncate(time.Second), CreatedBy: c.Name, Created: s.Now().UTC().Truncate(time.Second)}
	if n.Expires.IsZero() {
		l.Expires = time.Time{}
	}
	if err := s.setTarget(c, l, n); err != nil {
		return nil, "", err
	}
	target, _ := s.Target(l)
	if l.Name, err = checkName(cmp.Or(strings.TrimSpace(n.Name), target)); err != nil {
		return nil, "", err
	}
	if err := s.checkExpiry(l.Expires); err != nil {
		return nil, "", err
	}
	if l.PasswordHash, err = s.hash(ctx, c, n.Password); err != nil {
		return nil, "", err
	}
	token = linktoken.New()
	l.TokenHash = linktoken.Hash(token)

	// Prevents removal of the team in the meantime, and more links than allowed.
	err = s.Catalog.Exclusive(ctx, func(ctx context.Context) error {
		if _, ok := s.Target(l); !ok {
			return earshot.Errorf(earshot.NotFound, "What this link shows was removed")
		}
		if err := s.makeRoom(ctx, l.Team); err != nil {
			return err
		}
		id, err := s.Catalog.NextIDs(ctx, 1)
		if err != nil {
			return err
		}
		l.ID = earshot.ShareLinkID(id)
		return s.Catalog.ShareLinks.Add(ctx, l.ID, l)
	})
	if err != nil {
		return nil, "", err
	}
	return l, token, nil
}

// setTarget sets what l shows.
func (s *Service) setTarget(c *earshot.Caller, l *earshot.ShareLink, n NewLink) error {
	if (n.Dashboard == 0) == (n.Monitor == 0) {
		return earshot.InvalidBody("either dashboard or monitor must be set")
	}
	if n.Dashboard != 0 {
		d, ok := s.Catalog.Dashboards.Find(n.Dashboard)
		if !ok || !c.In(d.Team) {
			return earshot.Errorf(earshot.NotFound, "Dashboard %d does not exist", n.Dashboard)
		}
		l.Team, l.Dashboard = d.Team, d.ID
		return nil
	}
	m, ok := s.Catalog.FindMonitor(n.Monitor)
	if !ok || !c.In(m.Team) {
		return earshot.NoMonitor(n.Monitor)
	}
	l.Team, l.Range = m.Team, n.Range
	for _, kind := range n.Cards {
		if !slices.Contains(OverviewCards, kind) {
			return earshot.InvalidBody("cards must not contain '%s'", earshot.Clip(string(kind), 100))
		}
	}
	for _, kind := range OverviewCards {
		if len(n.Cards) > 0 && !slices.Contains(n.Cards, kind) {
			continue
		}
		card := earshot.Card{ID: int64(len(l.Cards) + 1), Kind: kind, Width: 2, Monitor: n.Monitor, Filter: n.Filter, Start: n.Start, End: n.End}
		if slices.Contains(wideCards, kind) {
			card.Width = 4
		}
		l.Cards = append(l.Cards, card)
	}
	return nil
}

// makeRoom removes the oldest link that no longer works if the team has as many links as it may. The
// caller runs under Exclusive.
func (s *Service) makeRoom(ctx context.Context, team earshot.TeamID) error {
	var count int
	var ended *earshot.ShareLink
	for _, l := range s.Catalog.ShareLinks.List() {
		if l.Team != team {
			continue
		}
		count++
		if ended == nil && s.State(l) != Active {
			ended = l
		}
	}
	switch {
	case count < MaxLinks:
		return nil
	case ended == nil:
		return earshot.Errorf(earshot.Invalid, "The team has %d share links, which is the maximum. Revoke one first", count)
	}
	return s.Catalog.ShareLinks.Remove(ctx, ended.ID)
}

// Changes are changes to a link. Nil fields stay unchanged.
type Changes struct {
	Name     *string
	Password *string    // empty: removes it
	Expires  *time.Time // zero: never
}

// Edit changes a link that is not revoked. Visitors who entered the old password have to enter the
// new one.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, id earshot.ShareLinkID, ch Changes) (*earshot.ShareLink, error) {
	l, err := s.Find(c, id)
	if err != nil {
		return nil, err
	}
	if ch.Name != nil {
		if *ch.Name, err = checkName(*ch.Name); err != nil {
			return nil, err
		}
	}
	if ch.Expires != nil && !ch.Expires.Equal(l.Expires) {
		if err := s.checkExpiry(*ch.Expires); err != nil {
			return nil, err
		}
	}
	var hash *string
	if ch.Password != nil {
		text, err := s.hash(ctx, c, *ch.Password)
		if err != nil {
			return nil, err
		}
		hash = &text
	}
	return s.update(ctx, id, func(l *earshot.ShareLink) error {
		if !l.Revoked.IsZero() {
			return earshot.Errorf(earshot.Invalid, "This link was revoked. Create a new one instead")
		}
		patch.Set(&l.Name, ch.Name)
		patch.Set(&l.PasswordHash, hash)
		patch.Set(&l.Expires, ch.Expires)
		return nil
	})
}

// Revoke ends a link. It stays listed, with its uses. Revoking it again does nothing.
func (s *Service) Revoke(ctx context.Context, c *earshot.Caller, id earshot.ShareLinkID) error {
	if _, err := s.Find(c, id); err != nil {
		return err
	}
	_, err := s.update(ctx, id, func(l *earshot.ShareLink) error {
		if l.Revoked.IsZero() {
			l.Revoked = s.Now().UTC().Truncate(time.Second)
		}
		return nil
	})
	return err
}

func (s *Service) update(ctx context.Context, id earshot.ShareLinkID, change func(*earshot.ShareLink) error) (*earshot.ShareLink, error) {
	l, err := s.Catalog.ShareLinks.Update(ctx, id, change)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, errNoLink
	}
	if err != nil {
		return nil, err
	}
	return s.current(l), nil
}

// hash returns the hash of a password that the caller chooses, or "" if it is empty.
func (s *Service) hash(ctx context.Context, c *earshot.Caller, chosen string) (hash string, err error) {
	if chosen == "" {
		return "", nil
	}
	if reason := password.Weakness("", chosen); reason != "" {
		return "", earshot.InvalidBody("password %s", reason)
	}
	err = s.Hashing.Do(ctx, limit.Turn{Trusted: true, Key: c.Name}, func() { hash = s.Hasher.Hash(chosen) })
	return hash, err
}

func (s *Service) checkExpiry(t time.Time) error {
	if !t.IsZero() && !t.After(s.Now()) {
		return earshot.InvalidBody("expires must be in the future")
	}
	return nil
}

func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	return name, earshot.CheckText("name", name, 1, maxNameRunes)
}
