package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
)

// sessionLife is a trade-off between how often people must sign in and how long a stolen cookie
// works.
const sessionLife = 7 * 24 * time.Hour

// maxEndedSessions bounds the list of ended sessions in a user's record. When the list is full,
// ending one more session ends all of the user's sessions.
const maxEndedSessions = 100

// A Session is the session of a signed-in browser.
type Session struct {
	Cookie  string // cookie value; secret
	CSRF    string // token that only our own pages know
	Expires time.Time
	Caller  *earshot.Caller
}

var errOldPassword = &earshot.Error{Kind: earshot.Forbidden, Message: "The old password is incorrect"}

// StartSession checks the password and starts a session. The user does not need API access. Failed
// attempts are throttled together with those of [Service.SignIn].
func (s *Service) StartSession(ctx context.Context, in Credentials) (Session, error) {
	u, err := s.checkCredentials(ctx, in)
	if err != nil {
		return Session{}, err
	}
	return s.newSession(u)
}

func (s *Service) newSession(u *earshot.User) (Session, error) {
	session, ok := s.parseSession(s.newToken(u, kindSession, sessionLife).Text)
	if !ok {
		return Session{}, errCredentials // the password changed after the check
	}
	return session, nil
}

// FindSession returns the session that a cookie identifies, or [earshot.ErrNotAuthenticated].
func (s *Service) FindSession(_ context.Context, cookie string) (Session, error) {
	session, ok := s.parseSession(cookie)
	if !ok {
		return Session{}, earshot.ErrNotAuthenticated
	}
	return session, nil
}

func (s *Service) parseSession(cookie string) (Session, bool) {
	o, ok := s.verifyToken(cookie)
	if !ok || o.kind != kindSession || !s.now().Before(o.expires()) || o.ended() {
		return Session{}, false
	}
	return Session{Cookie: cookie, CSRF: s.csrf(o.bytes), Expires: o.expires(), Caller: earshot.NewCaller(o.user)}, true
}

// csrf derives the CSRF token from the session, so it does not have to be stored. It does not
// reveal the session.
func (s *Service) csrf(session []byte) string {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte("csrf")) // domain separation: no token starts with these bytes
	h.Write(session)
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

func (o tokenClaims) sessionID() string { return hex.EncodeToString(o.nonce) }

func (o tokenClaims) ended() bool {
	id := o.sessionID()
	return slices.ContainsFunc(o.user.EndedSessions, func(e earshot.EndedSession) bool { return e.ID == id })
}

// EndSession ends a session and invalidates its cookie. It does nothing if the session has already
// ended or never existed.
func (s *Service) EndSession(ctx context.Context, cookie string) error {
	o, ok := s.verifyToken(cookie)
	if !ok || o.kind != kindSession || o.ended() {
		return nil
	}
	_, err := s.catalog.Users.Update(ctx, o.user.ID, func(u *earshot.User) error {
		u.EndedSessions = slices.DeleteFunc(u.EndedSessions, func(e earshot.EndedSession) bool { return !s.now().Before(e.Expires) })
		u.EndedSessions = append(u.EndedSessions, earshot.EndedSession{ID: o.sessionID(), Expires: o.expires()})
		if len(u.EndedSessions) > maxEndedSessions {
			u.SessionEpoch++
			u.EndedSessions = nil
		}
		return nil
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return nil // the user was deleted
	}
	return err
}

// A PasswordChange is a user's request to change their own password.
type PasswordChange struct {
	Old, New string
	Address  string // network address of the caller, for throttling
}

// ChangePassword changes the caller's own password. It revokes all of the user's tokens and
// sessions and returns a new session. A wrong old password counts as a failed sign-in.
func (s *Service) ChangePassword(ctx context.Context, c *earshot.Caller, p PasswordChange) (Session, error) {
	if err := checkPassword(c.Name, p.New); err != nil {
		return Session{}, err
	}
	if p.New == p.Old {
		return Session{}, earshot.InvalidBody("password must not be the old one")
	}
	before, err := s.confirm(ctx, c, p.Old, p.Address)
	if errors.Is(err, errWrongPassword) {
		return Session{}, errOldPassword
	}
	if err != nil {
		return Session{}, err
	}
	hash, err := s.hash(ctx, c.User, p.New)
	if err != nil {
		return Session{}, err
	}
	after, err := s.catalog.Users.Update(ctx, c.User, func(u *earshot.User) error {
		if u.PasswordHash != before.PasswordHash {
			return errOldPassword // changed concurrently
		}
		u.PasswordHash, u.PasswordExpires = hash, time.Time{}
		revokeAll(u)
		return nil
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return Session{}, noUser(c.User)
	}
	if err != nil {
		return Session{}, err
	}
	return s.newSession(after)
}
