package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"earshot/internal/http/client"
)

// A namedTeam is a team that the caller can see.
type namedTeam struct {
	ID   json.Number
	Name string
}

func listTeams(ctx context.Context, c *client.Client) (all []namedTeam, err error) {
	for item, err := range c.List(ctx, client.Path("manage", "v1", teams.path), nil) {
		if err != nil {
			return nil, err
		}
		var t namedTeam
		if err := json.Unmarshal(item, &t); err != nil {
			return nil, fmt.Errorf("read the list of teams: %w", err)
		}
		all = append(all, t)
	}
	return all, nil
}

// teamIDs returns the IDs of the teams that the caller can see.
func teamIDs(ctx context.Context, c *client.Client) (ids []string, err error) {
	all, err := listTeams(ctx, c)
	for _, t := range all {
		ids = append(ids, t.ID.String())
	}
	return ids, err
}

// findTeam returns the ID of a team that is given by name or ID. The case of a name does not matter.
func findTeam(ctx context.Context, c *client.Client, nameOrID string) (string, error) {
	if isNumber(nameOrID) {
		return nameOrID, nil
	}
	all, err := listTeams(ctx, c)
	if err != nil {
		return "", err
	}
	var names []string
	for _, t := range all {
		if strings.EqualFold(t.Name, strings.TrimSpace(nameOrID)) {
			return t.ID.String(), nil
		}
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return "", fmt.Errorf("there is no team %q; create it with earshot team create --name %q", nameOrID, nameOrID)
	}
	return "", fmt.Errorf("there is no team %q; the teams are %s", nameOrID, strings.Join(names, ", "))
}

// findOrOnlyTeam is findTeam. Without a team, it returns the only one there is.
func findOrOnlyTeam(ctx context.Context, c *client.Client, nameOrID string) (string, error) {
	if nameOrID != "" {
		return findTeam(ctx, c, nameOrID)
	}
	all, err := listTeams(ctx, c)
	switch {
	case err != nil:
		return "", err
	case len(all) == 0:
		return "", fmt.Errorf("there is no team yet; create one with earshot team create --name NAME")
	case len(all) > 1:
		return "", wrongUsage("there are several teams: choose one with --team NAME")
	}
	return all[0].ID.String(), nil
}
