package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/operate"
)

func (p *program) repairCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "Repair damaged data",
		Long: `Recover everything that is readable in a damaged data directory. The command lists
what it will do and what is lost, and asks before it writes anything; with --yes it
does not ask. Damaged files are kept. The service must not be running, and does not
start until the repair has succeeded. After a failure, run the same command again.

The command rebuilds damaged files from their readable parts, uses quarantined
segments again if they are readable, recovers posts of damaged segments from the
journal and from a backup, and processes dead letters again. The next start stores
and matches the recovered posts.`,
		Args: cobra.NoArgs,
	}
	addFlags(cmd.Flags(), restoreFlags)
	file := cmd.Flags().String("config", "", "configuration `file`")
	yes := cmd.Flags().Bool("yes", false, "do not ask for confirmation")
	dir := cmd.Flags().String("backup", "", "recover posts from the backup in this `directory`, too")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(cmd.Flags(), *file, p.environ)
		if err != nil {
			return err
		}
		cfg.LogLevel = "warn" // hide the messages of NATS during its start
		result, err := operate.Repair(cmd.Context(), cfg, operate.RepairOptions{
			Backup: *dir,
			Open: func(ctx context.Context) (*operate.Engines, error) {
				return app.OpenEngines(ctx, cfg, p.env("EARSHOT_STORE_PASSWORD", ""), app.Logger(cfg, p.err))
			},
			Confirm: func(plan *operate.RepairPlan) (bool, error) { return p.confirmRepair(plan, *yes) },
		})
		switch {
		case errors.Is(err, operate.ErrNotConfirmed):
			return err
		case err != nil:
			return fmt.Errorf("repair: %w", err)
		}
		return p.printRepair(cfg, result)
	})
	return cmd
}

// confirmRepair prints a plan and asks whether to continue.
func (p *program) confirmRepair(plan *operate.RepairPlan, yes bool) (bool, error) {
	out := p.err // standard output has only the result
	for _, r := range plan.Repairs {
		fmt.Fprintf(out, "%s: %s\n", r.Part, clean(r.Summary))
		for _, lost := range r.Lost {
			fmt.Fprintf(out, "  lost: %s\n", clean(lost))
		}
		if len(r.Lost) == 0 {
			fmt.Fprintln(out, "  nothing is lost")
		}
	}
	if len(plan.Quarantined) > 0 {
		fmt.Fprintf(out, "posts: recover the readable posts of the quarantined segments %s\n", strings.Join(plan.Quarantined, ", "))
	}
	if plan.DeadLetters > 0 {
		fmt.Fprintf(out, "dead letters: process %d again\n", plan.DeadLetters)
	}
	if len(plan.Repairs) > 0 {
		fmt.Fprintln(out, "posts, dead letters: recover posts of quarantined segments and process dead letters again, if there are any")
	}
	if plan.Interrupted {
		fmt.Fprintln(out, "An earlier repair was interrupted. This one continues it.")
	}
	if yes {
		return true, nil
	}
	if _, ok := terminal(p.in); !ok {
		fmt.Fprintln(out, "Run the command with --yes to repair.")
		return false, nil
	}
	fmt.Fprint(out, "Continue? [y/N] ")
	answer, err := bufio.NewReader(p.in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return err == nil && (answer == "y" || answer == "yes"), nil
}

func (p *program) printRepair(cfg config.Config, r *operate.RepairResult) error {
	if p.json {
		lost := r.Lost
		if lost == nil {
			lost = []string{}
		}
		return p.printJSON(struct {
			Directory      string   `json:"directory"`
			Repairs        int      `json:"repairs"`
			RecoveredPosts int64    `json:"recoveredPosts"`
			LostPosts      int64    `json:"lostPosts"`
			DeadLetters    int      `json:"deadLetters"`
			Lost           []string `json:"lost"`
		}{cfg.Data, len(r.Plan.Repairs), r.RecoveredPosts, r.LostPosts, r.DeadLetters, lost})
	}
	if r.Nothing() {
		fmt.Fprintf(p.out, "Nothing to repair in %s\n", cfg.Data)
		return nil
	}
	for _, repair := range r.Plan.Repairs {
		fmt.Fprintf(p.out, "%s: done: %s\n", repair.Part, clean(repair.Summary))
	}
	if r.RecoveredPosts > 0 || r.LostPosts > 0 {
		fmt.Fprintf(p.out, "posts: %d recovered, %d lost\n", r.RecoveredPosts, r.LostPosts)
	}
	if r.DeadLetters > 0 {
		fmt.Fprintf(p.out, "dead letters: %d will be processed again\n", r.DeadLetters)
	}
	for _, lost := range r.Lost {
		fmt.Fprintf(p.out, "lost: %s\n", clean(lost))
	}
	if len(r.Lost) == 0 && r.LostPosts == 0 {
		fmt.Fprintln(p.out, "Nothing is lost.")
	}
	_, err := fmt.Fprintln(p.out, "Start the service to finish. Damaged files are kept in the directories named damaged.")
	return err
}
