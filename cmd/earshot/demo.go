package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/demo"
)

func (p *program) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the service with generated posts",
		Args:  cobra.NoArgs,
	}
	config.AddFlags(cmd.Flags())
	for name, value := range demoDefaults {
		cmd.Flags().Lookup(name).DefValue = value // what the help shows
	}
	days := cmd.Flags().Int("days", 90, "how many days of posts to generate")
	seed := cmd.Flags().Uint64("seed", 1, "another `number` tells another story")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		cfg, err := p.demoConfig(cmd)
		if err != nil {
			return err
		}
		if *days < 1 || *days > 3650 {
			return wrongUsage("--days must be 1 to 3650")
		}
		g := demo.Generator{Seed: *seed, Days: *days, End: time.Now().UTC().Truncate(time.Hour)}
		options := p.appOptions(cfg)
		options.NoFirstUser = true // the demonstration has its own
		var monitors []*earshot.Monitor
		return app.Run(cmd.Context(), cfg, options, app.Hooks{
			Prepare: func(ctx context.Context, a *app.App) (err error) {
				monitors, err = g.Load(ctx, demo.World{Accounts: a.Accounts, Monitors: a.Monitors, Content: a.Content, Training: a.Training, Streams: a.Streams, Journal: a.Journal})
				return err
			},
			Ready: func(address string) { p.welcome(address, monitors[0]) },
		})
	})
	return cmd
}

// demoDefaults are the settings that a demonstration has otherwise than a service.
var demoDefaults = map[string]string{"data": "demo-data", "rate-limit": "0"}

// demoConfig is the usual one, without rate limits and apart from real data.
func (p *program) demoConfig(cmd *cobra.Command) (config.Config, error) {
	cfg, err := config.Load(cmd.Flags(), "", p.environ)
	if err != nil {
		return cfg, err
	}
	if !cmd.Flags().Changed("data") && p.env("EARSHOT_DATA", "") == "" {
		cfg.Data = demoDefaults["data"]
	}
	if !cmd.Flags().Changed("rate-limit") {
		cfg.RateLimit = 0
	}
	return cfg, nil
}

// welcome tells where the demonstration is and what to try first, on a monitor.
func (p *program) welcome(address string, m *earshot.Monitor) {
	days := m.Results(time.Now())
	fmt.Fprintf(p.out, `Earshot serves the demonstration on http://%[1]s
Sign in as %[2]s with the password %[3]s, or try:

  TOKEN=$(curl -s 'http://%[1]s/api/authenticate?username=%[2]s&password=%[3]s' | sed 's/.*"auth":"\([^"]*\)".*/\1/')
  curl "http://%[1]s/api/monitor/list?auth=$TOKEN"
  curl "http://%[1]s/api/monitor/volume?auth=$TOKEN&id=%[4]d&start=%[5]s&end=%[6]s"
`, address, demo.Username, demo.Password, m.ID, days.End.AddDays(-7), days.End)
}
