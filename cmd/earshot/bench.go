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
	return group("bench", "Measure how fast Earshot is here, without a server", commands...)
}

func (p *program) oneBenchCommand(b bench.Bench) *cobra.Command {
	cmd := &cobra.Command{
		Use:   b.Name,
		Short: "Measure " + b.Short,
		Long: "Measure " + b.Short + `.

` + benchInput(b) + ` prints one JSON object. What is going on is told on
standard error.`,
		Args: cobra.NoArgs,
	}
	o := bench.Options{Progress: p.err, Serve: openServer}
	flags := cmd.Flags()
	if b.Data == "" {
		flags.IntVar(&o.Count, "count", b.Count, "how many posts to make")
	} else {
		flags.IntVar(&o.Count, "bags", b.Count, "how many bags of posts to estimate, of each set")
		flags.StringVar(&o.Data, "data", b.Data, "`directory` of labelled posts")
	}
	flags.IntVar(&o.CPUs, "cpus", b.CPUs, "how many cores to use; 0: all")
	flags.Uint64Var(&o.Seed, "seed", 1, "another `number` makes other posts")
	flags.StringVar(&o.Sample, "posts", "", "`file` of JSON lines, perhaps gzip, to make posts of (default: generated texts)")
	flags.StringVar(&o.Dir, "dir", "", "empty `directory` to work in, which is left as it is (default: a temporary one, which is removed)")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		if o.Count < 1 || o.CPUs < 0 {
			return wrongUsage("--count and --bags must be 1 or more, --cpus 0 or more")
		}
		report, err := b.Run(cmd.Context(), o)
		if err != nil {
			return err
		}
		return p.printJSON(report)
	})
	return cmd
}

// benchInput describes the input of a benchmark.
func benchInput(b bench.Bench) string {
	if b.Data == "" {
		return "It makes posts of its own and"
	}
	return "It reads posts that someone has sorted into categories and"
}

// openServer opens a complete service for measurements, with the default settings except that
// requests are not limited and the log is discarded.
func openServer(ctx context.Context, dir string) (*bench.Server, error) {
	cfg := config.New()
	cfg.Data, cfg.RateLimit = dir, 0
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
