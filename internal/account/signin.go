package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/limit"
	"earshot/internal/secret/password"
	"earshot/internal/state/catalog"
)

var (
	errCredentials  = &earshot.Error{Kind: earshot.Unauthenticated, Message: "Invalid credentials"}
	errUnauthorized = &earshot.Error{Kind: earshot.Unauthenticated, Message: "Unauthorized"}
	errNoAPIAccess  = &earshot.Error{Kind: earshot.Forbidden, Message: "This user has no API access"}

	errTemporaryPassword = &earshot.Error{Kind: earshot.Forbidden, Message: "Please sign in to the web app and change your temporary password first"}
	errExpiredPassword   = &earshot.Error{Kind: earshot.Unauthenticated, Message: "This temporary password has expired; ask an administrator for a new one"}

	errNeedsPassword = &earshot.Error{Kind: earshot.Forbidden, Message: "Please confirm this with your password"}
	errWrongPassword = &earshot.Error{Kind: earshot.Forbidden, Message: "The password is incorrect"}
)

// Credentials are a username and password, and options for the token to issue.
type Credentials struct {
	Username, Password string
	Permanent          bool   // issue a token that never expires
	Force              bool   // revoke the current permanent token first
	Address            string // network address of the caller, for throttling
}

// SignIn checks the password and returns a token. The user must have API access. Repeated failures
// are throttled by username and network; see [throttle].
func (s *Service) SignIn(ctx context.Context, in Credentials) (Token, error) {
	u, err := s.checkCredentials(ctx, in)
	if err != nil {
		return Token{}, err
	}
	if !u.APIAccess {
		return Token{}, errUnauthorized
	}
	if u.HasTemporaryPassword() {
		return Token{}, errTemporaryPassword
	}
	return s.issue(ctx, u, in.Permanent, in.Force)
}

// A TokenRequest is a request for a token by a caller who is already signed in.
type TokenRequest struct {
	Permanent bool   // issue a token that never expires
	Force     bool   // revoke the current permanent token first
	Password  string // the caller's password; required by Permanent and Force
	Address   string // network address of the caller, for throttling
}

// IssueToken returns a token for a caller who is already signed in. A permanent token outlives what
// the caller signed in with, so it requires the password, and so does replacing it. A wrong password
// counts as a failed sign-in.
func (s *Service) IssueToken(ctx context.Context, c *earshot.Caller, in TokenRequest) (Token, error) {
	u, err := s.FindUser(c.User)
	if err != nil {
		return Token{}, err
	}
	if !u.APIAccess {
		return Token{}, errNoAPIAccess
	}
	if u.HasTemporaryPassword() {
		return Token{}, errTemporaryPassword
	}
	if in.Permanent || in.Force {
		if in.Password == "" {
			return Token{}, errNeedsPassword
		}
		if u, err = s.confirm(ctx, c, in.Password, in.Address); err != nil {
			return Token{}, err
		}
	}
	return s.issue(ctx, u, in.Permanent, in.Force)
}

// confirm checks the caller's own password.
func (s *Service) confirm(ctx context.Context, c *earshot.Caller, password, address string) (*earshot.User, error) {
	u, err := s.checkCredentials(ctx, Credentials{Username: c.Name, Password: password, Address: address})
	if errors.Is(err, errCredentials) || err == nil && u.ID != c.User {
		return nil, errWrongPassword
	}
	return u, err
}

func (s *Service) issue(ctx context.Context, u *earshot.User, permanent, force bool) (Token, error) {
	if force {
		raised, err := s.catalog.Users.Update(ctx, u.ID, func(u *earshot.User) error {
			u.TokenGeneration++
			return nil
		})
		if err != nil {
			return Token{}, err
		}
		u = raised
	}
	if permanent {
		return s.permanentToken(u), nil
	}
	return s.expiringToken(u), nil
}

// checkCredentials checks a password and returns the user. It consults the throttle before and
// while it holds a turn of the hash queue, so that concurrent attempts are throttled like
// consecutive ones.
//
// A user with a good record in the network is not rejected because of failures of others. There, an
// attempt that would be throttled is checked; if the password is wrong, the attempt gets a penalty
// instead: the response is delayed, and while there are too many penalties, attempts are rejected. See
// [penalties].
func (s *Service) checkCredentials(ctx context.Context, in Credentials) (*earshot.User, error) {
	o := origin{catalog.Fold(in.Username), networkOf(in.Address)}
	u := s.findUsername(o.name)
	good := s.hasRecord(u, o.network)
	turn := limit.Turn{Trusted: good, Key: o.network}
	if good {
		turn.Key = o.name + "\x00" + o.network
	}
	if err := s.checkThrottle(o, good); err != nil {
		return nil, err
	}
	var err error
	var penalty time.Duration
	busy := s.hashing.Do(ctx, turn, func() {
		if err = s.checkThrottle(o, good); err != nil {
			return
		}
		if s.verify(u, in.Password) {
			if !good { // otherwise an attacker in the network would start over, too
				s.throttle.reset(o)
			}
			return
		}
		err = errCredentials
		if wait := s.throttle.waitPair(s.now(), o); wait > 0 {
			err = tooManyFailures(wait)
		}
		s.throttle.add(s.now(), o)
		if good && err != errCredentials {
			penalty = s.penalties.add(s.now(), o, s.throttle.waitPair(s.now(), o))
		}
		s.log.Warn("a sign-in failed", "username", earshot.Clip(in.Username, 100), "address", earshot.Clip(in.Address, 100))
	})
	switch {
	case busy != nil:
		return nil, busy
	case err == nil && u.HasTemporaryPassword() && !s.now().Before(u.PasswordExpires):
		return nil, errExpiredPassword
	case err == nil:
		s.record(ctx, u, o.network)
		return u, nil
	case penalty > 0:
		timer := time.NewTimer(penalty)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return nil, err
}

// checkThrottle returns an error if an attempt must wait.
func (s *Service) checkThrottle(o origin, good bool) error {
	wait := s.penalties.wait(s.now(), o)
	if !good {
		wait = s.throttle.wait(s.now(), o)
	}
	if wait > 0 {
		return tooManyFailures(wait)
	}
	return nil
}

func tooManyFailures(wait time.Duration) error {
	return &earshot.Error{Kind: earshot.OverLimit, RetryAfter: wait, Message: "Too many failed sign-ins; wait and try again"}
}

// hash hashes a password that the user of id sets.
func (s *Service) hash(ctx context.Context, id earshot.UserID, chosen string) (hash string, err error) {
	err = s.hashing.Do(ctx, limit.Turn{Trusted: true, Key: fmt.Sprint(id)}, func() { hash = s.hasher.Hash(chosen) })
	return hash, err
}

// RevokeTokens revokes all tokens and sessions of a user.
func (s *Service) RevokeTokens(ctx context.Context, id earshot.UserID) error {
	_, err := s.catalog.Users.Update(ctx, id, func(u *earshot.User) error {
		revokeAll(u)
		return nil
	})
	return err
}

// revokeAll revokes all tokens and sessions of u. The caller saves the record.
func revokeAll(u *earshot.User) {
	u.TokenEpoch++
	u.EndedSessions = nil
}

// verify takes just as long for unknown users, so response times do not reveal which users exist.
func (s *Service) verify(u *earshot.User, given string) bool {
	if u == nil {
		s.hasher.Spend(given)
		return false
	}
	return password.Verify(u.PasswordHash, given)
}

func (s *Service) findUsername(folded string) *earshot.User {
	for _, u := range s.catalog.Users.List() {
		if catalog.Fold(u.Username) == folded {
			return u
		}
	}
	return nil
}
