package manage

import (
	"context"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/http/rest"
	"earshot/internal/patch"
)

type team struct {
	ID           earshot.TeamID `json:"id"`
	Name         string         `json:"name"`
	MonitorLimit int            `json:"monitorLimit"`
}

func newTeam(t *earshot.Team) team {
	return team{ID: t.ID, Name: t.Name, MonitorLimit: t.MonitorLimit}
}

type teamBody struct {
	Name         *string `json:"name"`
	MonitorLimit *int    `json:"monitorLimit"`
}

type teamID = idPath[earshot.TeamID]

func (a *API) listTeams(_ context.Context, c *earshot.Caller, p pageParams) (page[team], error) {
	return paginate(p, a.Accounts.ListTeams(c), func(t *earshot.Team) int64 { return int64(t.ID) }, newTeam)
}

func (a *API) addTeam(ctx context.Context, c *earshot.Caller, p struct {
	Body teamBody `body:"json"`
}) (rest.Created[team], error) {
	var t earshot.Team
	patch.Set(&t.Name, p.Body.Name)
	patch.Set(&t.MonitorLimit, p.Body.MonitorLimit)
	return toCreated(newTeam)(a.Accounts.AddTeam(ctx, c, t))
}

func (a *API) editTeam(ctx context.Context, _ *earshot.Caller, p struct {
	teamID
	Body teamBody `body:"json"`
}) (team, error) {
	return toResponse(newTeam)(a.Accounts.EditTeam(ctx, p.ID, account.TeamChanges(p.Body)))
}

func (a *API) removeTeam(ctx context.Context, _ *earshot.Caller, p teamID) (rest.NoContent, error) {
	return rest.NoContent{}, a.Accounts.RemoveTeam(ctx, p.ID)
}

// toResponse and toCreated convert the result of a service to a response.
func toResponse[T, R any](show func(*T) R) func(*T, error) (R, error) {
	return func(v *T, err error) (response R, _ error) {
		if err != nil {
			return response, err
		}
		return show(v), nil
	}
}

func toCreated[T, R any](show func(*T) R) func(*T, error) (rest.Created[R], error) {
	return func(v *T, err error) (rest.Created[R], error) {
		response, err := toResponse(show)(v, err)
		return rest.Created[R]{Value: response}, err
	}
}
