package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/operate"
)

func (p *program) storeCopyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "copy {--from | --to} {local | URL}",
		Short: "Copy all posts from the data directory to ClickHouse, or back",
		Long: `Copy all posts from the data directory to a ClickHouse database, or back, with
everything that is known about them: the monitors that match them, categories,
counters, snapshots, and their position in the journal. Results are the same
afterward. The source is only read. The service must not be running on any node, and
does not start with an unfinished copy.

The target must be empty. Interrupt the command at any time, and run it again to
continue. At the end it compares all posts of both. Then change the setting "store",
start the service, and remove the source when you no longer need it.

Name one of the stores, or both. The other one is the data directory or, if you name
"local", the ClickHouse database of the setting "store":

  earshot store copy --data DIR --to clickhouse://earshot@db.example.com/earshot
  earshot store copy --data DIR --from clickhouse://earshot@db.example.com/earshot

The password is in the file that --store-password-file names, or in
EARSHOT_STORE_PASSWORD.`,
		Args: cobra.NoArgs,
	}
	flags := cmd.Flags()
	addFlags(flags, restoreFlags)
	file := flags.String("config", "", "configuration `file`")
	from := flags.String("from", "", "the `store` to copy from: local, or the URL of a ClickHouse database")
	to := flags.String("to", "", "the `store` to copy to, likewise")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		toLocal, err := chooseStores(flags, *from, *to)
		if err != nil {
			return err
		}
		cfg, err := config.Load(flags, *file, p.environ)
		if err != nil {
			return err
		}
		if _, ok := cfg.ClickHouse(); !ok {
			return wrongUsage("the command needs the URL of a ClickHouse database in --from, --to or the setting store")
		}
		cfg.LogLevel = "warn"
		bar := p.newCopyProgress()
		posts, err := operate.CopyStore(cmd.Context(), cfg, operate.StoreCopyOptions{
			ToLocal: toLocal, StorePassword: p.env("EARSHOT_STORE_PASSWORD", ""), Log: app.Logger(cfg, p.err), Report: bar.step,
		})
		bar.end()
		if err != nil {
			return fmt.Errorf("copy posts: %w", err)
		}
		return p.printCopy(cfg, posts, toLocal)
	})
	return cmd
}

// chooseStores sets the flag of the ClickHouse database from those of the source and the target.
func chooseStores(flags *pflag.FlagSet, from, to string) (toLocal bool, err error) {
	isURL := func(s string) bool { return s != "" && s != config.LocalStore }
	switch {
	case from == "" && to == "":
		return false, wrongUsage("the command needs --from or --to")
	case isURL(from) && isURL(to), from == config.LocalStore && to == config.LocalStore:
		return false, wrongUsage("one of --from and --to must be local, and the other one the URL of a ClickHouse database")
	}
	for _, url := range []string{from, to} {
		if isURL(url) {
			if err := flags.Set("store", url); err != nil {
				return false, err
			}
		}
	}
	return isURL(from) || to == config.LocalStore, nil
}

func (p *program) printCopy(cfg config.Config, posts int64, toLocal bool) error {
	if p.json {
		return p.printJSON(struct {
			Posts int64 `json:"posts"`
		}{posts})
	}
	store, source := cfg.Store, "the directory posts in "+cfg.Data
	if toLocal {
		store, source = config.LocalStore, "the database"
	}
	fmt.Fprintf(p.out, "Copied %s. All of them are the same.\n", plural(int(posts), "post"))
	_, err := fmt.Fprintf(p.out, "Change the setting store to %s and start the service. Then remove %s.\n", store, clean(source))
	return err
}

// A copyProgress shows the progress of a copy: as a bar on a terminal, otherwise as a line now and then.
type copyProgress struct {
	out   io.Writer
	bar   bool
	stage string
	began time.Time // of the stage
	first int64     // posts that were done when the stage began
	drawn time.Time
}

// copyInterval is the time between two lines.
const copyInterval = 10 * time.Second

func (p *program) newCopyProgress() *copyProgress {
	_, isTerminal := terminal(p.err)
	return &copyProgress{out: p.err, bar: isTerminal}
}

// step shows the progress.
func (g *copyProgress) step(stage string, done, total int64) {
	isNew := stage != g.stage
	if isNew {
		g.stage, g.began, g.first = stage, time.Now(), done
	}
	interval := copyInterval
	if g.bar {
		interval = barInterval
	}
	if !isNew && time.Since(g.drawn) < interval && done < total {
		return
	}
	if !isNew && total == 0 {
		return
	}
	g.drawn = time.Now()
	text := stage
	if total > 0 {
		text += fmt.Sprintf(": %d of %d%s", done, total, g.rate(done, total))
	}
	if g.bar {
		fmt.Fprintf(g.out, "\r%s %s\x1b[K", drawBar(done, total), text)
		return
	}
	fmt.Fprintln(g.out, text)
}

// rate returns how many posts are done per second, and the time that is left.
func (g *copyProgress) rate(done, total int64) string {
	took := time.Since(g.began)
	if done == g.first || took <= 0 {
		return ""
	}
	perSecond := float64(done-g.first) / took.Seconds()
	left := time.Duration(float64(total-done) / perSecond * float64(time.Second))
	return fmt.Sprintf(", %.0f per second, %s left", perSecond, left.Round(time.Second))
}

// end removes the bar.
func (g *copyProgress) end() {
	if g.bar {
		fmt.Fprint(g.out, "\r\x1b[K")
	}
}
