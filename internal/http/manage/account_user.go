package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/http/rest"
	"earshot/internal/patch"
)

type user struct {
	ID          earshot.UserID       `json:"id"`
	Username    string               `json:"username"`
	Email       string               `json:"email,omitempty"`
	FirstName   string               `json:"firstName,omitempty"`
	LastName    string               `json:"lastName,omitempty"`
	Teams       []earshot.TeamID     `json:"teams"`
	APIAccess   bool                 `json:"apiAccess"`
	Permissions []earshot.Permission `json:"permissions"`

	PasswordExpires time.Time `json:"passwordExpires,omitzero"` // only if the password is temporary
}

func newUser(u *earshot.User) user {
	return user{
		ID: u.ID, Username: u.Username, Email: u.Email, FirstName: u.FirstName, LastName: u.LastName,
		Teams: u.Teams, APIAccess: u.APIAccess, Permissions: u.Permissions,
		PasswordExpires: u.PasswordExpires,
	}
}

type userBody struct {
	Username    *string               `json:"username"`
	Password    *string               `json:"password"`
	Email       *string               `json:"email"`
	FirstName   *string               `json:"firstName"`
	LastName    *string               `json:"lastName"`
	Teams       *[]earshot.TeamID     `json:"teams"`
	APIAccess   rest.Bool             `json:"apiAccess"`
	Permissions *[]earshot.Permission `json:"permissions"`

	TemporaryPassword bool `json:"temporaryPassword"` // the user has to change the password of this request
}

func (b userBody) changes() account.UserChanges {
	c := account.UserChanges{
		Username: b.Username, Password: b.Password, Email: b.Email,
		FirstName: b.FirstName, LastName: b.LastName, Teams: b.Teams, Permissions: b.Permissions,
		Temporary: b.TemporaryPassword,
	}
	if b.APIAccess.Presence == rest.Given {
		c.APIAccess = &b.APIAccess.Value
	}
	return c
}

type userID = idPath[earshot.UserID]

func (a *API) listUsers(_ context.Context, _ *earshot.Caller, p pageParams) (page[user], error) {
	return paginate(p, a.Accounts.ListUsers(), func(u *earshot.User) int64 { return int64(u.ID) }, newUser)
}

func (a *API) addUser(ctx context.Context, _ *earshot.Caller, p struct {
	Body userBody `body:"json"`
}) (rest.Created[user], error) {
	var n account.NewUser
	c := p.Body.changes()
	patch.Set(&n.Username, c.Username)
	patch.Set(&n.Password, c.Password)
	n.Temporary = c.Temporary
	patch.Set(&n.Email, c.Email)
	patch.Set(&n.FirstName, c.FirstName)
	patch.Set(&n.LastName, c.LastName)
	patch.Set(&n.Teams, c.Teams)
	patch.Set(&n.APIAccess, c.APIAccess)
	patch.Set(&n.Permissions, c.Permissions)
	return toCreated(newUser)(a.Accounts.AddUser(ctx, n))
}

func (a *API) showUser(_ context.Context, _ *earshot.Caller, p userID) (user, error) {
	return toResponse(newUser)(a.Accounts.FindUser(p.ID))
}

func (a *API) editUser(ctx context.Context, _ *earshot.Caller, p struct {
	userID
	Body userBody `body:"json"`
}) (user, error) {
	return toResponse(newUser)(a.Accounts.EditUser(ctx, p.ID, p.Body.changes()))
}

func (a *API) removeUser(ctx context.Context, _ *earshot.Caller, p userID) (rest.NoContent, error) {
	return rest.NoContent{}, a.Accounts.RemoveUser(ctx, p.ID)
}
