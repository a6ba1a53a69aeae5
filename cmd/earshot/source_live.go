package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"earshot/internal/app"
	"earshot/internal/http/client"
)

// liveSources belong to the management API. Only list and show also handle content sources.
var liveSources = resource{
	noun:     "source",
	path:     "sources",
	about:    "Manage live sources and content sources",
	commands: []string{},
	operations: []operation{
		{name: "pause", short: "Pause a live source", method: http.MethodPatch, body: body{"paused": true}},
		{name: "resume", short: "Resume a paused live source where it stopped", method: http.MethodPatch, body: body{"paused": false}},
	},
	print: (*program).printSource,
}

// sourceFlags are the flags that describe a live source.
type sourceFlags struct {
	name, team, url, keep string
	retention             int
	set                   []string
	secretFile            string
	secretStdin           bool
	acceptRules           bool
}

// define defines the flags that add and edit have in common.
func (f *sourceFlags) define(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&f.name, "name", "", "name")
	f.defineSettings(flags)
	flags.StringVar(&f.keep, "keep", "", "which posts to store: matched (by a monitor) or all")
	flags.IntVar(&f.retention, "retention", 0, "delete posts this many `days` after they were published; 0 uses the configured retention")
	flags.BoolVar(&f.acceptRules, "accept-rules", false, "print the rules of the server and accept them")
}

// defineSettings defines the flags for settings and secrets.
func (f *sourceFlags) defineSettings(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "url", "", "`address` of the network, server or feed; same as --set url=ADDRESS")
	flags.StringArrayVar(&f.set, "set", nil, "a `setting=value` pair; can be repeated. An empty value removes the setting")
	flags.StringVar(&f.secretFile, "secret-file", "", "`file` with the token or password")
	flags.BoolVar(&f.secretStdin, "secret-stdin", false, "read the token or password from standard input")
}

// settings returns the settings of the flags.
func (f *sourceFlags) settings() (map[string]string, error) {
	settings := map[string]string{}
	for _, pair := range f.set {
		name, value, ok := strings.Cut(pair, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, wrongUsage("--set requires a setting and a value, such as --set hashtags=coffee, not %q", pair)
		}
		settings[name] = value
	}
	if f.url != "" {
		settings["url"] = f.url
	}
	return settings, nil
}

// secret returns the secret, and whether there is one. A secret is never the value of a flag, because
// other users of the machine can see the arguments of a program. The environment variable is
// ignored for an existing source, because it may be the secret of another one.
func (p *program) secret(ctx context.Context, f *sourceFlags, exists bool) (secret string, given bool, err error) {
	switch {
	case f.secretFile != "" && f.secretStdin:
		return "", false, wrongUsage("use either --secret-file or --secret-stdin")
	case f.secretFile != "":
		secret, err = readSecretFile(f.secretFile)
	case f.secretStdin:
		secret, err = p.readSecret(ctx)
	case !exists:
		secret = p.env("EARSHOT_SOURCE_SECRET", "")
		return secret, secret != "", nil
	default:
		return "", false, nil
	}
	if err == nil && secret == "" {
		err = fmt.Errorf("the secret is empty")
	}
	return secret, true, err
}

// A kindInfo is a kind of live sources.
type kindInfo struct {
	Name     string
	Rules    bool
	Receives bool
}

// findKind returns the kind with the given name.
func findKind(ctx context.Context, c *client.Client, name string) (kindInfo, error) {
	answer, err := c.Call(ctx, client.Request{Method: http.MethodGet, Path: "/manage/v1/source-kinds"})
	if err != nil {
		return kindInfo{}, err
	}
	var kinds struct{ Items []kindInfo }
	if err := json.Unmarshal(answer, &kinds); err != nil {
		return kindInfo{}, fmt.Errorf("read the kinds of sources: %w", err)
	}
	i := slices.IndexFunc(kinds.Items, func(k kindInfo) bool { return strings.EqualFold(k.Name, name) })
	if i < 0 {
		var names []string
		for _, k := range kinds.Items {
			names = append(names, k.Name)
		}
		return kindInfo{}, wrongUsage("unknown kind %q; the kinds are %s", name, strings.Join(names, ", "))
	}
	return kinds.Items[i], nil
}

func (p *program) sourceAddCommand() *cobra.Command {
	var names []string
	var kinds strings.Builder
	for _, k := range app.SourceKinds() {
		names = append(names, k.Name)
		fmt.Fprintf(&kinds, "  %-12s%s\n", k.Name, k.Description)
	}
	cmd := &cobra.Command{
		Use:   "add KIND --name NAME --team TEAM",
		Short: "Add a live source: " + strings.Join(names, ", "),
		Long: `Add a live source. It starts collecting posts immediately. The kinds are:

` + kinds.String() + `
The secret of a source, such as an access token, is read from --secret-file, from
standard input with --secret-stdin, or from EARSHOT_SOURCE_SECRET. It is stored
encrypted and never shown again. If you add a webhook
without a secret, one is generated and printed once.`,
		Example: `  earshot source add bluesky --name Bluesky --team Acme
  earshot source add feed --name Press --team Acme --url https://example.com/feed.xml
  earshot source add mastodon --name Fediverse --team Acme --url https://mastodon.example --set hashtags=coffee
  earshot source add webhook --name Shop --team Acme`,
		Args: cobra.ExactArgs(1),
	}
	var f sourceFlags
	cmd.Flags().StringVar(&f.team, "team", "", "`name or ID` of the team; may be omitted if there is only one")
	f.define(cmd.Flags())
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error { return p.addSource(cmd, args[0], &f) })
	return cmd
}

func (p *program) addSource(cmd *cobra.Command, kindName string, f *sourceFlags) error {
	ctx, c := cmd.Context(), p.client()
	settings, err := f.settings()
	if err != nil {
		return err
	}
	secret, _, err := p.secret(ctx, f, false)
	if err != nil {
		return err
	}
	kind, err := findKind(ctx, c, kindName)
	if err != nil {
		return err
	}
	team, err := findOrOnlyTeam(ctx, c, f.team)
	if err != nil {
		return err
	}
	generated := ""
	if kind.Receives && secret == "" {
		generated = newWebhookSecret()
		secret = generated
	}
	b := body{"team": json.Number(team), "kind": kind.Name, "settings": settings}
	if secret != "" {
		b["secret"] = secret
	}
	if kind.Rules {
		if err := p.acceptRules(ctx, c, b, settings, f.acceptRules); err != nil {
			return err
		}
	}
	b["name"] = f.name
	if f.name == "" {
		b["name"] = kind.Name
	}
	if f.keep != "" {
		b["keep"] = f.keep
	}
	if f.retention != 0 {
		b["retentionDays"] = f.retention
	}
	added, err := c.Call(ctx, client.Request{Method: http.MethodPost, Path: liveSources.root(), Body: b})
	if err != nil {
		return err
	}
	return p.printAdded(added, generated)
}

// printAdded prints a new source, and its secret if it was generated.
func (p *program) printAdded(added json.RawMessage, generated string) error {
	if generated != "" && p.json {
		text, err := json.Marshal(generated)
		if err != nil {
			return err
		}
		added = withFields(added, `"secret":`+string(text))
	}
	if err := p.printSource(added); err != nil || generated == "" {
		return err
	}
	return p.note("\nSend posts to the endpoint, using this secret as a bearer token or to sign requests. It is\nnot shown again:\n\n%s", generated)
}

// newWebhookSecret returns a new secret in the form of Standard Webhooks.
func newWebhookSecret() string {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(key)
}

func (p *program) sourceEditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "edit ID",
		Short: "Change a live source, or the domain of a content source",
		Long: "Change a live source. Values that are not given stay the same. The source restarts where it\nstopped.\n\n" +
			"--domain changes a content source instead. Its documents keep their scores until the models run\nagain; see earshot models refresh --all.",
		Args: cobra.ExactArgs(1),
	}
	var f sourceFlags
	f.define(cmd.Flags())
	domain := cmd.Flags().String("domain", "", domainUsage)
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("domain") {
			change := client.Request{Method: http.MethodPatch, Path: contentSources.one(args[0]), Body: body{"domain": *domain}}
			return p.callAndShow(cmd, contentSources, change)
		}
		b, err := p.sourceChange(cmd, args[0], &f)
		if err != nil {
			return err
		}
		return p.callAndShow(cmd, liveSources, client.Request{Method: http.MethodPatch, Path: liveSources.one(args[0]), Body: b})
	})
	return cmd
}

// sourceChange returns the body of a change with the flags that were given.
func (p *program) sourceChange(cmd *cobra.Command, id string, f *sourceFlags) (body, error) {
	settings, err := f.settings()
	if err != nil {
		return nil, err
	}
	secret, hasSecret, err := p.secret(cmd.Context(), f, true)
	if err != nil {
		return nil, err
	}
	b := body{}
	if f.acceptRules {
		tried := body{"id": json.Number(id), "settings": settings}
		if hasSecret {
			tried["secret"] = secret
		}
		if err := p.acceptRules(cmd.Context(), p.client(), tried, settings, true); err != nil {
			return nil, err
		}
	}
	if len(settings) > 0 {
		b["settings"] = settings
	}
	if hasSecret {
		b["secret"] = secret
	}
	for flag, value := range map[string]struct {
		field string
		value any
	}{"name": {"name", f.name}, "keep": {"keep", f.keep}, "retention": {"retentionDays", f.retention}} {
		if cmd.Flags().Changed(flag) {
			b[value.field] = value.value
		}
	}
	if len(b) == 0 {
		return nil, wrongUsage("nothing to change: set at least one flag")
	}
	return b, nil
}

func (p *program) sourceRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove ID",
		Short: "Remove a live source and, with --with-posts, its posts",
		Long:  "Remove a live source. Its posts are kept unless --with-posts is given. The command does not ask\nfor confirmation and cannot be undone.",
		Args:  cobra.ExactArgs(1),
	}
	withPosts := cmd.Flags().Bool("with-posts", false, "also delete the posts that the source delivered")
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		r := client.Request{Method: http.MethodDelete, Path: liveSources.one(args[0])}
		if *withPosts {
			r.Query = url.Values{"withPosts": {"true"}}
		}
		_, err := p.client().Call(cmd.Context(), r)
		switch {
		case isStatus(err, http.StatusNotFound):
			return fmt.Errorf("%w; a content source is deleted with earshot source delete %s", err, args[0])
		case err != nil:
			return err
		case *withPosts:
			return p.note("Removed source %s and its posts", args[0])
		}
		return p.note("Removed source %s", args[0])
	})
	return cmd
}

func (p *program) sourceTestCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test KIND|ID",
		Short: "Connect to a source and show up to five posts without storing anything",
		Long:  "Connect with the given settings, or with those of an existing source, and show up to five posts. Nothing\nis stored. It takes up to 20 seconds.",
		Args:  cobra.ExactArgs(1),
	}
	var f sourceFlags
	cmd.Flags().StringVar(&f.team, "team", "", "`name or ID` of the team; may be omitted if there is only one")
	f.defineSettings(cmd.Flags())
	cmd.RunE = p.action(func(cmd *cobra.Command, args []string) error {
		ctx, c := cmd.Context(), p.client()
		settings, err := f.settings()
		if err != nil {
			return err
		}
		secret, hasSecret, err := p.secret(ctx, &f, isNumber(args[0]))
		if err != nil {
			return err
		}
		b := body{"settings": settings}
		if hasSecret {
			b["secret"] = secret
		}
		if isNumber(args[0]) {
			b["id"] = json.Number(args[0])
		} else {
			team, err := findOrOnlyTeam(ctx, c, f.team)
			if err != nil {
				return err
			}
			b["team"], b["kind"] = json.Number(team), args[0]
		}
		sample, err := c.Call(ctx, client.Request{Method: http.MethodPost, Path: liveSources.root() + "/test", Body: b})
		if err != nil {
			return err
		}
		return p.printSample(sample)
	})
	return cmd
}
