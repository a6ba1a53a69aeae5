package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"earshot/internal/app"
	"earshot/internal/bench"
	"earshot/internal/config"
)

// benchCommand returns the commands that measure this machine. They need no server.
func (p *program) benchCommand() *cobra.Command {
	var commands []*cobra.Command
	for _, b := range bench.List() {
		commands = append(commands, p.oneBenchCommand(b))
	}
	return group("bench", "Benchmark Earshot on this machine, without a server", commands...)
}

func (p *program) oneBenchCommand(b bench.Bench) *cobra.Command {
	cmd := &cobra.Command{
		Use:   b.Name,
		Short: "Measure " + b.Short,
		Long: "Measure " + b.Short + `.

It generates its own posts and prints one JSON object. Progress is shown on
standard error.`,
		Args: cobra.NoArgs,
	}
	if b.Database {
		cmd.Long += ` With --store it measures only the store, not HTTP, so that engines can be
compared. In ClickHouse it uses databases whose names have _bench_ and more at their end.`
	}
	o := bench.Options{Progress: p.err, Serve: openServer}
	flags := cmd.Flags()
	flags.IntVar(&o.Count, "count", b.Count, "`number` of posts to generate")
	flags.IntVar(&o.CPUs, "cpus", b.CPUs, "`number` of cores to use; 0 means all")
	flags.Uint64Var(&o.Seed, "seed", 1, "random seed: each `number` generates different posts")
	flags.StringVar(&o.Sample, "posts", "", "`file` of JSON lines, optionally gzipped, to build posts from (default: generated texts)")
	flags.StringVar(&o.Dir, "dir", "", "empty `directory` to work in, which is not removed (default: a temporary one, which is)")
	if b.Database {
		addFlags(flags, storeFlags[:6])
	}
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		if b.Database && flags.Changed("store") { // not from the environment, which is that of the service
			cfg, err := config.Load(flags, "", p.environ)
			if err != nil {
				return err
			}
			if o.Database, err = p.database(cfg); err != nil {
				return err
			}
			if o.Database != nil {
				defer o.Database.Close()
			}
			o.Serve = nil
		}
		if o.Count < 1 || o.CPUs < 0 {
			return wrongUsage("--count must be at least 1, --cpus at least 0")
		}
		report, err := b.Run(cmd.Context(), o)
		if err != nil {
			return err
		}
		return p.printJSON(report)
	})
	return cmd
}

// openServer opens a complete service for measurements, with the default settings except that
// requests are not limited and the log is discarded.
func openServer(ctx context.Context, dir string) (*bench.Server, error) {
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.ManageRateLimit = dir, 0, 0
	a, err := app.Open(ctx, cfg, app.Options{AdminPassword: bench.AdminPassword, Log: app.Logger(cfg, io.Discard)})
	if err != nil {
		return nil, err
	}
	if err := a.Ready(ctx); err != nil {
		a.Close()
		return nil, err
	}
	return &bench.Server{Handler: a.Handler(), Append: a.Journal.Append, CatchUp: a.CatchUp, Close: a.Close}, nil
}
