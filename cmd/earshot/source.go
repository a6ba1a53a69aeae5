package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

// sourceCommand returns the commands for content sources, which belong to the public API.
func (p *program) sourceCommand() *cobra.Command {
	return group("source", "Manage content sources",
		p.sourceListCommand(), p.sourceShowCommand(), p.sourceCreateCommand(), p.sourceDeleteCommand())
}

const sourcesPath = "/api/content/sources"

func (p *program) sourceListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list --team ID",
		Short: "List the content sources of a team",
		Args:  cobra.NoArgs,
	}
	team := requiredTeam(cmd)
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		items, err := listSources(cmd.Context(), p.client(), *team)
		if err != nil {
			return err
		}
		return p.printList([]string{"id", "name", "teamName", "documents", "description"}, items)
	})
	return cmd
}

func (p *program) sourceShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID --team ID",
		Short: "Show a content source",
		Args:  cobra.ExactArgs(1),
	}
	team := requiredTeam(cmd)
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		items, err := listSources(cmd.Context(), p.client(), *team)
		if err != nil {
			return err
		}
		for _, item := range items {
			var s struct{ ID json.Number }
			if err := json.Unmarshal(item, &s); err != nil {
				return fmt.Errorf("read the list of content sources: %w", err)
			}
			if s.ID.String() == args[0] {
				return p.printRecord(item)
			}
		}
		return fmt.Errorf("content source %s not found in the team", args[0])
	})
	return cmd
}

func (p *program) sourceCreateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create --team ID --name NAME",
		Short: "Create a content source",
		Args:  cobra.NoArgs,
	}
	fields := []field{
		text("team", "teamid", "`ID` of the team"),
		text("name", "name", "name"),
		text("description", "description", "description"),
	}
	addBodyFlags(cmd, fields)
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		b, err := p.readBody(cmd, fields)
		if err != nil {
			return err
		}
		answer, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodPost, Path: sourcesPath, Body: b})
		if err != nil {
			return err
		}
		var created struct {
			ContentSource json.RawMessage `json:"contentSource"`
		}
		if err := json.Unmarshal(answer, &created); err != nil {
			return fmt.Errorf("read response: %w", err)
		}
		return p.printRecord(created.ContentSource)
	})
	return cmd
}

func (p *program) sourceDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID",
		Short: "Delete a content source and all its documents",
		Args:  cobra.ExactArgs(1),
		RunE: p.action(func(cmd *cobra.Command, args []string) error {
			r := client.Request{Method: http.MethodDelete, Path: sourcesPath, Query: url.Values{"documentType": args}}
			if _, err := p.client().Call(cmd.Context(), r); err != nil {
				return err
			}
			return p.note("Deleted source %s", args[0])
		}),
	}
}

func requiredTeam(cmd *cobra.Command) *string {
	team := cmd.Flags().String("team", "", "`ID` of the team")
	if err := cmd.MarkFlagRequired("team"); err != nil {
		panic(err) // the flag is defined above
	}
	return team
}

func listSources(ctx context.Context, c *client.Client, team string) ([]json.RawMessage, error) {
	answer, err := c.Call(ctx, client.Request{
		Method: http.MethodGet,
		Path:   sourcesPath + "/list",
		Query:  url.Values{"team": {team}},
	})
	if err != nil {
		return nil, err
	}
	var list struct {
		ContentSources []json.RawMessage `json:"contentSources"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, fmt.Errorf("read the list of content sources: %w", err)
	}
	return list.ContentSources, nil
}
