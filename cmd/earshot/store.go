package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/operate"
)

// storeFlags are the settings that locate the posts.
var storeFlags = []string{"store", "store-password-file", "store-ca-file", "store-cluster", "store-memory", "store-timeout", "log-level", "log-format"}

func (p *program) storeCommand() *cobra.Command {
	return group("store", "Manage the ClickHouse database with the posts", p.storeMigrateCommand(), p.storeCopyCommand())
}

// database returns the ClickHouse database of the settings, or nil if posts are in the data directory.
func (p *program) database(cfg config.Config) (*operate.StoreDatabase, error) {
	return operate.Database(cfg, operate.StoreOptions{Password: p.env("EARSHOT_STORE_PASSWORD", ""), Log: app.Logger(cfg, p.err)})
}

func (p *program) storeMigrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Create or update the tables in ClickHouse",
		Long: `Create the tables of Earshot in a ClickHouse database, or update them to the version
that this program needs. The database must exist. The command has no effect if the
tables are up to date, and continues if it was interrupted. Stop all nodes before you
update the tables. "earshot serve" creates them automatically in an empty database.

With --dry-run the command prints the statements and changes nothing. With
--store-cluster the tables are replicated and distributed to the servers of that
cluster. The password is in the file that --store-password-file names, or in
EARSHOT_STORE_PASSWORD.`,
		Args: cobra.NoArgs,
	}
	dryRun := cmd.Flags().Bool("dry-run", false, "print the statements and change nothing")
	open := p.addStoreFlags(cmd.Flags())
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		db, err := open()
		if err != nil {
			return err
		}
		defer db.Close()
		if *dryRun {
			_, _, err := db.Migrate(cmd.Context(), p.out)
			return err
		}
		before, after, err := db.Migrate(cmd.Context(), nil)
		if err != nil {
			return err
		}
		return p.printMigration(db.Name(), before, after)
	})
	return cmd
}

// addStoreFlags adds the flags that locate the posts, and returns a function that opens the database.
func (p *program) addStoreFlags(flags *pflag.FlagSet) (open func() (*operate.StoreDatabase, error)) {
	addFlags(flags, storeFlags)
	file := flags.String("config", "", "configuration `file`")
	return func() (*operate.StoreDatabase, error) {
		cfg, err := config.Load(flags, *file, p.environ)
		if err != nil {
			return nil, err
		}
		db, err := p.database(cfg)
		if err == nil && db == nil {
			err = wrongUsage("the command needs --store, the URL of a ClickHouse database")
		}
		return db, err
	}
}

func (p *program) printMigration(database string, before, after uint64) error {
	if p.json {
		return p.printJSON(struct {
			Database string `json:"database"`
			Before   uint64 `json:"before"`
			Version  uint64 `json:"version"`
		}{database, before, after})
	}
	switch {
	case before == after:
		fmt.Fprintf(p.out, "The tables of %s are up to date: version %d\n", database, after)
	case before == 0:
		fmt.Fprintf(p.out, "Created the tables of %s: version %d\n", database, after)
	default:
		fmt.Fprintf(p.out, "Updated the tables of %s from version %d to %d\n", database, before, after)
	}
	return nil
}

// checkStoreCommand returns a subcommand of check.
func (p *program) checkStoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Check that ClickHouse does what Earshot needs",
		Long: `Check on your servers that ClickHouse does what Earshot needs. The command works in a
database of its own, which has the name of the database in --store with _check at the
end: it creates the tables, stores, replaces, matches and deletes posts, compares the
results with those of an engine in memory, and removes the tables. With
--store-cluster it also checks that all replicas are active and have the same rows.
It does not touch the posts of an installation, and the service may be running.

Each step is printed on one line. The exit code is 0 if all steps succeed.`,
		Args: cobra.NoArgs,
	}
	open := p.addStoreFlags(cmd.Flags())
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		db, err := open()
		if err != nil {
			return err
		}
		defer db.Close()
		steps := []storeStep{}
		err = operate.CheckStore(cmd.Context(), db, func(s operate.StoreStep) {
			if steps = append(steps, newStoreStep(s)); !p.json {
				fmt.Fprintln(p.out, steps[len(steps)-1])
			}
		})
		if p.json {
			if err := p.printJSON(steps); err != nil {
				return err
			}
		}
		return err
	})
	return cmd
}

// A storeStep is the output for a step.
type storeStep struct {
	Step    string   `json:"step"`
	OK      bool     `json:"ok"`
	Details []string `json:"details"`
	Error   string   `json:"error,omitempty"`
	Seconds float64  `json:"seconds"`
}

func newStoreStep(s operate.StoreStep) storeStep {
	step := storeStep{Step: s.Name, OK: s.Err == nil, Details: append([]string{}, s.Details...), Seconds: s.Took.Seconds()}
	if s.Err != nil {
		step.Error = s.Err.Error()
	}
	return step
}

// String returns a line such as "ok      store posts (0.3 s): 14 queries have the right results".
func (s storeStep) String() string {
	result := "ok    "
	if !s.OK {
		result = "failed"
	}
	line := fmt.Sprintf("%s  %s (%s)", result, s.Step, time.Duration(s.Seconds*float64(time.Second)).Round(10*time.Millisecond))
	if len(s.Details) > 0 {
		line += ": " + strings.Join(s.Details, "; ")
	}
	return clean(line)
}
