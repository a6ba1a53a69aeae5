package main

import (
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

func (p *program) sourceOPMLCommand() *cobra.Command {
	return group("opml", "Export and import the feeds of a source as OPML", p.opmlExportCommand(), p.opmlImportCommand())
}

func (p *program) opmlExportCommand() *cobra.Command {
	return p.command("export ID", "Print the feeds of a source as OPML", func(cmd *cobra.Command, args []string) error {
		list, err := p.client().Download(cmd.Context(), client.Request{Method: http.MethodGet, Path: liveSources.one(args[0], "opml")})
		if err != nil {
			return err
		}
		defer list.Close()
		_, err = io.Copy(p.out, list)
		return err
	})
}

func (p *program) opmlImportCommand() *cobra.Command {
	return p.command("import ID FILE", "Add the feeds of an OPML file to a source; - reads standard input", func(cmd *cobra.Command, args []string) error {
		in := p.in
		if args[1] != "-" {
			f, err := os.Open(args[1])
			if err != nil {
				return err
			}
			defer f.Close()
			in = f
		}
		list, err := io.ReadAll(io.LimitReader(in, maxBodyBytes+1))
		switch {
		case err != nil:
			return fmt.Errorf("read %s: %w", args[1], err)
		case len(list) > maxBodyBytes:
			return fmt.Errorf("%s is larger than %d bytes", args[1], maxBodyBytes)
		}
		changed, err := p.client().Send(cmd.Context(), client.Request{Method: http.MethodPost, Path: liveSources.one(args[0], "opml")}, "text/x-opml", list)
		if err != nil {
			return err
		}
		return p.printSource(changed)
	})
}
