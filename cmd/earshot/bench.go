package main

import (
	"cmp"
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

` + benchInput(b) + ` prints one JSON object. Progress is shown on
standard error.`,
		Args: cobra.NoArgs,
	}
	if b.Database {
		cmd.Long += ` With --store it measures only the store, not HTTP, so that engines can be
compared. In ClickHouse it uses databases whose names have _bench_ and more at their end.`
	}
	o := bench.Options{Progress: p.err, Serve: openServer}
	flags := cmd.Flags()
	flags.IntVar(&o.Count, cmp.Or(b.Flag, "count"), b.Count, "`number` of "+cmp.Or(b.Unit, "posts to generate"))
	if b.Data != "" {
		flags.StringVar(&o.Data, "data", b.Data, "`directory` to read from")
	}
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
			if o.Database, err = app.Database(cfg, p.env("EARSHOT_STORE_PASSWORD", ""), app.Logger(cfg, p.err)); err != nil {
				return err
			}
			if o.Database != nil {
				defer o.Database.Close()
			}
			o.Serve = nil
		}
		if o.Count < 1 || o.CPUs < 0 {
			return wrongUsage("--count, --bags and --years must be at least 1, --cpus at least 0")
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
	if b.Name == "images" {
		return `It reads pictures (JPEG, PNG, GIF, WebP) from a directory. --data may also name a file of
labels, or the directory may have one, labels.tsv. A line has the path of a picture, the
names of all classes that it shows, separated by commas, and optionally the categories of
ImageNet that are right, as numbers or synsets. Columns are separated by tabs. A class with
a question mark is right as well, but not missed if it is not assigned. Files that are named
like those of ImageNet (n02123045_1.JPEG) need no labels.

If there are labels, the report has the precision of each class with its 95% confidence
interval, also on variants of up to 20 pictures (cropped, compressed, recolored), and the
share of generated images that are not photographs but get a class.

If the default directory does not exist, it generates pictures. The command`
	}
	switch b.Flag {
	case "bags":
		return "It reads posts with labeled categories and"
	case "years":
		return "It simulates monitors, reads the times of real posts where there are some, and"
	}
	return "It generates its own posts and"
}

// openServer opens a complete service for measurements, with the default settings except that
// requests are not limited and the log is discarded.
func openServer(ctx context.Context, o bench.ServerOptions) (*bench.Server, error) {
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.ManageRateLimit = o.Dir, 0, 0
	cfg.FetchImages, cfg.AllowPrivateImages = o.Pictures, o.Pictures
	a, err := app.Open(ctx, cfg, app.Options{AdminPassword: bench.AdminPassword, Log: app.Logger(cfg, io.Discard)})
	if err != nil {
		return nil, err
	}
	if err := a.Ready(ctx); err != nil {
		a.Close()
		return nil, err
	}
	return &bench.Server{Handler: a.Handler(), Append: a.Journal.Append, CatchUp: a.CatchUp, Find: a.Pictures.Posts.Find, Close: a.Close}, nil
}
