package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

func (p *program) importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Import posts from files",
		Long: `Import posts from files of JSON lines, or from CSV files whose header has the same
names (with dots for nested fields, such as geolocation.id; lists are separated
by |). Files may be gzipped. - reads standard input.

An image URL that starts with file: names a picture beside the imported file, such
as file:pictures/cup.jpg. It is uploaded and classified.

If an import is interrupted, run the same command again to resume it. Lines that
the server rejects are counted, and the first errors are shown; the command fails
if no line was accepted.

With --account the lines are snapshots of an account: date, followers, likes.`,
		Args: cobra.MinimumNArgs(1),
	}
	var o importOptions
	cmd.Flags().StringVar(&o.Type, "type", "", "network of posts without a type, such as Twitter")
	cmd.Flags().StringVar(&o.Source, "source", "", "`name` of the content source to import into")
	cmd.Flags().StringVar(&o.team, "team", "", "`name or ID` of the team that owns the content source; required if several teams have one with that name")
	cmd.Flags().StringVar(&o.account, "account", "", "`ID` of a SOCIAL monitor: import date, followers and likes of its account")
	cmd.Flags().BoolVar(&o.restart, "restart", false, "start over instead of resuming an interrupted import")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		if o.team != "" && o.Source == "" {
			return wrongUsage("--team requires --source")
		}
		if o.account != "" {
			if o.Type+o.Source != "" || o.restart {
				return wrongUsage("--account imports snapshots: it cannot be combined with flags for posts")
			}
			return p.importSnapshots(cmd.Context(), o.account, args)
		}
		return p.importFiles(cmd.Context(), o, args)
	})
	return cmd
}

// importOptions apply to all lines of an import.
type importOptions struct {
	Type   string
	Source string

	team    string
	account string
	restart bool
}

func (p *program) importFiles(ctx context.Context, o importOptions, names []string) error {
	c := p.client()
	query := url.Values{}
	if o.Source != "" {
		id, err := findSource(ctx, c, o.Source, o.team)
		if err != nil {
			return err
		}
		query.Set("documentType", id)
	}
	summaries := []*summary{}
	var failed error
	for _, name := range names {
		s, err := p.importFile(ctx, importJob{client: c, query: query, options: o, name: name})
		summaries = append(summaries, s)
		if err != nil {
			failed = fmt.Errorf("import %s: %w", name, err)
			break
		}
	}
	if err := p.printSummaries(summaries); err != nil {
		return err
	}
	return errors.Join(failed, noneAccepted(summaries))
}

// noneAccepted returns an error if there were lines and all were rejected.
func noneAccepted(all []*summary) error {
	var accepted, rejected int64
	for _, s := range all {
		accepted += s.Accepted
		rejected += s.Rejected
	}
	if accepted == 0 && rejected > 0 {
		return errors.New("no line was accepted")
	}
	return nil
}

// findSource returns the ID of the content source with the given name. Without a team, the name
// must be unique among the caller's teams.
func findSource(ctx context.Context, c *client.Client, name, team string) (string, error) {
	owners, err := teamIDs(ctx, c, team)
	if err != nil {
		return "", err
	}
	var found []string
	for _, owner := range owners {
		ids, err := sourcesNamed(ctx, c, name, owner)
		if err != nil {
			return "", err
		}
		found = append(found, ids...)
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("content source %q not found", name)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("several teams have a content source named %q: select one with --team", name)
}

func sourcesNamed(ctx context.Context, c *client.Client, name, team string) ([]string, error) {
	items, err := listSources(ctx, c, team)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, item := range items {
		var s struct {
			ID   json.Number
			Name string
		}
		if err := json.Unmarshal(item, &s); err != nil {
			return nil, fmt.Errorf("read the list of content sources: %w", err)
		}
		if strings.EqualFold(s.Name, name) {
			ids = append(ids, s.ID.String())
		}
	}
	return ids, nil
}
