package api

import (
	"context"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
)

type authenticateParams struct {
	Username     string `query:"username,required" doc:"user name" example:"ann"`
	Password     string `query:"password,required" doc:"the user's password" example:"correct horse battery"`
	NoExpiration bool   `query:"noExpiration" doc:"true: return a token that never expires, the same one every time"`
	Force        bool   `query:"force" doc:"true: replace the token that never expires and revoke the old one"`
	Address      string `request:"address"`
}

type authenticateResponse struct {
	Auth    string            `json:"auth" doc:"token for the parameter auth or the header Authorization: Bearer"`
	Expires earshot.Timestamp `json:"expires,omitzero" doc:"when the token expires, in UTC; omitted if it never expires"`
	Status  rest.Success      `json:"status"`
}

// authenticate serves /api/authenticate.
func (a *API) authenticate(ctx context.Context, _ *earshot.Caller, p authenticateParams) (authenticateResponse, error) {
	token, err := a.Accounts.SignIn(ctx, account.Credentials{
		Username:  p.Username,
		Password:  p.Password,
		Permanent: p.NoExpiration,
		Force:     p.Force,
		Address:   p.Address,
	})
	if err != nil {
		return authenticateResponse{}, err
	}
	return authenticateResponse{Auth: token.Text, Expires: earshot.Timestamp(token.Expires)}, nil
}

type team struct {
	ID   earshot.TeamID `json:"id" doc:"id of the team"`
	Name string         `json:"name" doc:"name of the team"`
}

type teamListResponse struct {
	Teams  []team       `json:"teams" doc:"the caller's teams; all teams for administrators"`
	Status rest.Success `json:"status"`
}

// teamList serves /api/team/list.
func (a *API) teamList(_ context.Context, c *earshot.Caller, _ struct{}) (teamListResponse, error) {
	return teamListResponse{Teams: jsonvalue.Map(a.Accounts.ListTeams(c), func(t *earshot.Team) team {
		return team{ID: t.ID, Name: t.Name}
	})}, nil
}
