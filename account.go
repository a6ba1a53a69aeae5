package earshot

import (
	"slices"
	"time"
)

// A Team owns monitors, filters, streams and content sources.
type Team struct {
	ID           TeamID
	Name         string
	MonitorLimit int // 0: no limit
}

// A User signs in with a password, and calls the interface with a token or from a browser's session.
type User struct {
	ID           UserID
	Username     string
	PasswordHash string
	Email        string
	FirstName    string
	LastName     string
	Teams        []TeamID
	APIAccess    bool
	Permissions  []Permission

	// TokenEpoch is part of what a token's signature covers: raising it ends all
	// tokens of the user. TokenGeneration does so for non-expiring ones.
	TokenEpoch      int64
	TokenGeneration int64

	// SessionEpoch does so for sessions. EndedSessions are those of the present epochs
	// that ended before their time.
	SessionEpoch  int64
	EndedSessions []EndedSession
}

// An EndedSession is one that nobody may use any more.
type EndedSession struct {
	ID      string
	Expires time.Time // when it would have ended by itself
}

type Permission string

const (
	ContentPermission Permission = "content" // Custom Content Management
	StreamsPermission Permission = "streams"
	AdminPermission   Permission = "admin" // includes the others
)

// Permissions lists all there are.
var Permissions = []Permission{ContentPermission, StreamsPermission, AdminPermission}

// A Caller is the user on whose behalf a request runs.
type Caller struct {
	User    UserID
	Name    string
	Teams   []TeamID
	permits []Permission
}

// NewCaller returns the caller that u is.
func NewCaller(u *User) *Caller {
	return &Caller{User: u.ID, Name: u.Username, Teams: u.Teams, permits: u.Permissions}
}

// Admin reports whether the caller is an administrator.
func (c *Caller) Admin() bool { return slices.Contains(c.permits, AdminPermission) }

// May reports whether the caller has a permission.
func (c *Caller) May(p Permission) bool { return c.Admin() || slices.Contains(c.permits, p) }

// In reports whether what belongs to the team is the caller's to see.
func (c *Caller) In(team TeamID) bool { return c.Admin() || slices.Contains(c.Teams, team) }
