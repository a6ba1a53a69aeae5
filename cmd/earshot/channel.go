package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"earshot/internal/http/client"
)

// channels are where signals and reports are sent.
var channels = resource{
	noun:     "channel",
	path:     "channels",
	by:       "team",
	about:    "Manage channels: where signals and reports are sent",
	columns:  []string{"id", "name", "kind", "target", "enabled", "waiting", "failed", "lastSent", "lastError"},
	commands: []string{"list"},
	operations: []operation{
		{
			name: "rotate", method: http.MethodPost, path: "/secret", short: "Replace the signing key of a webhook",
			long: "Replace the signing key of a webhook. The old key signs along for 24 hours.",
		},
		{name: "enable", short: "Enable a channel", method: http.MethodPatch, body: body{"enabled": true}},
		{name: "disable", short: "Disable a channel; what waits for it is not sent", method: http.MethodPatch, body: body{"enabled": false}},
	},
	print: (*program).printChannel,
}

func (p *program) channelCommand() *cobra.Command {
	return p.resourceCommand(channels,
		p.channelAddCommand(), p.channelTestCommand(), p.channelLogCommand(), p.channelRetryCommand(), p.channelRemoveCommand())
}

// channelFlags are the flags of channel add.
type channelFlags struct {
	name, team             string
	url, urlFile           string
	urlStdin               bool
	tokenFile              string
	username, passwordFile string
	recipients             []string
	template               string
	perHour                int
}

func (p *program) channelAddCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add KIND --name NAME --team TEAM",
		Short: "Add a channel: email, webhook, slack, teams, discord or ntfy",
		Long: `Add a channel. Rules and reports can then send to it.

The address of a chat service is a secret: whoever has it can post to the channel. It
is read from --url-file, from standard input with --url-stdin, or from
EARSHOT_CHANNEL_URL. It is stored encrypted and never shown again. The signing key of
a webhook is generated and printed once.`,
		Example: `  earshot channel add email --name Newsroom --team Acme --recipients ann@example.com,bob@example.com
  earshot channel add slack --name '#alerts' --team Acme --url-file slack-url
  earshot channel add webhook --name Robot --team Acme --url https://example.com/hook
  earshot channel add ntfy --name Phone --team Acme --url-stdin --token-file ntfy-token`,
		Args: cobra.ExactArgs(1),
	}
	var f channelFlags
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.name, "name", "", "name; the kind by default")
	flags.StringVar(&f.team, "team", "", "`name or ID` of the team; may be omitted if there is only one")
	flags.StringSliceVar(&f.recipients, "recipients", nil, "`addresses` that email is sent to, separated by commas")
	flags.StringVar(&f.url, "url", "", "`address` to send to; it is visible in the process list, use --url-file to avoid that")
	flags.StringVar(&f.urlFile, "url-file", "", "`file` with the address to send to")
	flags.BoolVar(&f.urlStdin, "url-stdin", false, "read the address from standard input")
	flags.StringVar(&f.tokenFile, "token-file", "", "`file` with the access token of an ntfy server")
	flags.StringVar(&f.username, "username", "", "`user` name that a webhook or ntfy server requires")
	flags.StringVar(&f.passwordFile, "password-file", "", "`file` with the password for --username")
	flags.StringVar(&f.template, "template", "", "`file` with a template of the messages")
	flags.IntVar(&f.perHour, "per-hour", 0, "maximum `number` of messages per hour; 0 means the default")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error { return p.addChannel(cmd, args[0], &f) })
	return cmd
}

func (p *program) addChannel(cmd *cobra.Command, kind string, f *channelFlags) error {
	ctx, c := cmd.Context(), p.client()
	b := body{"kind": kind, "name": f.name}
	if f.name == "" {
		b["name"] = kind
	}
	address, err := p.channelURL(ctx, f)
	if err != nil {
		return err
	}
	if address != "" {
		b["url"] = address
	}
	for field, file := range map[string]string{"token": f.tokenFile, "password": f.passwordFile} {
		if file == "" {
			continue
		}
		if b[field], err = readSecretFile(file); err != nil {
			return err
		}
	}
	if f.template != "" {
		text, err := os.ReadFile(f.template)
		if err != nil {
			return err
		}
		b["template"] = string(text)
	}
	if f.username != "" {
		b["username"] = f.username
	}
	if len(f.recipients) > 0 {
		b["recipients"] = f.recipients
	}
	if f.perHour != 0 {
		b["perHour"] = f.perHour
	}
	team, err := findOrOnlyTeam(ctx, c, f.team)
	if err != nil {
		return err
	}
	b["team"] = json.Number(team)
	return p.callAndShow(cmd, channels, client.Request{Method: http.MethodPost, Path: channels.root(), Body: b})
}

// channelURL returns the address of a new channel, or "" if none is given.
func (p *program) channelURL(ctx context.Context, f *channelFlags) (address string, err error) {
	given := 0
	for _, is := range []bool{f.url != "", f.urlFile != "", f.urlStdin} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return "", wrongUsage("use one of --url, --url-file and --url-stdin")
	case f.url != "":
		return f.url, nil
	case f.urlFile != "":
		address, err = readSecretFile(f.urlFile)
	case f.urlStdin:
		address, err = p.readSecret(ctx)
	default:
		return p.env("EARSHOT_CHANNEL_URL", ""), nil
	}
	if err == nil && address == "" {
		err = errors.New("the address is empty")
	}
	return address, err
}

// printChannel prints a channel, and its signing key if it is new.
func (p *program) printChannel(raw json.RawMessage) error {
	type channel struct {
		ID                         int64
		Name, Kind, Target, Secret string
	}
	return printAs(p, raw, "the channel", func(c channel) error {
		if err := p.note("Channel %d %s (%s) sends to %s", c.ID, clean(c.Name), clean(c.Kind), clean(c.Target)); err != nil || c.Secret == "" {
			return err
		}
		return p.note("\nVerify signatures with this key. It is not shown again:\n\n%s", clean(c.Secret))
	})
}

// printAll prints all pages of a list.
func (p *program) printAll(ctx context.Context, c *client.Client, path string, query url.Values, columns ...string) error {
	var items []json.RawMessage
	for item, err := range c.List(ctx, path, query) {
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	return p.printList(columns, items)
}

func (p *program) channelTestCommand() *cobra.Command {
	cmd := p.command("test ID", "Send a test message to a channel", func(cmd *cobra.Command, args []string) error {
		sent, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodPost, Path: channels.one(args[0], "test")})
		if err != nil {
			return err
		}
		var d struct{ State, Error string }
		if err := json.Unmarshal(sent, &d); err != nil {
			return fmt.Errorf("read the delivery: %w", err)
		}
		if d.State != "sent" {
			return fmt.Errorf("the test message was not sent: %s", clean(d.Error))
		}
		if p.json {
			return p.printJSON(sent)
		}
		if d.Error != "" {
			return p.note("Sent a test message: %s", clean(d.Error))
		}
		return p.note("Sent a test message")
	})
	cmd.Long = "Send a test message to a channel and report whether it was accepted. It takes up to a minute."
	return cmd
}

func (p *program) channelLogCommand() *cobra.Command {
	return p.command("log ID", "List what was sent to a channel, newest first", func(cmd *cobra.Command, args []string) error {
		return p.printAll(cmd.Context(), p.client(), channels.one(args[0], "deliveries"), nil, "id", "created", "state", "attempts", "title", "error")
	})
}

func (p *program) channelRetryCommand() *cobra.Command {
	cmd := p.command("retry DELIVERY", "Send a message again that failed or was interrupted", func(cmd *cobra.Command, args []string) error {
		retried, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodPost, Path: client.Path("manage", "v1", "deliveries", args[0], "retry")})
		if err != nil {
			return err
		}
		if p.json {
			return p.printJSON(retried)
		}
		return p.note("Delivery %s will be sent now", args[0])
	})
	cmd.Long = "Send a message again that failed or was interrupted. The command log lists the IDs of deliveries.\nAn interrupted message may have arrived; it then arrives twice."
	return cmd
}

func (p *program) channelRemoveCommand() *cobra.Command {
	cmd := p.command("remove ID", "Remove a channel, also from rules and reports", func(cmd *cobra.Command, args []string) error {
		if _, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodDelete, Path: channels.one(args[0])}); err != nil {
			return err
		}
		return p.note("Removed channel %s", args[0])
	})
	cmd.Long = "Remove a channel, also from the rules and reports that use it. There is no confirmation, and it\ncannot be undone."
	return cmd
}
