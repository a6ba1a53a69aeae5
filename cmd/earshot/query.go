package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// queryCommand returns the commands that test queries. They need no server.
func (p *program) queryCommand() *cobra.Command {
	return group("query", "Check and try queries, without a server", p.lintCommand(), p.matchCommand())
}

func (p *program) lintCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint FILE|-",
		Short: "Say what is wrong with a query",
		Long: `Say what is wrong with the query in a file, or on standard input for -: errors,
what may not be meant as it stands, what the strict mode would refuse, and the
normal form. It fails when the query is not valid.`,
		Args: cobra.ExactArgs(1),
	}
	strict := cmd.Flags().Bool("strict", false, "refuse what the stricter tools refuse, such as AND and OR mixed without parentheses")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		return untilStopped(cmd.Context(), func() error {
			text, err := p.readQuery(args[0])
			if err != nil {
				return err
			}
			return p.printLint(text, *strict)
		})
	})
	return cmd
}

// untilStopped runs do, but returns once ctx ends, because a read from a terminal cannot be
// canceled.
func untilStopped(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxQueryBytes limits the bytes read from a file. It exceeds the maximum length of a query, so
// Lint can report a query that is too long.
const maxQueryBytes = 1 << 20

// readQuery reads a file, or standard input for "-".
func (p *program) readQuery(name string) (string, error) {
	in, err := p.openInput(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxQueryBytes))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	const byteOrderMark = "\ufeff"
	return strings.TrimRightFunc(strings.TrimPrefix(string(data), byteOrderMark), unicode.IsSpace), nil
}
