package api

import (
	"context"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/rest"
)

type authenticateParams struct {
	Username     string `query:"username,required"`
	Password     string `query:"password,required"`
	NoExpiration bool   `query:"noExpiration"`
	Force        bool   `query:"force"`
	Address      string `request:"address"`
}

type authenticateResponse struct {
	Auth    string            `json:"auth"`
	Expires earshot.Timestamp `json:"expires,omitzero"`
	Status  rest.Success      `json:"status"`
}

// authenticate serves /api/authenticate.
func (a *API) authenticate(ctx context.Context, _ *earshot.Caller, p authenticateParams) (authenticateResponse, error) {
	token, err := a.Accounts.SignIn(ctx, account.SignIn{
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
