package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/http/rest"
)

type invitation struct {
	ID          earshot.InvitationID `json:"id"`
	Team        earshot.TeamID       `json:"team"`
	Username    string               `json:"username"` // suggested
	Email       string               `json:"email"`
	Permissions []earshot.Permission `json:"permissions"`
	Expires     time.Time            `json:"expires"`
	CreatedBy   string               `json:"createdBy"`
	Created     time.Time            `json:"created"`
}

// An invitationLink is an invitation that was just created. Its path contains the token, which cannot
// be read again.
type invitationLink struct {
	invitation
	Path      string `json:"path"`
	Sent      bool   `json:"sent"`                // by email
	MailError string `json:"mailError,omitempty"` // why not, if it should have been
}

func (a *API) newInvitation(i *earshot.Invitation) invitation {
	shown := invitation{
		ID: i.ID, Team: i.Team, Username: i.Username, Email: i.Email, Permissions: i.Permissions, Expires: i.Expires, Created: i.Created,
	}
	if u, err := a.Accounts.FindUser(i.Inviter); err == nil {
		shown.CreatedBy = u.Username
	}
	return shown
}

func (a *API) listInvitations(_ context.Context, c *earshot.Caller, p pageParams) (page[invitation], error) {
	return paginate(p, a.Accounts.Invitations(c), func(i *earshot.Invitation) int64 { return int64(i.ID) }, a.newInvitation)
}

// addInvitation creates an invitation. If it cannot be mailed, the caller can still pass the link on.
func (a *API) addInvitation(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Team        earshot.TeamID       `json:"team"`
		Username    string               `json:"username"`
		Email       string               `json:"email"`
		Permissions []earshot.Permission `json:"permissions"`
		Days        int                  `json:"days"`
		Send        bool                 `json:"send"` // by email
	} `body:"json"`
}) (response rest.Created[invitationLink], err error) {
	b := p.Body
	i, token, err := a.Accounts.Invite(ctx, c, account.NewInvitation{Team: b.Team, Username: b.Username, Email: b.Email, Permissions: b.Permissions, Days: b.Days})
	if err != nil {
		return response, err
	}
	response.Value = invitationLink{invitation: a.newInvitation(i), Path: account.InvitationPath(token), Sent: b.Send}
	if b.Send {
		if err := a.Accounts.MailInvitation(ctx, i, token); err != nil {
			response.Value.Sent, response.Value.MailError = false, err.Error()
		}
	}
	return response, nil
}

// openInvitation shows an invitation to the owner of its link. The token is in the body, because URLs
// are logged.
func (a *API) openInvitation(_ context.Context, _ *earshot.Caller, p struct {
	Address string `request:"address"`
	Body    struct {
		Token string `json:"token"`
	} `body:"json"`
}) (account.OpenInvitation, error) {
	return a.Accounts.OpenInvitation(p.Body.Token, p.Address)
}

// acceptInvitation creates the user and signs in the browser.
func (a *API) acceptInvitation(ctx context.Context, _ *earshot.Caller, p struct {
	Address string `request:"address"`
	Scheme  string `request:"scheme"`
	Body    struct {
		Token    string `json:"token"`
		Username string `json:"username"`
		Password string `json:"password"`
	} `body:"json"`
}) (newCookie, error) {
	b := p.Body
	s, err := a.Accounts.AcceptInvitation(ctx, account.Acceptance{Token: b.Token, Username: b.Username, Password: b.Password, Address: p.Address})
	if err != nil {
		return newCookie{}, err
	}
	shown, err := a.newSession(s)
	return newCookie{rest.Created[session]{Value: shown}, rest.SetSession(s.Cookie, s.Expires, p.Scheme)}, err
}
