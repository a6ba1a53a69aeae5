package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

func (p *program) loginCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "login --username NAME",
		Short: "Sign in and print a token",
		Long: `Sign in and print a token for EARSHOT_TOKEN or --token. The password is read from
EARSHOT_PASSWORD or, if that is not set, from standard input.`,
		Args: cobra.NoArgs,
	}
	username := cmd.Flags().String("username", "", "user `name`")
	permanent := cmd.Flags().Bool("no-expiration", false, "return the token that does not expire")
	force := cmd.Flags().Bool("force", false, "with --no-expiration: replace that token and revoke the old one")
	if err := cmd.MarkFlagRequired("username"); err != nil {
		panic(err) // the flag is defined above
	}
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		password, err := p.password(cmd.Context())
		if err != nil {
			return err
		}
		c := p.client()
		c.Token = "" // an expired token must not prevent a login
		answer, err := c.Call(cmd.Context(), client.Request{
			Method: http.MethodPost,
			Path:   "/manage/v1/tokens",
			Body:   body{"username": *username, "password": password, "noExpiration": *permanent, "force": *force},
		})
		if err != nil {
			return err
		}
		return p.printToken(answer)
	})
	return cmd
}

// printToken prints only the token, so scripts can use the output.
func (p *program) printToken(response json.RawMessage) error {
	if p.json {
		return p.printJSON(response)
	}
	var token struct{ Auth string }
	if err := json.Unmarshal(response, &token); err != nil || token.Auth == "" {
		return errors.New("the response contains no token")
	}
	_, err := fmt.Fprintln(p.out, token.Auth)
	return err
}

// maxPasswordBytes limits the input read for a password.
const maxPasswordBytes = 4096

// password returns the password from the environment, or the first line of standard input. On a
// terminal it prompts and hides the input.
func (p *program) password(ctx context.Context) (string, error) {
	if password := p.env("EARSHOT_PASSWORD", ""); password != "" {
		return password, nil
	}
	if fd, ok := terminal(p.in); ok {
		fmt.Fprint(p.err, "Password: ")
		defer fmt.Fprintln(p.err)
		show, err := hideInput(fd)
		if err != nil {
			return "", fmt.Errorf("cannot hide the input (set EARSHOT_PASSWORD instead): %w", err)
		}
		defer show()
	}
	line, err := firstLine(ctx, io.LimitReader(p.in, maxPasswordBytes))
	if err != nil {
		return "", err
	}
	if line == "" {
		return "", errors.New("no password: set EARSHOT_PASSWORD or pass it on standard input")
	}
	return line, nil
}

// firstLine reads a line. It returns early if ctx ends, because a read from a terminal cannot be
// canceled.
func firstLine(ctx context.Context, in io.Reader) (string, error) {
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	go func() {
		line, err := bufio.NewReader(in).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		read <- result{strings.TrimRight(line, "\r\n"), err}
	}()
	select {
	case r := <-read:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
