package manage

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
)

type startSessionParams struct {
	Address string `request:"address"`
	Scheme  string `request:"scheme"`
	Body    struct {
		Username string `json:"username"`
		Password string `json:"password"`
	} `body:"json"`
}

// sessionParams contain the caller's session cookie, if there is one.
type sessionParams struct {
	Cookie string `request:"session"`
	Scheme string `request:"scheme"`
}

type session struct {
	User    *sessionUser `json:"user"`             // null: not signed in
	CSRF    string       `json:"csrf"`             // empty for callers with a token
	Expires time.Time    `json:"expires,omitzero"` // omitted for callers with a token
	Version string       `json:"version"`
	Demo    *DemoLogin   `json:"demo,omitempty"` // only for visitors who are not signed in

	Restricted []earshot.Source `json:"restrictedSources,omitempty"` // sources whose texts are not shown
}

// A DemoLogin is the user that the sign-in page of the demo suggests.
type DemoLogin struct {
	Username string `json:"username"`
	Password string `json:"password"`
}

type sessionUser struct {
	ID          earshot.UserID       `json:"id"`
	Username    string               `json:"username"`
	FirstName   string               `json:"firstName"`
	LastName    string               `json:"lastName"`
	Email       string               `json:"email"`
	Teams       []sessionTeam        `json:"teams"`       // teams that the caller may see
	Permissions []earshot.Permission `json:"permissions"` // effective permissions; all of them for an administrator
	Admin       bool                 `json:"admin"`
	APIAccess   bool                 `json:"apiAccess"`

	MustChangePassword bool `json:"mustChangePassword,omitempty"` // every other request fails until then
}

type sessionTeam struct {
	ID   earshot.TeamID `json:"id"`
	Name string         `json:"name"`
}

// newCookie is a response that starts a session. noContentCookie is an empty response that may
// replace or end one.
type newCookie struct {
	rest.Created[session]
	rest.WithCookie
}

type noContentCookie struct {
	rest.NoContent
	rest.WithCookie
}

// startSession signs in a browser.
func (a *API) startSession(ctx context.Context, _ *earshot.Caller, p startSessionParams) (newCookie, error) {
	s, err := a.Accounts.StartSession(ctx, account.Credentials{Username: p.Body.Username, Password: p.Body.Password, Address: p.Address})
	if err != nil {
		return newCookie{}, err
	}
	shown, err := a.newSession(s)
	return newCookie{rest.Created[session]{Value: shown}, rest.SetSession(s.Cookie, s.Expires, p.Scheme)}, err
}

// showSession returns the caller and what pages need to send requests. Pages also call it before
// anyone has signed in, and that is not an error.
func (a *API) showSession(ctx context.Context, c *earshot.Caller, p sessionParams) (session, error) {
	if c == nil {
		return session{Version: a.Version, Demo: a.Demo}, nil
	}
	if p.Cookie == "" {
		return a.newSession(account.Session{Caller: c})
	}
	s, err := a.Accounts.FindSession(ctx, p.Cookie)
	if err != nil {
		return session{}, err
	}
	return a.newSession(s)
}

// endSession signs out the browser. It does not revoke tokens; endTokens does.
func (a *API) endSession(ctx context.Context, _ *earshot.Caller, p sessionParams) (noContentCookie, error) {
	if p.Cookie == "" {
		return noContentCookie{}, nil
	}
	return noContentCookie{WithCookie: rest.ClearSession(p.Scheme)}, a.Accounts.EndSession(ctx, p.Cookie)
}

// addSessionToken issues a token for programs to a signed-in caller. A permanent token requires the
// caller's password.
func (a *API) addSessionToken(ctx context.Context, c *earshot.Caller, p struct {
	Address string `request:"address"`
	Body    struct {
		Permanent rest.Bool `json:"permanent"`
		Force     rest.Bool `json:"force"`
		Password  string    `json:"password"`
	} `body:"json,optional"`
}) (rest.Created[tokenResponse], error) {
	token, err := a.Accounts.IssueToken(ctx, c, account.TokenRequest{
		Permanent: p.Body.Permanent.Value,
		Force:     p.Body.Force.Value,
		Password:  p.Body.Password,
		Address:   p.Address,
	})
	return rest.Created[tokenResponse]{Value: tokenResponse{Auth: token.Text, Expires: token.Expires}}, err
}

// changePassword changes the caller's own password. A browser stays signed in with a new session.
func (a *API) changePassword(ctx context.Context, c *earshot.Caller, p struct {
	sessionParams
	Address string `request:"address"`
	Body    struct {
		Old string `json:"old"`
		New string `json:"new"`
	} `body:"json"`
}) (noContentCookie, error) {
	s, err := a.Accounts.ChangePassword(ctx, c, account.PasswordChange{Old: p.Body.Old, New: p.Body.New, Address: p.Address})
	if err != nil || p.Cookie == "" {
		return noContentCookie{}, err
	}
	return noContentCookie{WithCookie: rest.SetSession(s.Cookie, s.Expires, p.Scheme)}, nil
}

func (a *API) newSession(s account.Session) (session, error) {
	u, err := a.Accounts.FindUser(s.Caller.User)
	if err != nil {
		return session{}, err
	}
	shown := sessionUser{
		ID: u.ID, Username: u.Username, FirstName: u.FirstName, LastName: u.LastName, Email: u.Email,
		Teams: jsonvalue.Map(a.Accounts.ListTeams(s.Caller), func(t *earshot.Team) sessionTeam { return sessionTeam{t.ID, t.Name} }),
		Admin: s.Caller.Admin(), APIAccess: u.APIAccess, MustChangePassword: u.HasTemporaryPassword(),
		Permissions: slices.DeleteFunc(slices.Clone(earshot.Permissions), func(p earshot.Permission) bool { return !s.Caller.May(p) }),
	}
	return session{User: &shown, CSRF: s.CSRF, Expires: s.Expires, Version: a.Version, Restricted: a.Posts.Restricted}, nil
}

type addTokenParams struct {
	Address string `request:"address"`
	Body    struct {
		Username     string    `json:"username"`
		Password     string    `json:"password"`
		NoExpiration rest.Bool `json:"noExpiration"`
		Force        rest.Bool `json:"force"`
	} `body:"json"`
}

type tokenResponse struct {
	Auth    string    `json:"auth"`
	Expires time.Time `json:"expires,omitzero"`
}

// addToken signs in without sending the password in the URL, where it would be logged.
func (a *API) addToken(ctx context.Context, _ *earshot.Caller, p addTokenParams) (rest.Created[tokenResponse], error) {
	token, err := a.Accounts.SignIn(ctx, account.Credentials{
		Username:  p.Body.Username,
		Password:  p.Body.Password,
		Permanent: p.Body.NoExpiration.Value,
		Force:     p.Body.Force.Value,
		Address:   p.Address,
	})
	return rest.Created[tokenResponse]{Value: tokenResponse{Auth: token.Text, Expires: token.Expires}}, err
}

// endTokens revokes all tokens and sessions of the caller.
func (a *API) endTokens(ctx context.Context, c *earshot.Caller, _ struct{}) (rest.NoContent, error) {
	return rest.NoContent{}, a.Accounts.RevokeTokens(ctx, c.User)
}
