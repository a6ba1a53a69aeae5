package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

// sourceCommand returns the commands for live sources, which collect posts continuously, and for
// content sources, which receive uploads. Their IDs come from the same sequence.
func (p *program) sourceCommand() *cobra.Command {
	return p.resourceCommand(liveSources, p.sourceListCommand(), p.sourceShowCommand(), p.sourceAddCommand(), p.sourceEditCommand(),
		p.sourceRemoveCommand(), p.sourceTestCommand(), p.sourceOPMLCommand(),
		p.sourceCreateCommand(), p.sourceDeleteCommand())
}

// contentSourcesPath is the path of content sources, which belong to the public API.
const contentSourcesPath = "/api/content/sources"

// contentSources are content sources in the management API, which also knows their domains.
var contentSources = resource{noun: "source", path: "content-sources"}

const domainUsage = "kind of its texts: social, news, reviews, forums, survey or other; \"\" has Earshot guess"

// uploadKind is the kind that lists show for content sources.
const uploadKind = "upload"

func (p *program) sourceListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [--team TEAM]",
		Short: "List live sources and content sources",
		Args:  cobra.NoArgs,
	}
	team := cmd.Flags().String("team", "", "list only sources of the team with this `name or ID`")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		sources, err := listAllSources(cmd.Context(), p.client(), *team)
		if err != nil {
			return err
		}
		if p.json {
			items := make([]json.RawMessage, len(sources))
			for i, s := range sources {
				items[i] = s.raw
			}
			return p.printJSON(items)
		}
		return table(p.out, func(w io.Writer) error {
			fmt.Fprintln(w, "ID\tNAME\tKIND\tTEAM\tSTATE\tPOSTS\tDOMAIN\tDESCRIPTION")
			for _, s := range sources {
				fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", s.ID, clean(s.Name), clean(s.Kind), clean(s.TeamName), s.state(), s.posts(), s.Domain, clean(s.description()))
			}
			return nil
		})
	})
	return cmd
}

func (p *program) sourceShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a live source or a content source",
		Args:  cobra.ExactArgs(1),
	}
	team := cmd.Flags().String("team", "", "look for a content source only in the team with this `name or ID`")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		c := p.client()
		raw, err := c.Call(cmd.Context(), client.Request{Method: http.MethodGet, Path: liveSources.one(args[0])})
		if err == nil {
			return p.printSource(raw)
		}
		if !isStatus(err, http.StatusNotFound, http.StatusBadRequest) {
			return err
		}
		found, listErr := listContentSources(cmd.Context(), c, *team)
		if listErr != nil {
			return listErr
		}
		for _, s := range found {
			if fmt.Sprint(s.ID) == args[0] {
				return p.printRecord(s.raw)
			}
		}
		return err
	})
	return cmd
}

func (p *program) sourceCreateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create --team TEAM --name NAME",
		Short: "Create a content source, for uploads",
		Args:  cobra.NoArgs,
	}
	fields := []field{
		text("team", "teamid", "`name or ID` of the team"),
		text("name", "name", "name"),
		text("description", "description", "description"),
	}
	addBodyFlags(cmd, fields)
	domain := cmd.Flags().String("domain", "", domainUsage)
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		sent, err := p.readBody(cmd, fields)
		if err != nil {
			return err
		}
		if b, ok := sent.(body); ok && b["teamid"] != nil {
			if b["teamid"], err = findTeam(cmd.Context(), p.client(), fmt.Sprint(b["teamid"])); err != nil {
				return err
			}
		}
		if b, ok := sent.(body); ok && *domain != "" {
			b["domain"], b["team"] = *domain, json.RawMessage(fmt.Sprint(b["teamid"]))
			delete(b, "teamid")
			return p.callAndShow(cmd, contentSources, client.Request{Method: http.MethodPost, Path: contentSources.root(), Body: b})
		}
		answer, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodPost, Path: contentSourcesPath, Body: sent})
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
	return p.command("delete ID", "Delete a content source and all its documents", func(cmd *cobra.Command, args []string) error {
		c := p.client()
		r := client.Request{Method: http.MethodDelete, Path: contentSourcesPath, Query: url.Values{"documentType": args}}
		_, err := c.Call(cmd.Context(), r)
		if isStatus(err, http.StatusNotFound) {
			if _, live := c.Call(cmd.Context(), client.Request{Method: http.MethodGet, Path: liveSources.one(args[0])}); live == nil {
				return fmt.Errorf("source %s is a live source; remove it with earshot source remove %s", args[0], args[0])
			}
		}
		if err != nil {
			return err
		}
		return p.note("Deleted source %s", args[0])
	})
}

// A listedSource is a source of either type.
type listedSource struct {
	ID          int64
	Name        string
	Kind        string
	TeamName    string
	Description string // of a content source
	Domain      string // of a content source
	Documents   int64  // of a content source
	liveState
	Counters      struct{ Posts int64 }
	ContentSource int64 // that contains the posts of a live source; 0: none

	raw json.RawMessage
}

func (s *listedSource) posts() int64 { return s.Documents + s.Counters.Posts }

func (s *listedSource) description() string {
	if s.Kind == uploadKind {
		return s.Description
	}
	return s.State.Reason
}

// state returns the state without the time of the next attempt, which would make every list different.
func (s *listedSource) state() string {
	switch {
	case s.Kind == uploadKind:
		return ""
	case s.State.Phase == "backingOff" && !s.Paused:
		return "retrying"
	}
	return s.liveState.String()
}

// listAllSources returns the live sources and content sources of a team, or of all teams of the
// caller, ordered by ID. It leaves out content sources that contain the posts of a live source, such
// as a webhook.
func listAllSources(ctx context.Context, c *client.Client, team string) ([]listedSource, error) {
	query := url.Values{}
	if team != "" {
		id, err := findTeam(ctx, c, team)
		if err != nil {
			return nil, err
		}
		team = id
		query.Set("team", id)
	}
	uploads, err := listContentSources(ctx, c, team)
	if err != nil && !isStatus(err, http.StatusForbidden) { // without the permission for uploads
		return nil, err
	}
	var all []listedSource
	for item, err := range c.List(ctx, liveSources.root(), query) {
		if err != nil {
			return nil, err
		}
		s := listedSource{raw: item}
		if err := json.Unmarshal(item, &s); err != nil {
			return nil, fmt.Errorf("read the list of sources: %w", err)
		}
		all = append(all, s)
		uploads = slices.DeleteFunc(uploads, func(u listedSource) bool { return u.ID == s.ContentSource })
	}
	all = append(all, uploads...)
	slices.SortStableFunc(all, func(a, b listedSource) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// listContentSources returns the content sources of a team, or of all teams of the caller.
func listContentSources(ctx context.Context, c *client.Client, team string) (all []listedSource, err error) {
	query := url.Values{}
	if team != "" {
		id, err := findTeam(ctx, c, team)
		if err != nil {
			return nil, err
		}
		query.Set("team", id)
	}
	for item, err := range c.List(ctx, contentSources.root(), query) {
		if err != nil {
			return nil, err
		}
		s := listedSource{raw: withFields(item, `"kind":"`+uploadKind+`","state":null`)}
		if err := json.Unmarshal(s.raw, &s); err != nil {
			return nil, fmt.Errorf("read the list of content sources: %w", err)
		}
		all = append(all, s)
	}
	return all, nil
}

// withFields appends fields to a JSON object.
func withFields(object json.RawMessage, fields string) json.RawMessage {
	text := strings.TrimSpace(string(object))
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"))
	if inner != "" {
		inner += ","
	}
	return json.RawMessage("{" + inner + fields + "}")
}

func listSources(ctx context.Context, c *client.Client, team string) ([]json.RawMessage, error) {
	answer, err := c.Call(ctx, client.Request{
		Method: http.MethodGet,
		Path:   contentSourcesPath + "/list",
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

// isStatus reports whether err is an error response with one of the statuses.
func isStatus(err error, statuses ...int) bool {
	var refused *client.Error
	return errors.As(err, &refused) && slices.Contains(statuses, refused.Status)
}
