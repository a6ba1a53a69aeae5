package manage

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/http/rest"
)

type startSessionParams struct {
	Address string `request:"address"`
	Base    string `request:"base"`
	Body    struct {
		Username string `json:"username"`
		Password string `json:"password"`
	} `body:"json"`
}

// sessionParams hold the session of the caller, if there is one.
type sessionParams struct {
	Cookie string `request:"session"`
	Base   string `request:"base"`
}

type session struct {
	User    *sessionUser `json:"user"`             // null: nobody is signed in
	CSRF    string       `json:"csrf"`             // empty for a caller with a token
	Expires time.Time    `json:"expires,omitzero"` // likewise
	Version string       `json:"version"`
}

type sessionUser struct {
	ID          earshot.UserID       `json:"id"`
	Username    string               `json:"username"`
	FirstName   string               `json:"firstName"`
	LastName    string               `json:"lastName"`
	Email       string               `json:"email"`
	Teams       []sessionTeam        `json:"teams"`       // those that the caller sees
	Permissions []earshot.Permission `json:"permissions"` // what the caller may; all of them for an administrator
	Admin       bool                 `json:"admin"`
	APIAccess   bool                 `json:"apiAccess"`
}

type sessionTeam struct {
	ID   earshot.TeamID `json:"id"`
	Name string         `json:"name"`
}

// newCookie is a response that begins a session, noContentCookie one without content that may
// end or replace one.
type newCookie struct {
	rest.Created[session]
	rest.WithCookie
}

type noContentCookie struct {
	rest.NoContent
	rest.WithCookie
}

// startSession signs a browser in.
func (a *API) startSession(ctx context.Context, _ *earshot.Caller, p startSessionParams) (newCookie, error) {
	s, err := a.Accounts.StartSession(ctx, account.Credentials{Username: p.Body.Username, Password: p.Body.Password, Address: p.Address})
	if err != nil {
		return newCookie{}, err
	}
	shown, err := a.newSession(s)
	return newCookie{rest.Created[session]{Value: shown}, rest.SetSession(s.Cookie, s.Expires, p.Base)}, err
}

// showSession returns the caller, and what a page needs for its requests. A page calls it before
// anyone has signed in, and that is no error.
func (a *API) showSession(ctx context.Context, c *earshot.Caller, p sessionParams) (session, error) {
	if c == nil {
		return session{Version: a.Version}, nil
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

// endSession signs the browser out. A token ends by endTokens alone.
func (a *API) endSession(ctx context.Context, _ *earshot.Caller, p sessionParams) (noContentCookie, error) {
	if p.Cookie == "" {
		return noContentCookie{}, nil
	}
	return noContentCookie{WithCookie: rest.ClearSession(p.Base)}, a.Accounts.EndSession(ctx, p.Cookie)
}

// addSessionToken gives a caller who is signed in a token for programs.
func (a *API) addSessionToken(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Permanent rest.Bool `json:"permanent"`
		Force     rest.Bool `json:"force"`
	} `body:"json,optional"`
}) (rest.Created[tokenResponse], error) {
	token, err := a.Accounts.IssueToken(ctx, c, p.Body.Permanent.Value, p.Body.Force.Value)
	return rest.Created[tokenResponse]{Value: tokenResponse{Auth: token.Text, Expires: token.Expires}}, err
}

// changePassword changes the caller's own password. A browser stays signed in, by another
// session.
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
	return noContentCookie{WithCookie: rest.SetSession(s.Cookie, s.Expires, p.Base)}, nil
}

func (a *API) newSession(s account.Session) (session, error) {
	u, err := a.Accounts.FindUser(s.Caller.User)
	if err != nil {
		return session{}, err
	}
	shown := sessionUser{
		ID: u.ID, Username: u.Username, FirstName: u.FirstName, LastName: u.LastName, Email: u.Email,
		Teams: []sessionTeam{}, Admin: s.Caller.Admin(), APIAccess: u.APIAccess,
		Permissions: slices.DeleteFunc(slices.Clone(earshot.Permissions), func(p earshot.Permission) bool { return !s.Caller.May(p) }),
	}
	for _, t := range a.Accounts.ListTeams(s.Caller) {
		shown.Teams = append(shown.Teams, sessionTeam{t.ID, t.Name})
	}
	return session{User: &shown, CSRF: s.CSRF, Expires: s.Expires, Version: a.Version}, nil
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

// addToken signs in without putting the password into an address, where logs
// would find it.
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

// endTokens ends all tokens and sessions of the caller.
func (a *API) endTokens(ctx context.Context, c *earshot.Caller, _ struct{}) (rest.NoContent, error) {
	return rest.NoContent{}, a.Accounts.RevokeTokens(ctx, c.User)
}
