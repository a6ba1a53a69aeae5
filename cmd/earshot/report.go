package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

var reports = resource{
	noun:  "report",
	path:  "reports",
	by:    "team",
	about: "Manage scheduled reports",
	adds:  "Add a scheduled report",
	example: `  # Every Monday at 8, about the week before
  earshot report add --team Acme --name "Weekly" --monitors 21,22 --cron "0 8 * * 1" --channels Newsroom --pdf

  # On the first of each month, a dashboard
  earshot report add --team Acme --name "Monthly" --dashboards 41 --cron @monthly --range lastmonth --channels Newsroom`,
	commands: []string{"list", "add", "remove"},
	columns:  []string{"id", "name", "schedule", "range", "disabled"},
	fields: []field{
		text("name", "name", "name"),
		reference("team", "team", teams, "`name or ID` of the team"),
		numbers("monitors", "monitors", "`IDs` of monitors or saved filters"),
		numbers("dashboards", "dashboards", "`IDs` of dashboards"),
		text("filter", "filter", "only posts that match this `filter`, for example language:en"),
		text("cron", "cron", "when it is sent: minute, hour, day of the month, month, weekday; or @daily, @weekly or @monthly"),
		text("timezone", "timezone", "time `zone` of the schedule (default that of the first monitor)"),
		text("range", "range", "the days it covers: yesterday, lastweek, lastmonth, last7, last30 and others (default lastweek)"),
		toggle("pdf", "pdf", "attach a PDF file to emails"),
		toggle("xlsx", "xlsx", "attach an Excel workbook to emails"),
		references("channels", "channels", channels, "`names or IDs` of the channels to send it to"),
	},
}

func (p *program) reportCommand() *cobra.Command {
	return p.resourceCommand(reports, p.reportSendCommand())
}

func (p *program) reportSendCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "send ID",
		Short: "Send a report now, or that of a period again",
		Example: `  earshot report send 51
  earshot report send 51 --period 2026-11-16T0700Z`,
		Args: cobra.ExactArgs(1),
	}
	period := cmd.Flags().String("period", "", "`period` of an earlier run (default now)")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		return p.callAndPrint(cmd, client.Request{Method: http.MethodPost, Path: reports.one(args[0], "send"), Body: body{"period": *period}})
	})
	return cmd
}

var feeds = resource{
	noun:  "feed",
	path:  "feeds",
	by:    "team",
	about: "Manage secret addresses of Atom feeds",
	adds:  "Add an Atom feed, and print its address, which cannot be shown again",
	example: `  earshot feed add --kind posts --monitor 21 --filter language:en
  earshot feed add --kind signals --team Acme`,
	commands: []string{"list", "add", "remove"},
	print:    (*program).printFeed,
	columns:  []string{"id", "name", "kind", "target", "removed"},
	fields: []field{
		text("name", "name", "name (default that of the monitor)"),
		text("kind", "kind", "posts or signals"),
		number("monitor", "monitor", "`ID` of a monitor or saved filter"),
		reference("team", "team", teams, "`name or ID` of the team, for the signals of all its monitors"),
		text("filter", "filter", "only posts that match this `filter`, for example language:en"),
	},
}

// printFeed prints the address of a new feed.
func (p *program) printFeed(raw json.RawMessage) error {
	if p.json {
		return p.printRecord(raw)
	}
	var added struct{ Path string }
	if err := json.Unmarshal(raw, &added); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.out, strings.TrimSuffix(p.server, "/")+added.Path)
	return err
}
