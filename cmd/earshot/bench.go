package main

import (
	"github.com/spf13/cobra"

	"earshot/internal/bench"
)

// benchCommand measures this machine. Its commands need no server.
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

It makes posts of its own and prints one JSON object. What is going on is told on
standard error.`,
		Args: cobra.NoArgs,
	}
	o := bench.Options{Progress: p.err}
	flags := cmd.Flags()
	flags.IntVar(&o.Count, "count", b.Count, "how many posts to make")
	flags.IntVar(&o.CPUs, "cpus", b.CPUs, "how many cores to use; 0: all")
	flags.Uint64Var(&o.Seed, "seed", 1, "another `number` makes other posts")
	flags.StringVar(&o.Sample, "posts", "", "`file` of JSON lines, perhaps gzip, to make posts of (default: generated texts)")
	flags.StringVar(&o.Dir, "dir", "", "empty `directory` to work in, which is left as it is (default: a temporary one, which is removed)")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		if o.Count < 1 || o.CPUs < 0 {
			return wrongUsage("--count must be 1 or more, --cpus 0 or more")
		}
		report, err := b.Run(cmd.Context(), o)
		if err != nil {
			return err
		}
		return p.printJSON(report)
	})
	return cmd
}
