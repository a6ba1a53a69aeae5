package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/http/rest"
)

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
