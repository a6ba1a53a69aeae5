package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"earshot/internal/http/client"
)

// acceptRules prints the rules of a server and asks whether they are accepted, unless they already
// are. It then adds their version to the settings. source is the body of a request with the source.
func (p *program) acceptRules(ctx context.Context, c *client.Client, source body, settings map[string]string, accepted bool) error {
	answer, err := c.Call(ctx, client.Request{Method: http.MethodPost, Path: liveSources.root() + "/rules", Body: source})
	if err != nil {
		return err
	}
	var rules struct {
		Required     bool
		URL, Version string
		Items        []string
	}
	if err := json.Unmarshal(answer, &rules); err != nil {
		return fmt.Errorf("read the rules: %w", err)
	}
	if !rules.Required || settings[rulesSetting] == rules.Version {
		return nil
	}
	fmt.Fprintln(p.err, "The server requires everyone who reads it to follow its rules:")
	for i, rule := range rules.Items {
		fmt.Fprintf(p.err, "%3d. %s\n", i+1, clean(rule))
	}
	if rules.URL != "" {
		fmt.Fprintf(p.err, "See also %s\n", clean(rules.URL))
	}
	if !accepted {
		yes, err := p.confirm(ctx, "Do you accept these rules?")
		if err != nil {
			return fmt.Errorf("the rules were not accepted: read them, then add --accept-rules")
		}
		if !yes {
			return fmt.Errorf("the rules were not accepted; nothing was changed")
		}
	}
	settings[rulesSetting] = rules.Version
	return nil
}

// rulesSetting is the setting with the version of the accepted rules.
const rulesSetting = "accepted_rules"

// errNoTerminal means that nobody can be asked.
var errNoTerminal = fmt.Errorf("standard input is not a terminal")

// confirm asks a question on the terminal. It returns errNoTerminal if there is none.
func (p *program) confirm(ctx context.Context, question string) (bool, error) {
	if _, ok := terminal(p.in); !ok && !p.interactive {
		return false, errNoTerminal
	}
	fmt.Fprintf(p.err, "%s [y/N] ", question)
	line, err := firstLine(ctx, io.LimitReader(p.in, 100))
	if err != nil {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}

// maxSecretBytes limits the input read for a secret.
const maxSecretBytes = 8 << 10

// readSecretFile returns the secret in a file, without the line break at its end.
func readSecretFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecretBytes+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", name, err)
	case len(data) > maxSecretBytes:
		return "", fmt.Errorf("%s is longer than %d bytes", name, maxSecretBytes)
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}

// readSecret returns the first line of standard input. On a terminal it prompts and hides the input.
func (p *program) readSecret(ctx context.Context) (string, error) {
	if fd, ok := terminal(p.in); ok {
		fmt.Fprint(p.err, "Secret: ")
		defer fmt.Fprintln(p.err)
		show, err := hideInput(fd)
		if err != nil {
			return "", fmt.Errorf("cannot hide the input (use --secret-file instead): %w", err)
		}
		defer show()
	}
	return firstLine(ctx, io.LimitReader(p.in, maxSecretBytes))
}
