package main

import (
	"context"
	"fmt"
	"io"
	"net"
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
		cmd.Flags().Lookup(name).DefValue = value // shown by --help
	}
	days := cmd.Flags().Int("days", 90, "`number` of days of posts to generate")
	seed := cmd.Flags().Uint64("seed", 1, "random seed: each `number` generates different posts")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		cfg, err := p.demoConfig(cmd)
		if err != nil {
			return err
		}
		if *days < 1 || *days > 3650 {
			return wrongUsage("--days must be from 1 to 3650")
		}
		g := demo.Generator{Seed: *seed, Days: *days, End: time.Now().UTC().Truncate(time.Hour), Pictures: cfg.FetchImages}
		options := p.appOptions(cfg)
		options.NoFirstUser = true // the demo adds its own users
		options.Demo = &app.Demo{Username: demo.Username, Password: demo.Password, Kinds: demo.Kinds, Silent: true, Picture: demo.Picture}
		var monitors []*earshot.Monitor
		generating, indexing := p.newDemoProgress("Generating posts"), p.newDemoProgress("Indexing posts")
		var total int64 // number of journal entries to process
		return app.Run(cmd.Context(), cfg, options, app.Hooks{
			Prepare: func(ctx context.Context, a *app.App) (err error) {
				w := demo.World{Accounts: a.Accounts, Monitors: a.Monitors, Content: a.Content, Training: a.Training, Streams: a.Streams, Dashboards: a.Dashboards, Sources: a.Sources, Journal: a.Journal}
				w.Progress = func(through time.Time) {
					span := time.Duration(g.Days) * 24 * time.Hour
					generating.show(int64(span-g.End.Sub(through)), int64(span))
				}
				monitors, err = g.Load(ctx, w)
				generating.end()
				return err
			},
			Waiting: func(pending int64) {
				total = max(total, pending)
				indexing.show(total-pending, total)
			},
			Ready: func(address string) {
				indexing.end()
				p.warnPublic(address)
				p.welcome(address, monitors[0])
			},
			Background: func(ctx context.Context, a *app.App) {
				if err := demo.AddSignals(ctx, a.Signals, monitors); err != nil && ctx.Err() == nil {
					options.Log.Error("adding the signals of the demo failed", "error", err)
				}
			},
		})
	})
	return cmd
}

// A demoProgress shows the progress of one job: as a bar on a terminal, otherwise as one line
// for every 25%.
type demoProgress struct {
	out   io.Writer
	bar   bool
	job   string
	shown int64 // percent; -1: none yet
}

func (p *program) newDemoProgress(job string) *demoProgress {
	_, isTerminal := terminal(p.err)
	return &demoProgress{out: p.err, bar: isTerminal, job: job, shown: -1}
}

func (d *demoProgress) show(done, total int64) {
	percent := min(done, total) * 100 / total
	if !d.bar {
		percent -= percent % 25
	}
	if percent <= d.shown {
		return
	}
	d.shown = percent
	if d.bar {
		fmt.Fprintf(d.out, "\r%-16s %s\x1b[K", d.job, drawBar(done, total))
	} else {
		fmt.Fprintf(d.out, "%s: %d%%\n", d.job, percent)
	}
}

func (d *demoProgress) end() {
	if d.bar && d.shown >= 0 {
		fmt.Fprint(d.out, "\r\x1b[K")
	}
}

// demoDefaults are the settings that the demo overrides.
var demoDefaults = map[string]string{"data": "demo-data", "rate-limit": "0", "manage-rate-limit": "0", "restricted-sources": "", "images-fetch": "true"}

// demoConfig returns the configuration of the service, by default with a separate data directory,
// without rate limits, without restricted sources, because its posts are fictional, and with pictures,
// which the demo serves itself.
func (p *program) demoConfig(cmd *cobra.Command) (config.Config, error) {
	cfg, err := config.Load(cmd.Flags(), "", p.environ)
	if err != nil {
		return cfg, err
	}
	if !cmd.Flags().Changed("data") && p.env("EARSHOT_DATA", "") == "" {
		cfg.Data = demoDefaults["data"]
	}
	if !cmd.Flags().Changed("rate-limit") && p.env("EARSHOT_RATE_LIMIT", "") == "" {
		cfg.RateLimit = 0
	}
	if !cmd.Flags().Changed("manage-rate-limit") && p.env("EARSHOT_MANAGE_RATE_LIMIT", "") == "" {
		cfg.ManageRateLimit = 0
	}
	if !cmd.Flags().Changed("restricted-sources") && p.env("EARSHOT_RESTRICTED_SOURCES", "") == "" {
		cfg.RestrictedSources = nil
	}
	if !cmd.Flags().Changed("images-fetch") && p.env("EARSHOT_IMAGES_FETCH", "") == "" {
		cfg.FetchImages = true
	}
	return cfg, nil
}

// warnPublic warns if others can reach the demo: everyone knows its passwords.
func (p *program) warnPublic(address string) {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && ip != nil && !ip.IsLoopback() {
		fmt.Fprintf(p.err, "Warning: other computers can reach the demo at %s, and its passwords are public. Use --listen 127.0.0.1:8080 unless you want that.\n", address)
	}
}

// welcome prints where the demo runs, how to sign in, and API calls to try on a monitor.
func (p *program) welcome(address string, m *earshot.Monitor) {
	days := m.Results(time.Now())
	fmt.Fprintf(p.out, `
The demo is running at http://%[1]s
Sign in as %[2]s with the password %[3]s, or call the API:

  TOKEN=$(curl -s 'http://%[1]s/api/authenticate?username=%[2]s&password=%[3]s' | sed 's/.*"auth":"\([^"]*\)".*/\1/')
  curl "http://%[1]s/api/monitor/list?auth=$TOKEN"
  curl "http://%[1]s/api/monitor/volume?auth=$TOKEN&id=%[4]d&start=%[5]s&end=%[6]s"
`, address, demo.Username, demo.Password, m.ID, days.End.AddDays(-7), days.End)
}
