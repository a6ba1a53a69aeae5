package main

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"earshot/internal/http/client"
)

// A resource is a type of object in the management API. The commands list, show, create, edit and
// delete are the same for all resources.
type resource struct {
	noun    string   // singular, for example team
	path    string   // under /manage/v1, for example teams
	columns []string // columns of the list
	fields  []field

	// within and withinPath are the noun and path of the parent resource, if objects are listed and
	// created under one, as filters are under a monitor.
	within, withinPath string
	// by is an optional flag and query parameter that filters the list.
	by string
}

// resourceCommand returns the command for a resource. more are additional subcommands.
func (p *program) resourceCommand(r resource, more ...*cobra.Command) *cobra.Command {
	commands := append([]*cobra.Command{
		p.listCommand(r), p.showCommand(r), p.createCommand(r), p.editCommand(r), p.deleteCommand(r),
	}, more...)
	return group(r.noun, "Manage "+r.noun+"s", commands...)
}

// one returns the path of the object with the given ID.
func (r resource) one(id string, more ...string) string {
	return client.Path(append([]string{"manage", "v1", r.path, id}, more...)...)
}

// all returns the path of the list.
func (r resource) all(flags *pflag.FlagSet) (string, error) {
	if r.within == "" {
		return client.Path("manage", "v1", r.path), nil
	}
	owner, err := flags.GetString(r.within)
	return client.Path("manage", "v1", r.withinPath, owner, r.path), err
}

// addOwner defines the flag for the parent object.
func (r resource) addOwner(cmd *cobra.Command) {
	if r.within != "" {
		cmd.Flags().String(r.within, "", "`ID` of the "+r.within)
		if err := cmd.MarkFlagRequired(r.within); err != nil {
			panic(err) // the flag is defined above
		}
	}
}

func (p *program) listCommand(r resource) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List " + r.noun + "s",
		Args:  cobra.NoArgs,
	}
	r.addOwner(cmd)
	if r.by != "" {
		is := "`ID`"
		if r.by == teams.noun {
			is = "`name or ID`"
		}
		cmd.Flags().String(r.by, "", "list only those of the "+r.by+" with this "+is)
	}
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		path, err := r.all(cmd.Flags())
		if err != nil {
			return err
		}
		query := url.Values{}
		if r.by != "" {
			if err := p.setQuery(cmd, query, r.by); err != nil {
				return err
			}
		}
		return p.printAll(cmd.Context(), p.client(), path, query, r.columns...)
	})
	return cmd
}

// setQuery sets the parameters whose flags were given. It replaces the name of a team with its ID.
func (p *program) setQuery(cmd *cobra.Command, query url.Values, flags ...string) (err error) {
	for _, flag := range flags {
		if !cmd.Flags().Changed(flag) {
			continue
		}
		value := cmd.Flag(flag).Value.String()
		if flag == teams.noun {
			if value, err = findTeam(cmd.Context(), p.client(), value); err != nil {
				return err
			}
		}
		query.Set(flag, value)
	}
	return nil
}

func (p *program) showCommand(r resource) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a " + r.noun,
		Args:  cobra.ExactArgs(1),
		RunE: p.action(func(cmd *cobra.Command, args []string) error {
			return p.callAndPrint(cmd, client.Request{Method: http.MethodGet, Path: r.one(args[0])})
		}),
	}
}

func (p *program) createCommand(r resource) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create a " + r.noun,
		Args:  cobra.NoArgs,
	}
	r.addOwner(cmd)
	addBodyFlags(cmd, r.fields)
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		path, err := r.all(cmd.Flags())
		if err != nil {
			return err
		}
		return p.sendBody(cmd, r.fields, client.Request{Method: http.MethodPost, Path: path})
	})
	return cmd
}

func (p *program) editCommand(r resource) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "edit ID",
		Short: "Change a " + r.noun,
		Args:  cobra.ExactArgs(1),
	}
	addBodyFlags(cmd, r.fields)
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		return p.sendBody(cmd, r.fields, client.Request{Method: http.MethodPatch, Path: r.one(args[0])})
	})
	return cmd
}

func (p *program) deleteCommand(r resource) *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID",
		Short: "Delete a " + r.noun,
		Long:  "Delete a " + r.noun + ". There is no confirmation, and it cannot be undone.",
		Args:  cobra.ExactArgs(1),
		RunE: p.action(func(cmd *cobra.Command, args []string) error {
			if _, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodDelete, Path: r.one(args[0])}); err != nil {
				return err
			}
			return p.note("Deleted %s %s", r.noun, args[0])
		}),
	}
}

var teams = resource{
	noun:    "team",
	path:    "teams",
	columns: []string{"id", "name", "monitorLimit"},
	fields: []field{
		text("name", "name", "name"),
		number("monitor-limit", "monitorLimit", "maximum `number` of monitors; 0 means no limit"),
	},
}

var users = resource{
	noun:    "user",
	path:    "users",
	columns: []string{"id", "username", "email", "firstName", "lastName", "teams", "apiAccess", "permissions"},
	fields: []field{
		text("username", "username", "user `name`"),
		text("password", "password", "password; it is visible in the process list, use --from - to avoid that"),
		text("email", "email", "email address"),
		text("first-name", "firstName", "first name"),
		text("last-name", "lastName", "last name"),
		references("teams", "teams", teams, "`names or IDs` of the teams, separated by commas"),
		toggle("api-access", "apiAccess", "allow access to the API"),
		list("permissions", "permissions", "any of content, streams, admin"),
	},
}

// filters refine a monitor. Their IDs are unique, so only list and create need the monitor's ID.
var filters = resource{
	noun:       "filter",
	path:       "filters",
	within:     "monitor",
	withinPath: "monitors",
	columns:    []string{"id", "name", "keywords", "gender", "sources"},
	fields:     slices.Concat([]field{text("name", "name", "name")}, criteriaFields),
}
