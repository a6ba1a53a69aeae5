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
	return group("query", "Check and test queries, without a server", p.lintCommand(), p.matchCommand())
}

func (p *program) lintCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint FILE|-",
		Short: "Check a query for errors and warnings",
		Long: `Check the query in a file, or on standard input for -. Prints errors, warnings about
likely mistakes, what strict mode would reject, and the normal form. The command
fails if the query is invalid.`,
		Args: cobra.ExactArgs(1),
	}
	strict := cmd.Flags().Bool("strict", false, "reject what stricter tools reject, such as AND and OR mixed without parentheses")
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
