package account

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/limit"
	"earshot/internal/report/format"
	"earshot/internal/secret/linktoken"
	"earshot/internal/state/catalog"
)

const (
	maxInvitations = 100 // per team

	// defaultInvitationDays leaves time for a vacation. Everyone who has the link can use it, so
	// maxInvitationDays limits how long a forgotten one is a risk.
	defaultInvitationDays = 7
	maxInvitationDays     = 30
)

// errNoInvitation does not say whether an invitation expired, was accepted or revoked, or never
// existed.
var errNoInvitation = &earshot.Error{Kind: earshot.NotFound, Message: "This invitation has expired or was already used. Ask for a new one."}

// A NewInvitation has the fields of an invitation to create.
type NewInvitation struct {
	Team        earshot.TeamID
	Username    string               // a suggestion; may be empty
	Email       string               // may be empty
	Permissions []earshot.Permission // any but admin
	Days        int                  // until it expires; 0: the default
}

// Invite creates an invitation. The token is part of its link. It cannot be read again.
func (s *Service) Invite(ctx context.Context, c *earshot.Caller, n NewInvitation) (i *earshot.Invitation, token string, err error) {
	if n.Days == 0 {
		n.Days = defaultInvitationDays
	}
	if n.Days < 1 || n.Days > maxInvitationDays {
		return nil, "", earshot.InvalidBody("days must be from 1 to %d", maxInvitationDays)
	}
	n.Username, n.Email = strings.TrimSpace(n.Username), strings.TrimSpace(n.Email)
	if slices.Contains(n.Permissions, earshot.AdminPermission) {
		return nil, "", earshot.InvalidBody("permissions must not contain admin: make the user an administrator after they have joined")
	}
	if err := s.checkUser(&earshot.User{Username: cmp.Or(n.Username, "new"), Email: n.Email, Permissions: n.Permissions}); err != nil {
		return nil, "", err
	}
	if n.Username != "" && s.findUsername(catalog.Fold(n.Username)) != nil {
		return nil, "", usernameTaken(n.Username, nil)
	}
	if err := s.Clean(ctx); err != nil {
		return nil, "", err
	}
	token = linktoken.New()
	now := s.now().UTC().Truncate(time.Second)
	i, err = s.invitations().Add(ctx, c, n.Team, func(id earshot.InvitationID) (*earshot.Invitation, error) {
		return &earshot.Invitation{
			ID: id, Team: n.Team, TokenHash: linktoken.Hash(token), Username: n.Username, Email: n.Email, Permissions: dedupe(n.Permissions),
			Expires: now.AddDate(0, 0, n.Days), Inviter: c.User, Created: now,
		}, nil
	})
	return i, token, err
}

// InvitationPath returns the page of the web app that accepts an invitation. The token is in the
// fragment, which browsers neither send nor pass on as the referrer.
func InvitationPath(token string) string { return "/invitation#token=" + token }

// MailInvitation sends an invitation to its email address. The error is for people.
func (s *Service) MailInvitation(ctx context.Context, i *earshot.Invitation, token string) error {
	o := s.describe(i)
	return s.mailer.Mail(ctx, i.Email, earshot.Message{
		Event: "invitation", Severity: earshot.Info, Path: InvitationPath(token),
		Title: o.Inviter + " invites you to Earshot",
		Text: "You can join the team “" + o.Team + "”. Open the link to choose a username and password.\n" +
			"The link works once, until " + format.DateTime(i.Expires) + " UTC. Do not pass it on.",
	})
}

// Invitations returns the invitations that someone can still accept, ordered by ID.
func (s *Service) Invitations(c *earshot.Caller) []*earshot.Invitation {
	return s.invitations().List(c, 0)
}

// RevokeInvitation deletes an invitation, so that its link stops working.
func (s *Service) RevokeInvitation(ctx context.Context, c *earshot.Caller, id earshot.InvitationID) error {
	return s.invitations().Remove(ctx, c, id)
}

// Clean deletes invitations that have expired.
func (s *Service) Clean(ctx context.Context) error {
	return removeAll(ctx, s.catalog.Invitations, func(i *earshot.Invitation) (earshot.InvitationID, bool) {
		return i.ID, !s.now().Before(i.Expires)
	})
}

func (s *Service) invitations() catalog.Owned[earshot.InvitationID, earshot.Invitation] {
	return catalog.Owned[earshot.InvitationID, earshot.Invitation]{
		Catalog: s.catalog, Table: s.catalog.Invitations, Exists: s.isPending,
		Team: func(i *earshot.Invitation) earshot.TeamID { return i.Team },
		Missing: func(id earshot.InvitationID) error {
			return earshot.Errorf(earshot.NotFound, "Invitation %d does not exist", id)
		},
		Name: "invitation", Plural: "invitations", Max: maxInvitations,
	}
}

// isPending reports whether an invitation can be accepted: it has not expired, its team exists, and
// who created it may still invite people.
func (s *Service) isPending(i *earshot.Invitation) bool {
	inviter, ok := s.catalog.Users.Find(i.Inviter)
	if !ok || !slices.Contains(inviter.Permissions, earshot.AdminPermission) {
		return false
	}
	_, ok = s.catalog.Teams.Find(i.Team)
	return ok && s.now().Before(i.Expires)
}

// An OpenInvitation describes an invitation to the person who opened its link.
type OpenInvitation struct {
	Team     string    `json:"team"`
	Inviter  string    `json:"invitedBy"`
	Username string    `json:"username"` // suggested
	Expires  time.Time `json:"expires"`
}

func (s *Service) describe(i *earshot.Invitation) OpenInvitation {
	o := OpenInvitation{Username: i.Username, Expires: i.Expires}
	if t, ok := s.catalog.Teams.Find(i.Team); ok {
		o.Team = t.Name
	}
	if u, ok := s.catalog.Users.Find(i.Inviter); ok {
		o.Inviter = u.DisplayName()
	}
	return o
}

// OpenInvitation returns the invitation with a token. Wrong tokens are throttled like failed sign-ins,
// and count as such for the network of the address.
func (s *Service) OpenInvitation(token, address string) (OpenInvitation, error) {
	i, err := s.findInvitation(token, address)
	if err != nil {
		return OpenInvitation{}, err
	}
	return s.describe(i), nil
}

func (s *Service) findInvitation(token, address string) (*earshot.Invitation, error) {
	o, now := origin{inInvitation, networkOf(address)}, s.now()
	if wait := max(s.throttle.waitPair(now, o), s.throttle.networks.Wait(now, o.network)); wait > 0 {
		return nil, tooManyFailures(wait)
	}
	hash := linktoken.Hash(token)
	for _, i := range s.catalog.Invitations.List() {
		if linktoken.Equal(i.TokenHash, hash) && s.isPending(i) {
			return i, nil
		}
	}
	s.throttle.pairs.Add(now, o.name, o.network)
	s.throttle.networks.Add(now, o.network)
	s.log.Warn("opening an invitation failed", "address", earshot.Clip(address, 100))
	return nil, errNoInvitation
}

// An Acceptance has the username and password of a person who accepts an invitation.
type Acceptance struct {
	Token, Username, Password string
	Address                   string // network address, for throttling
}

// AcceptInvitation creates the user and starts a session. An invitation can be accepted once, also if
// several nodes get the request at the same time: only one of them can remove the record.
func (s *Service) AcceptInvitation(ctx context.Context, a Acceptance) (Session, error) {
	i, err := s.findInvitation(a.Token, a.Address)
	if err != nil {
		return Session{}, err
	}
	u := &earshot.User{Username: strings.TrimSpace(a.Username), Email: i.Email, Teams: []earshot.TeamID{i.Team}, Permissions: i.Permissions}
	if err := errors.Join(s.checkUser(u), checkPassword(u.Username, a.Password)); err != nil {
		return Session{}, err
	}
	if s.findUsername(catalog.Fold(u.Username)) != nil { // before the hash, which takes long
		return Session{}, usernameTaken(u.Username, nil)
	}
	network := networkOf(a.Address)
	if err := s.hashing.Do(ctx, limit.Turn{Key: network}, func() { u.PasswordHash = s.hasher.Hash(a.Password) }); err != nil {
		return Session{}, err
	}
	if err := s.catalog.Exclusive(ctx, func(ctx context.Context) error { return s.join(ctx, i, u) }); err != nil {
		return Session{}, err
	}
	s.log.Info("a user accepted an invitation", "user", u.Username, "team", i.Team, "inviter", i.Inviter)
	s.record(ctx, u, network)
	return s.newSession(u)
}

// join stores a user instead of the invitation.
func (s *Service) join(ctx context.Context, i *earshot.Invitation, u *earshot.User) error {
	if !s.isPending(i) {
		return errNoInvitation
	}
	id, err := s.catalog.NextIDs(ctx, 1)
	if err != nil {
		return err
	}
	u.ID = earshot.UserID(id)
	if err := s.claimUsername(ctx, u); err != nil {
		return err
	}
	if err := s.catalog.Invitations.Remove(ctx, i.ID); err != nil {
		if errors.Is(err, catalog.ErrNotFound) {
			err = errNoInvitation
		}
		return errors.Join(err, s.catalog.ReleaseName(ctx, username(u.Username), id))
	}
	return s.catalog.Users.Add(ctx, u.ID, u)
}
