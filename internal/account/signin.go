package account

import (
	"context"
	"strings"

	"earshot"
)

var (
	errCredentials  = &earshot.Error{Kind: earshot.Unauthenticated, Message: "Invalid credentials"}
	errUnauthorized = &earshot.Error{Kind: earshot.Unauthenticated, Message: "Unauthorized"}
)

// A SignIn is an attempt to get a token.
type SignIn struct {
	Username, Password string
	Permanent          bool   // a token that never expires
	Force              bool   // replace the permanent token, ending the old one
	Address            string // where the attempt comes from
}

// SignIn checks the password and returns a token. Attempts that keep failing are
// slowed, per user and per address.
func (s *Service) SignIn(ctx context.Context, in SignIn) (Token, error) {
	name := strings.ToLower(in.Username)
	if wait := max(s.failedUsers.wait(s.now(), name), s.failedAddresses.wait(s.now(), in.Address)); wait > 0 {
		return Token{}, &earshot.Error{Kind: earshot.OverLimit, RetryAfter: wait,
			Message: "Too many failed sign-ins; wait and try again"}
	}
	u := s.findUsername(in.Username)
	if !s.verify(u, in.Password) {
		s.failedUsers.add(s.now(), name)
		s.failedAddresses.add(s.now(), in.Address)
		return Token{}, errCredentials
	}
	s.failedUsers.forget(name)
	if !u.APIAccess {
		return Token{}, errUnauthorized
	}
	if in.Force {
		raised, err := s.catalog.Users.Update(ctx, u.ID, func(u *earshot.User) error {
			u.TokenGeneration++
			return nil
		})
		if err != nil {
			return Token{}, err
		}
		u = raised
	}
	if in.Permanent {
		return s.permanent(u), nil
	}
	return s.expiring(u), nil
}

// EndTokens ends all tokens of a user.
func (s *Service) EndTokens(ctx context.Context, id earshot.UserID) error {
	_, err := s.catalog.Users.Update(ctx, id, func(u *earshot.User) error {
		u.TokenEpoch++
		return nil
	})
	return err
}

// verify takes the same time whether or not there is such a user.
func (s *Service) verify(u *earshot.User, password string) bool {
	s.hashing <- struct{}{}
	defer func() { <-s.hashing }()
	if u == nil {
		s.hasher.key(password, make([]byte, 16))
		return false
	}
	return Verify(u.PasswordHash, password)
}

func (s *Service) findUsername(name string) *earshot.User {
	for _, u := range s.catalog.Users.List() {
		if strings.EqualFold(u.Username, name) {
			return u
		}
	}
	return nil
}
