package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
)

type team struct {
	ID   earshot.TeamID `json:"id" doc:"id of the team"`
	Name string         `json:"name" doc:"name of the team"`
}

type teamListResponse struct {
	Teams  []team       `json:"teams" doc:"teams of the caller; all of them for administrators"`
	Status rest.Success `json:"status"`
}

// teamList serves /api/team/list.
func (a *API) teamList(_ context.Context, c *earshot.Caller, _ struct{}) (teamListResponse, error) {
	return teamListResponse{Teams: rest.Map(a.Accounts.ListTeams(c), func(t *earshot.Team) team {
		return team{ID: t.ID, Name: t.Name}
	})}, nil
}
