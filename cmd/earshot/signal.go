package main

import (
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

// signals are the objects that rules raise. People cannot create them.
var signals = resource{
	noun:     "signal",
	path:     "signals",
	about:    "Show and handle signals",
	columns:  []string{"id", "raised", "state", "severity", "title"},
	commands: []string{"show"},
	operations: []operation{
		{name: "ack", short: "Acknowledge a signal: tell the team that you have seen it", method: http.MethodPatch, body: body{"acknowledged": true}},
		{name: "resolve", short: "Mark a signal as over", method: http.MethodPatch, body: body{"state": "resolved"}},
	},
}

func (p *program) signalCommand() *cobra.Command {
	return p.resourceCommand(signals, p.signalListCommand())
}

func (p *program) signalListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List signals, newest first",
		Args:    cobra.NoArgs,
		Example: "  earshot signal list --state open\n  earshot signal list --monitor 2147483652 --severity critical --json",
	}
	for flag, usage := range map[string]string{
		"team": "only of the team with this `name or ID`", "monitor": "only of the monitor or filter with this `ID`", "rule": "only of the rule with this `ID`",
		"kind": "only of these `kinds`, separated by commas", "state": "firing, resolved or open: firing and not acknowledged",
		"severity": "info, warning or critical", "assigned": "`ID` of a user, or me",
	} {
		cmd.Flags().String(flag, "", usage)
	}
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		query := url.Values{}
		if err := p.setQuery(cmd, query, "team", "monitor", "rule", "kind", "state", "severity", "assigned"); err != nil {
			return err
		}
		return p.printAll(cmd.Context(), p.client(), signals.root(), query, signals.columns...)
	})
	return cmd
}

var rules = resource{
	noun:  "rule",
	path:  "rules",
	by:    "monitor",
	about: "Manage rules: what becomes a signal",
	example: `  earshot rule add --monitor 2147483652 --kind threshold --name "Many negative posts" --metric negative --value 0.4 --window-hours 24
  earshot rule add --monitor 2147483652 --kind post --name "Someone famous" --filter followers:100000.. --channels Newsroom`,
	columns: []string{"id", "name", "kind", "severity", "enabled", "mutedUntil", "signals"},
	fields: []field{
		number("monitor", "monitor", "`ID` of the monitor or filter; cannot be changed later"),
		text("kind", "kind", "unusual, threshold or post; cannot be changed later"),
		text("name", "name", "name"),
		text("filter", "filter", "restricts the posts, for example followers:100000.."),
		number("false-alarms", "unusual.falseAlarms", "of unusual: expected false alarms per year: 1, 12 or 52"),
		text("metric", "threshold.metric", "of threshold: posts, authors, engagement, reach, negative, positive, category, country or language"),
		toggle("below", "threshold.below", "of threshold: raise a signal below the value instead of above it"),
		number("value", "threshold.value", "of threshold: the limit; shares are from 0 to 1"),
		number("window-hours", "threshold.windowHours", "of threshold: 1 to 168 `hours`"),
		text("of", "threshold.of", "of threshold: the category, country or language of a share"),
		text("severity", "severity", "info, warning or critical"),
		references("channels", "channels", channels, "`names or IDs` of the channels to notify, separated by commas"),
		number("cool-down-minutes", "coolDownMinutes", "`minutes` after a signal before the next one about the same subject"),
		toggle("enabled", "enabled", "evaluate the rule"),
	},
}

func (p *program) ruleCommand() *cobra.Command {
	return p.resourceCommand(rules, p.ruleMuteCommand())
}

func (p *program) ruleMuteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "mute ID",
		Short:   "Mute a rule for a while; 0 unmutes it",
		Args:    cobra.ExactArgs(1),
		Example: "  earshot rule mute 2147483711 --for 4h",
	}
	length := cmd.Flags().Duration("for", 24*time.Hour, "how long, for example 4h")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		change := map[string]any{"mutedUntil": nil}
		if *length > 0 {
			change["mutedUntil"] = time.Now().Add(*length).UTC().Truncate(time.Second)
		}
		return p.callAndPrint(cmd, client.Request{Method: http.MethodPatch, Path: rules.one(args[0]), Body: change})
	})
	return cmd
}
