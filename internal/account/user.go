package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/patch"
	"earshot/internal/state/catalog"
)

// A NewUser has the fields of a user to create.
type NewUser struct {
	Username    string
	Password    string
	Temporary   bool // the user has to change the password
	Email       string
	FirstName   string
	LastName    string
	Teams       []earshot.TeamID
	APIAccess   bool
	Permissions []earshot.Permission
}

// UserChanges are changes to a user. Nil fields stay unchanged.
type UserChanges struct {
	Username    *string
	Password    *string
	Temporary   bool // the user has to change the new password
	Email       *string
	FirstName   *string
	LastName    *string
	Teams       *[]earshot.TeamID
	APIAccess   *bool
	Permissions *[]earshot.Permission
}

// ListUsers returns all users in order of ID.
func (s *Service) ListUsers() []*earshot.User { return s.catalog.Users.List() }

// FindUser returns the user, or an [earshot.NotFound] error.
func (s *Service) FindUser(id earshot.UserID) (*earshot.User, error) {
	if u, ok := s.catalog.Users.Find(id); ok {
		return u, nil
	}
	return nil, noUser(id)
}

// AddUser creates a user. Usernames are unique, ignoring case.
func (s *Service) AddUser(ctx context.Context, n NewUser) (*earshot.User, error) {
	u := &earshot.User{
		Username: strings.TrimSpace(n.Username), Email: n.Email, FirstName: n.FirstName, LastName: n.LastName,
		Teams: dedupe(n.Teams), APIAccess: n.APIAccess, Permissions: dedupe(n.Permissions),
	}
	if err := s.checkUser(u); err != nil {
		return nil, err
	}
	if err := checkPassword(u.Username, n.Password); err != nil {
		return nil, err
	}
	id, err := s.catalog.NextIDs(ctx, 1)
	if err != nil {
		return nil, err
	}
	u.ID = earshot.UserID(id)
	u.PasswordExpires = s.passwordExpiry(n.Temporary)
	if u.PasswordHash, err = s.hash(ctx, u.ID, n.Password); err != nil {
		return nil, err
	}
	if err := s.claimUsername(ctx, u); err != nil {
		return nil, err
	}
	return u, s.catalog.Users.Add(ctx, u.ID, u)
}

// EditUser changes a user. Setting a password or removing API access revokes all of the user's
// tokens and sessions. EditUser refuses to remove the last administrator's rights.
func (s *Service) EditUser(ctx context.Context, id earshot.UserID, c UserChanges) (*earshot.User, error) {
	hash, err := s.changedHash(ctx, id, c)
	if err != nil {
		return nil, err
	}
	return catalog.Exclusively(ctx, s.catalog, func(ctx context.Context) (*earshot.User, error) {
		before, err := s.FindUser(id)
		if err != nil {
			return nil, err
		}
		after, err := s.catalog.Users.Update(ctx, id, func(u *earshot.User) error {
			if hash != "" || c.APIAccess != nil && !*c.APIAccess && u.APIAccess {
				revokeAll(u)
			}
			if hash != "" {
				u.PasswordHash, u.PasswordExpires = hash, s.passwordExpiry(c.Temporary)
			}
			c.apply(u)
			if err := s.checkUser(u); err != nil {
				return err
			}
			if isAdmin(before) && !isAdmin(u) && s.isLastAdmin(id) {
				return errLastAdmin
			}
			if sameName(u.Username, before.Username) {
				return nil
			}
			return s.claimUsername(ctx, u)
		})
		if errors.Is(err, catalog.ErrNotFound) {
			return nil, noUser(id)
		}
		if err == nil && !sameName(after.Username, before.Username) {
			err = s.catalog.ReleaseName(ctx, username(before.Username), int64(id))
		}
		return after, err
	})
}

// changedHash returns the hash of the new password, or "" if there is none.
func (s *Service) changedHash(ctx context.Context, id earshot.UserID, c UserChanges) (string, error) {
	if c.Password == nil {
		if c.Temporary {
			return "", earshot.InvalidBody("password is missing, but temporaryPassword is true")
		}
		return "", nil
	}
	u, err := s.FindUser(id)
	if err != nil {
		return "", err
	}
	name := u.Username
	patch.Set(&name, c.Username)
	if err := checkPassword(name, *c.Password); err != nil {
		return "", err
	}
	return s.hash(ctx, id, *c.Password)
}

func (c UserChanges) apply(u *earshot.User) {
	patch.Set(&u.Email, c.Email)
	patch.Set(&u.FirstName, c.FirstName)
	patch.Set(&u.LastName, c.LastName)
	patch.Set(&u.APIAccess, c.APIAccess)
	if c.Username != nil {
		u.Username = strings.TrimSpace(*c.Username)
	}
	if c.Teams != nil {
		u.Teams = dedupe(*c.Teams)
	}
	if c.Permissions != nil {
		u.Permissions = dedupe(*c.Permissions)
	}
}

// RemoveUser deletes a user and thereby revokes the user's tokens and sessions. It refuses to
// delete the last administrator.
func (s *Service) RemoveUser(ctx context.Context, id earshot.UserID) error {
	return s.catalog.Exclusive(ctx, func(ctx context.Context) error {
		u, err := s.FindUser(id)
		if err != nil {
			return err
		}
		if isAdmin(u) && s.isLastAdmin(id) {
			return errLastAdmin
		}
		if err := s.catalog.Users.Remove(ctx, id); err != nil {
			if errors.Is(err, catalog.ErrNotFound) {
				return noUser(id)
			}
			return err
		}
		return s.catalog.ReleaseName(ctx, username(u.Username), int64(id))
	})
}

var errLastAdmin = &earshot.Error{Kind: earshot.Invalid, Message: "This is the last administrator; create another administrator first"}

// isAdmin reports whether u is an administrator who can also use the API.
func isAdmin(u *earshot.User) bool {
	return u.APIAccess && slices.Contains(u.Permissions, earshot.AdminPermission)
}

func (s *Service) isLastAdmin(id earshot.UserID) bool {
	return !slices.ContainsFunc(s.ListUsers(), func(o *earshot.User) bool { return o.ID != id && isAdmin(o) })
}

func (s *Service) checkUser(u *earshot.User) error {
	if err := earshot.CheckText("username", u.Username, 1, 100); err != nil {
		return err
	}
	for _, f := range []struct{ name, text string }{{"email", u.Email}, {"firstName", u.FirstName}, {"lastName", u.LastName}} {
		if err := earshot.CheckText(f.name, f.text, 0, 200); err != nil {
			return err
		}
	}
	for i, team := range u.Teams {
		if _, ok := s.catalog.Teams.Find(team); !ok {
			return earshot.InvalidBody("teams[%d]: Team %d does not exist", i, team)
		}
	}
	for i, p := range u.Permissions {
		if !slices.Contains(earshot.Permissions, p) {
			return earshot.InvalidBody("permissions[%d] must be content, streams or admin, not '%s'", i, p)
		}
	}
	return nil
}

func (s *Service) claimUsername(ctx context.Context, u *earshot.User) error {
	err := s.catalog.ReserveName(ctx, username(u.Username), int64(u.ID), func(id int64) bool {
		owner, ok := s.catalog.Users.Find(earshot.UserID(id))
		return ok && sameName(owner.Username, u.Username)
	})
	if errors.Is(err, catalog.ErrNameTaken) {
		return usernameTaken(u.Username, err)
	}
	return err
}

func usernameTaken(name string, err error) error {
	return &earshot.Error{Kind: earshot.Conflict, Err: err, Message: fmt.Sprintf("The username '%s' is taken", name)}
}

func sameName(a, b string) bool { return catalog.Fold(a) == catalog.Fold(b) }

func username(name string) catalog.UniqueName { return catalog.UniqueName{Kind: "user", Text: name} }

func noUser(id earshot.UserID) *earshot.Error {
	return earshot.Errorf(earshot.NotFound, "User %d does not exist", id)
}

func dedupe[T comparable](list []T) []T {
	var unique []T
	for _, v := range list {
		if !slices.Contains(unique, v) {
			unique = append(unique, v)
		}
	}
	return unique
}
