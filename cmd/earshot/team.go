package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"earshot/internal/http/client"
)

// A namedObject is an object that the caller can see, such as a team.
type namedObject struct {
	ID   json.Number
	Name string
}

func listNamed(ctx context.Context, c *client.Client, of resource) (all []namedObject, err error) {
	for item, err := range c.List(ctx, of.root(), nil) {
		if err != nil {
			return nil, err
		}
		var o namedObject
		if err := json.Unmarshal(item, &o); err != nil {
			return nil, fmt.Errorf("read the list of %ss: %w", of.noun, err)
		}
		all = append(all, o)
	}
	return all, nil
}

// teamIDs returns the ID of a team that is given by name or ID or, if it is "", those of the teams that
// the caller can see.
func teamIDs(ctx context.Context, c *client.Client, nameOrID string) (ids []string, err error) {
	if nameOrID != "" {
		id, err := findTeam(ctx, c, nameOrID)
		return []string{id}, err
	}
	all, err := listNamed(ctx, c, teams)
	for _, t := range all {
		ids = append(ids, t.ID.String())
	}
	return ids, err
}

// find returns the ID of an object that is given by name or ID. The case of a name does not matter.
func find(ctx context.Context, c *client.Client, of resource, nameOrID string) (string, error) {
	if nameOrID = strings.TrimSpace(nameOrID); isNumber(nameOrID) {
		return nameOrID, nil
	}
	all, err := listNamed(ctx, c, of)
	if err != nil {
		return "", err
	}
	var names, ids []string
	for _, o := range all {
		if strings.EqualFold(o.Name, nameOrID) {
			ids = append(ids, o.ID.String())
		}
		names = append(names, o.Name)
	}
	switch {
	case len(ids) == 1:
		return ids[0], nil
	case len(ids) > 1:
		return "", fmt.Errorf("there are several %ss named %q; give one of the IDs %s", of.noun, nameOrID, strings.Join(ids, ", "))
	case len(names) > 0:
		return "", fmt.Errorf("there is no %s %q; the %ss are %s", of.noun, nameOrID, of.noun, strings.Join(names, ", "))
	case of.noun == teams.noun:
		return "", fmt.Errorf("there is no team %q; add it with earshot team add --name %q", nameOrID, nameOrID)
	}
	return "", fmt.Errorf("there is no %s yet", of.noun)
}

// findTeam returns the ID of a team that is given by name or ID.
func findTeam(ctx context.Context, c *client.Client, nameOrID string) (string, error) {
	return find(ctx, c, teams, nameOrID)
}

// findOrOnlyTeam is findTeam. Without a team, it returns the only one there is.
func findOrOnlyTeam(ctx context.Context, c *client.Client, nameOrID string) (string, error) {
	if nameOrID != "" {
		return findTeam(ctx, c, nameOrID)
	}
	all, err := listNamed(ctx, c, teams)
	switch {
	case err != nil:
		return "", err
	case len(all) == 0:
		return "", fmt.Errorf("there is no team yet; add one with earshot team add --name NAME")
	case len(all) > 1:
		return "", wrongUsage("there are several teams: choose one with --team NAME")
	}
	return all[0].ID.String(), nil
}
