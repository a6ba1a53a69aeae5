package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"earshot/internal/app"
	"earshot/internal/config"
)

func (p *program) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the service",
		Long: `Run the service until it is interrupted. The first start creates the user admin with
the password in EARSHOT_ADMIN_PASSWORD or, if that is not set, with a generated
password that is printed once.`,
		Args: cobra.NoArgs,
	}
	config.AddFlags(cmd.Flags())
	file := cmd.Flags().String("config", "", "configuration `file`")
	accept := cmd.Flags().Bool("accept-secret", false, "accept the secret of this node as the new one of the cluster, after it was replaced on all nodes")
	show := cmd.Flags().Bool("print-config", false, "print the effective settings and exit")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(cmd.Flags(), *file, p.environ)
		if err != nil {
			return err
		}
		if *show {
			return cfg.Print(p.out)
		}
		o := p.appOptions(cfg)
		o.AcceptSecret = *accept
		return app.Run(cmd.Context(), cfg, o, app.Hooks{})
	})
	return cmd
}

// appOptions returns the options that serve and demo share.
func (p *program) appOptions(cfg config.Config) app.Options {
	b := readBuild()
	return app.Options{
		Version:       b.Version,
		Commit:        b.Commit,
		AdminPassword: p.env("EARSHOT_ADMIN_PASSWORD", ""),
		SMTPPassword:  p.env("EARSHOT_SMTP_PASSWORD", ""),
		StorePassword: p.env("EARSHOT_STORE_PASSWORD", ""),
		ShowPassword: func(password string) {
			fmt.Fprintf(p.out, "Created user admin with password %s\n", password)
		},
		Log: app.Logger(cfg, p.err),
	}
}
