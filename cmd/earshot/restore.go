package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/operate"
)

// restoreFlags are the settings that locate the data.
var restoreFlags = []string{
	"data", "nats-url", "nats-credentials", "nats-replicas", "cluster-name", "peers", "cluster-listen", "node-name", "secret-file",
	"store", "store-password-file", "store-ca-file", "store-cluster",
}

func (p *program) restoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore DIR",
		Short: "Restore a backup",
		Long: `Restore a backup to a data directory, which must be empty or not exist. Every file is
verified before anything is written. The service must not be running. After a failure
the directory is unusable until the same command succeeds.

With --nats-url everything except posts is restored to that NATS cluster, which must
have none of Earshot's streams. If the command fails, remove the streams JOURNAL,
DEADLETTERS, REALTIME, KV_catalog, KV_streams and KV_ledger before you run it again.

With --cluster-name and --peers everything except posts is restored to the empty
cluster of embedded servers. Copy secret.key from the backup to every node first, and
run "earshot cluster support" on all other nodes during the restore. If it fails,
remove the data directories of all nodes before you run it again.`,
		Args: cobra.ExactArgs(1),
	}
	addFlags(cmd.Flags(), restoreFlags)
	file := cmd.Flags().String("config", "", "configuration `file`")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		cfg, err := config.Load(cmd.Flags(), *file, p.environ)
		if err != nil {
			return err
		}
		cfg.LogLevel = "warn" // hide the messages of NATS during its start
		m, err := operate.Restore(cmd.Context(), args[0], cfg, app.Logger(cfg, p.err))
		if err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		return p.printBackup(cfg.Data, m)
	})
	return cmd
}

// addFlags defines flags for some of the settings.
func addFlags(flags *pflag.FlagSet, names []string) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	config.AddFlags(all)
	for _, name := range names {
		flags.AddFlag(all.Lookup(name))
	}
}
