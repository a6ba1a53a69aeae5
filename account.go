package earshot

import (
	"slices"
	"strings"
	"time"
)

// A Team owns monitors, filters, streams and content sources.
type Team struct {
	ID           TeamID
	Name         string
	MonitorLimit int // 0: no limit
}

// A User signs in with a password and calls the API with a token or a browser session.
type User struct {
	ID           UserID
	Username     string
	PasswordHash string

	// PasswordExpires is set if the password is temporary: the user has to change it, and cannot sign in
	// with it after that time.
	PasswordExpires time.Time

	Email       string
	FirstName   string
	LastName    string
	Teams       []TeamID
	APIAccess   bool
	Permissions []Permission

	// TokenEpoch is part of every token's signature, so incrementing it revokes all of the user's
	// tokens. TokenGeneration does the same for non-expiring tokens only.
	TokenEpoch      int64
	TokenGeneration int64

	// SessionEpoch does the same for browser sessions. EndedSessions lists sessions of the current
	// epoch that ended before they expired, for example by signing out.
	SessionEpoch  int64
	EndedSessions []EndedSession

	// KnownNetworks lists networks from which the user signed in, the last one used at the end.
	// Failures of others do not keep the user from signing in there.
	KnownNetworks []KnownNetwork
}

// An EndedSession identifies a session that was ended before it expired.
type EndedSession struct {
	ID      string
	Expires time.Time // when it would have expired; the entry can be dropped after that
}

// A KnownNetwork is a network from which a user signed in.
type KnownNetwork struct {
	ID         string // does not reveal the address
	LastSignIn time.Time
}

// A Permission lets a user do more than read the results of their teams' monitors.
type Permission string

const (
	ContentPermission Permission = "content" // Custom Content Management
	StreamsPermission Permission = "streams"
	AdminPermission   Permission = "admin" // includes the others
)

// Permissions lists every permission.
var Permissions = []Permission{ContentPermission, StreamsPermission, AdminPermission}

// An Invitation lets someone without an account create one, as a member of a team. Only a hash of its
// token is stored.
type Invitation struct {
	ID          InvitationID
	Team        TeamID
	TokenHash   []byte       // SHA-256
	Username    string       // suggested
	Email       string       // of the new user
	Permissions []Permission // of the new user
	Expires     time.Time

	Inviter UserID
	Created time.Time
}

// A Caller is the user on whose behalf a request runs.
type Caller struct {
	User    UserID
	Name    string
	Teams   []TeamID
	permits []Permission

	// MustChangePassword is set if the caller signed in with a temporary password. Such a caller may
	// only change it.
	MustChangePassword bool
}

// HasTemporaryPassword reports whether u has to change the password.
func (u *User) HasTemporaryPassword() bool { return !u.PasswordExpires.IsZero() }

// DisplayName returns the first and last name or, without them, the username.
func (u *User) DisplayName() string {
	if name := strings.TrimSpace(u.FirstName + " " + u.LastName); name != "" {
		return name
	}
	return u.Username
}

// NewCaller returns the [Caller] for u.
func NewCaller(u *User) *Caller {
	return &Caller{User: u.ID, Name: u.Username, Teams: u.Teams, permits: u.Permissions, MustChangePassword: u.HasTemporaryPassword()}
}

// TeamCaller returns a caller that may see what belongs to a team, and nothing else. Rules, reports and
// feeds work on behalf of their team, because whoever set them up may be gone.
func TeamCaller(team TeamID) *Caller { return &Caller{Teams: []TeamID{team}} }

// Admin reports whether the caller is an administrator.
func (c *Caller) Admin() bool { return slices.Contains(c.permits, AdminPermission) }

// May reports whether the caller has permission p. Administrators have every permission.
func (c *Caller) May(p Permission) bool { return c.Admin() || slices.Contains(c.permits, p) }

// In reports whether the caller may see what belongs to the team. Administrators see every team.
func (c *Caller) In(team TeamID) bool { return c.Admin() || slices.Contains(c.Teams, team) }
