package main

import (
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"earshot/internal/http/client"
)

// criteriaFields are the flags that define which posts a monitor or filter selects.
var criteriaFields = []field{
	text("keywords", "keywords", "boolean `query`"),
	choice("languages", "languages", "two-letter `codes`, separated by commas"),
	choice("geolocations", "geolocations", "geography `IDs` such as USA.CA, separated by commas"),
	text("gender", "gender", "M or F; empty means any"),
	list("sources", "sources", "`names` of networks or content sources, such as Twitter,Blogs"),
}

var monitors = resource{
	noun:    "monitor",
	path:    "monitors",
	columns: []string{"id", "name", "type", "team", "enabled", "start", "timezone"},
	by:      "team",
	fields: slices.Concat([]field{
		text("name", "name", "name"),
		text("description", "description", "description"),
		text("type", "type", "BUZZ, OPINION or SOCIAL"),
		reference("team", "team", teams, "`name or ID` of the team"),
	}, criteriaFields, []field{
		text("timezone", "timezone", "time zone of days, such as Europe/Berlin"),
		text("start", "start", "first `day` with results, YYYY-MM-DD"),
		list("tags", "tags", "tags, separated by commas"),
		categories(),
		text("account-network", "account.network", "network of a SOCIAL monitor's account"),
		text("account-handle", "account.handle", "handle of the account"),
		text("account-page", "account.pageId", "page `ID` of the account, on Facebook"),
		list("target-hashtags", "targetHashtags", "hashtags to track"),
	}),
	operations: []operation{
		{name: "enable", short: "Make a monitor match new posts", method: http.MethodPost, path: "/enable"},
		{name: "disable", short: "Stop a monitor from matching new posts", method: http.MethodPost, path: "/disable"},
		{name: "progress", short: "Show the progress of applying a changed monitor to stored posts", method: http.MethodGet, path: "/progress"},
	},
}

// categories returns the flag for the categories of an OPINION monitor, as NAME or GROUP/NAME.
// Names with a slash require --from.
func categories() field {
	return field{
		define: func(flags *pflag.FlagSet) {
			flags.StringSlice("categories", nil, "categories of an OPINION monitor, as NAME or GROUP/NAME")
			flags.StringSlice("hidden-categories", nil, "categories excluded from proportions, as NAME or GROUP/NAME")
		},
		fill: func(flags *pflag.FlagSet, b body) error {
			if !flags.Changed("categories") && !flags.Changed("hidden-categories") {
				return nil
			}
			shown, err := flags.GetStringSlice("categories")
			if err != nil {
				return err
			}
			hidden, err := flags.GetStringSlice("hidden-categories")
			if err != nil {
				return err
			}
			all := []body{}
			for _, name := range shown {
				all = append(all, category(name, false))
			}
			for _, name := range hidden {
				all = append(all, category(name, true))
			}
			b.set("categories", all)
			return nil
		},
	}
}

func category(name string, hidden bool) body {
	c := body{"name": name, "hidden": hidden}
	if group, name, grouped := strings.Cut(name, "/"); grouped {
		c["name"], c["group"] = name, group
	}
	return c
}

// monitorCommand returns the commands for monitors, including those that only monitors have.
func (p *program) monitorCommand() *cobra.Command {
	return p.resourceCommand(monitors,
		p.resetCommand(),
		p.trainCommand(),
		p.trainingCommand(),
		p.untrainCommand(),
		p.modelCommand(),
		p.proportionsCommand(),
		p.costsCommand(),
	)
}

func (p *program) resetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reset ID",
		Short: "Recompute the results of a monitor",
		Args:  cobra.ExactArgs(1),
	}
	from := cmd.Flags().String("from", "", "first `day` to recompute, YYYY-MM-DD (default: the monitor's start)")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		r := client.Request{Method: http.MethodPost, Path: monitors.one(args[0], "reset")}
		if *from != "" {
			r.Body = body{"from": *from}
		}
		return p.callAndPrint(cmd, r)
	})
	return cmd
}

func (p *program) costsCommand() *cobra.Command {
	return p.command("costs", "List the ten monitors that take the most time to match (administrators only)", func(cmd *cobra.Command, _ []string) error {
		return p.callAndPrint(cmd, client.Request{Method: http.MethodGet, Path: "/manage/v1/monitor-costs"})
	})
}
