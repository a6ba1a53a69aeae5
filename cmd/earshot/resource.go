package main

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"earshot/internal/http/client"
)

// A resource is a type of object in the management API. The commands list, show, add, edit and
// remove are the same for all resources.
type resource struct {
	noun    string   // singular, for example team
	path    string   // under /manage/v1, for example teams
	columns []string // columns of the list
	fields  []field

	// commands are the common commands that the resource has. Nil: all of them.
	commands   []string
	operations []operation
	// print prints an object that was added or changed. Nil: all its fields.
	print func(*program, json.RawMessage) error

	// about and adds describe the group of commands and the command add, if "Manage teams" and
	// "Add a team" are not enough.
	about, adds string
	example     string // of the command add

	// within and withinPath are the noun and path of the parent resource, if objects are listed and
	// added under one, as filters are under a monitor.
	within, withinPath string
	// by is an optional flag and query parameter that filters the list.
	by string
	// creates replaces the verbs add and remove with create and delete, because the resource uses add
	// and remove for its members.
	creates bool
}

// An operation is a command that sends a request about one object and prints the response.
type operation struct {
	name, short, long string
	method            string
	path              string // after the path of the object, for example /enable
	body              any
}

// resourceCommand returns the command for a resource. more are additional subcommands.
func (p *program) resourceCommand(r resource, more ...*cobra.Command) *cobra.Command {
	for name, command := range map[string]func(resource) *cobra.Command{
		"list": p.listCommand, "show": p.showCommand, "add": p.addCommand, "edit": p.editCommand, "remove": p.removeCommand,
	} {
		if r.commands == nil || slices.Contains(r.commands, name) {
			more = append(more, command(r))
		}
	}
	for _, o := range r.operations {
		cmd := p.command(o.name+" ID", o.short, func(cmd *cobra.Command, args []string) error {
			return p.callAndShow(cmd, r, client.Request{Method: o.method, Path: r.one(args[0]) + o.path, Body: o.body})
		})
		cmd.Long = o.long
		more = append(more, cmd)
	}
	return group(r.noun, cmp.Or(r.about, "Manage "+r.noun+"s"), more...)
}

// callAndShow sends a request and prints the object in the response.
func (p *program) callAndShow(cmd *cobra.Command, r resource, request client.Request) error {
	response, err := p.client().Call(cmd.Context(), request)
	if err != nil {
		return err
	}
	if r.print != nil {
		return r.print(p, response)
	}
	return p.printRecord(response)
}

// root returns the path of the list of all objects.
func (r resource) root() string { return client.Path("manage", "v1", r.path) }

// one returns the path of the object with the given ID.
func (r resource) one(id string, more ...string) string {
	return client.Path(append([]string{"manage", "v1", r.path, id}, more...)...)
}

// all returns the path of the list.
func (r resource) all(flags *pflag.FlagSet) (string, error) {
	if r.within == "" {
		return r.root(), nil
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
	cmd := p.command("list", "List "+r.noun+"s", func(cmd *cobra.Command, _ []string) error {
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
	r.addOwner(cmd)
	if r.by != "" {
		is := "`ID`"
		if r.by == teams.noun {
			is = "`name or ID`"
		}
		cmd.Flags().String(r.by, "", "list only those of the "+r.by+" with this "+is)
	}
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
	return p.command("show ID", "Show a "+r.noun, func(cmd *cobra.Command, args []string) error {
		return p.callAndPrint(cmd, client.Request{Method: http.MethodGet, Path: r.one(args[0])})
	})
}

func (p *program) addCommand(r resource) *cobra.Command {
	cmd := p.command("add", cmp.Or(r.adds, "Add a "+r.noun), func(cmd *cobra.Command, _ []string) error {
		path, err := r.all(cmd.Flags())
		if err != nil {
			return err
		}
		return p.sendBody(cmd, r, client.Request{Method: http.MethodPost, Path: path})
	})
	cmd.Example, cmd.Aliases = r.example, []string{"create"}
	if r.creates {
		cmd.Use, cmd.Short, cmd.Aliases = "create", "Create a "+r.noun, nil
	}
	r.addOwner(cmd)
	addBodyFlags(cmd, r.fields)
	return cmd
}

func (p *program) editCommand(r resource) *cobra.Command {
	cmd := p.command("edit ID", "Change a "+r.noun, func(cmd *cobra.Command, args []string) error {
		return p.sendBody(cmd, r, client.Request{Method: http.MethodPatch, Path: r.one(args[0])})
	})
	addBodyFlags(cmd, r.fields)
	return cmd
}

func (p *program) removeCommand(r resource) *cobra.Command {
	cmd := p.command("remove ID", "Remove a "+r.noun, func(cmd *cobra.Command, args []string) error {
		if _, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodDelete, Path: r.one(args[0])}); err != nil {
			return err
		}
		return p.note("Deleted %s %s", r.noun, args[0])
	})
	cmd.Aliases = []string{"delete"}
	if r.creates {
		cmd.Use, cmd.Short, cmd.Aliases = "delete ID", "Delete a "+r.noun, nil
	}
	cmd.Long = cmd.Short + ". There is no confirmation, and it cannot be undone."
	return cmd
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

// filters refine a monitor. Their IDs are unique, so only list and add need the monitor's ID.
var filters = resource{
	noun:       "filter",
	path:       "filters",
	within:     "monitor",
	withinPath: "monitors",
	columns:    []string{"id", "name", "keywords", "gender", "sources"},
	fields:     slices.Concat([]field{text("name", "name", "name")}, criteriaFields),
}
