package account

import (
	"context"

	"earshot"
	"earshot/internal/state/catalog"
)

var (
	errCredentials  = &earshot.Error{Kind: earshot.Unauthenticated, Message: "Invalid credentials"}
	errUnauthorized = &earshot.Error{Kind: earshot.Unauthenticated, Message: "Unauthorized"}
	errNoAPIAccess  = &earshot.Error{Kind: earshot.Forbidden, Message: "This user has no API access"}
)

// Credentials are a username and password, and options for the token to issue.
type Credentials struct {
	Username, Password string
	Permanent          bool   // issue a token that never expires
	Force              bool   // revoke the current permanent token first
	Address            string // network address of the caller, for throttling
}

// SignIn checks the password and returns a token. The user must have API access. Repeated failures
// are throttled by user and by network address.
func (s *Service) SignIn(ctx context.Context, in Credentials) (Token, error) {
	u, err := s.checkCredentials(ctx, in)
	if err != nil {
		return Token{}, err
	}
	if !u.APIAccess {
		return Token{}, errUnauthorized
	}
	return s.issue(ctx, u, in.Permanent, in.Force)
}

// IssueToken returns a token for a caller who is already signed in. Apart from the password check,
// it works like [Service.SignIn].
func (s *Service) IssueToken(ctx context.Context, c *earshot.Caller, permanent, force bool) (Token, error) {
	u, err := s.FindUser(c.User)
	if err != nil {
		return Token{}, err
	}
	if !u.APIAccess {
		return Token{}, errNoAPIAccess
	}
	return s.issue(ctx, u, permanent, force)
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

// checkCredentials checks a password and returns the user. It consults the throttles while it holds
// a hash slot, so that concurrent attempts are throttled like consecutive ones.
func (s *Service) checkCredentials(ctx context.Context, in Credentials) (*earshot.User, error) {
	select {
	case s.hashSlots <- struct{}{}:
		defer func() { <-s.hashSlots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	name := catalog.Fold(in.Username)
	if wait := max(s.failedUsers.wait(s.now(), name), s.failedAddresses.wait(s.now(), in.Address)); wait > 0 {
		return nil, &earshot.Error{Kind: earshot.OverLimit, RetryAfter: wait,
			Message: "Too many failed sign-ins; wait and try again"}
	}
	u := s.findUsername(name)
	if !s.verify(u, in.Password) {
		s.failedUsers.add(s.now(), name)
		s.failedAddresses.add(s.now(), in.Address)
		return nil, errCredentials
	}
	s.failedUsers.reset(name)
	return u, nil
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
func (s *Service) verify(u *earshot.User, password string) bool {
	if u == nil {
		s.hasher.key(password, make([]byte, 16))
		return false
	}
	return Verify(u.PasswordHash, password)
}

func (s *Service) findUsername(folded string) *earshot.User {
	for _, u := range s.catalog.Users.List() {
		if catalog.Fold(u.Username) == folded {
			return u
		}
	}
	return nil
}
