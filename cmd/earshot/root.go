package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"earshot/internal/config"
	"earshot/internal/http/client"
)

// A program is the command line with its environment.
type program struct {
	in       io.Reader
	out, err io.Writer
	environ  []string
	cacheDir func() (string, error)
	wait     func(context.Context, time.Duration) error // nil: real time

	// interactive treats standard input as a terminal, for tests.
	interactive bool

	server, token string
	json          bool // print responses as JSON

	// started is set once a command has parsed its arguments. Errors before that are usage errors.
	started bool
}

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// A usageError is a command line error that the command itself detects, not the flag parser.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func wrongUsage(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// run executes one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	root := p.root()
	explainArguments(root)
	root.SetArgs(config.JoinBooleans(args))
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(p.err, "earshot:", err)
	var usage *usageError
	if p.started && !errors.As(err, &usage) {
		return exitFailed
	}
	fmt.Fprintf(p.err, "Try '%s --help'.\n", cmd.CommandPath())
	return exitUsage
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "earshot",
		Short:         "Self-hosted social listening and analytics",
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	flags := root.PersistentFlags()
	flags.StringVar(&p.server, "server", p.env("EARSHOT_SERVER", "http://127.0.0.1:8080"), "`address` of the server (EARSHOT_SERVER)")
	flags.StringVar(&p.token, "token", "", "`token` to authenticate with (EARSHOT_TOKEN)")
	flags.BoolVar(&p.json, "json", false, "print results as JSON")
	root.AddCommand(
		p.serveCommand(),
		p.demoCommand(),
		p.versionCommand(),
		p.loginCommand(),
		p.resourceCommand(teams),
		p.resourceCommand(users),
		p.monitorCommand(),
		p.resourceCommand(filters),
		p.labelCommand(),
		p.streamCommand(),
		p.signalCommand(),
		p.ruleCommand(),
		p.reportCommand(),
		p.resourceCommand(feeds),
		p.sourceCommand(),
		p.channelCommand(),
		p.authorCommand(),
		p.contractCommand(),
		p.clusterCommand(),
		p.importCommand(),
		p.backupCommand(),
		p.restoreCommand(),
		p.checkCommand(),
		p.storeCommand(),
		p.repairCommand(),
		p.queryCommand(),
		p.modelsCommand(),
		p.evalCommand(),
		p.benchCommand(),
	)
	return root
}

// group returns a command that only has subcommands.
func group(name, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return wrongUsage("%s requires a command", cmd.CommandPath())
		},
	}
	g.AddCommand(commands...)
	return g
}

// command returns a command whose usage line names its arguments.
func (p *program) command(use, short string, do func(cmd *cobra.Command, args []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: p.action(do)}
	if n := len(argumentNames(use)); n > 0 {
		cmd.Args = cobra.ExactArgs(n)
	}
	return cmd
}

// explainArguments makes every command say which arguments are missing, by the names in its usage.
func explainArguments(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		explainArguments(c)
	}
	check, names := cmd.Args, argumentNames(cmd.Use)
	if check == nil || len(names) == 0 {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		switch {
		case err == nil:
			return nil
		case len(args) >= len(names):
			return wrongUsage("unexpected argument %q; the command takes %s", args[len(names)], strings.Join(names, " "))
		}
		hint := ""
		if list, _, _ := cmd.Parent().Find([]string{"list"}); list.Name() == "list" && names[len(args)] == "ID" {
			hint = fmt.Sprintf("; '%s' prints the IDs", list.CommandPath())
		}
		return wrongUsage("missing argument %s%s", strings.Join(names[len(args):], " and "), hint)
	}
}

// argumentNames returns the names of the positional arguments in a usage line, without flags and their
// values.
func argumentNames(use string) (names []string) {
	words := strings.Fields(use)[1:]
	for i := 0; i < len(words) && !strings.ContainsAny(words[i], "[{"); i++ {
		if strings.HasPrefix(words[i], "--") {
			i++
			continue
		}
		names = append(names, words[i])
	}
	return names
}

// action returns the RunE function of a command.
func (p *program) action(do func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		p.started = true
		return do(cmd, args)
	}
}

func (p *program) client() *client.Client {
	token := p.token
	if token == "" { // not the default of the flag, which the help would print
		token = p.env("EARSHOT_TOKEN", "")
	}
	return &client.Client{Server: p.server, Token: token, HTTP: client.NewHTTP(), Wait: p.wait}
}

// env returns the value of an environment variable, or fallback if it is empty or not set.
func (p *program) env(name, fallback string) string {
	value := fallback
	for _, pair := range p.environ {
		if n, v, _ := strings.Cut(pair, "="); n == name && v != "" {
			value = v
		}
	}
	return value
}
