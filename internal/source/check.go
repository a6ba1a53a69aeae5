package source

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/secret/vault"
	"earshot/internal/state/kv"
)

const (
	maxSettingsBytes = 768 << 10 // NATS servers accept messages of up to 1 MB by default
	maxSecretBytes   = 8 << 10
	maxRetentionDays = 36_500

	// rulesSetting holds the version of the rules that a person has accepted.
	rulesSetting = "accepted_rules"

	// folderKind reads files on the server.
	folderKind = "folder"

	sampleTimeout = 20 * time.Second
	maxSample     = 100
)

// DemoSetting marks the sources of the demo, whose posts are made up. Only the kinds of the demo have
// the setting, and only they run such a source.
const DemoSetting = "demo"

// check validates a source and returns its kind.
func (s *Service) check(c *earshot.Caller, src *earshot.LiveSource, secret string) (*connector.Kind, error) {
	if _, ok := s.Catalog.Teams.Find(src.Team); !ok {
		return nil, earshot.Errorf(earshot.NotFound, "Team %d does not exist", src.Team)
	}
	k, err := s.checkKind(c, src, secret)
	if err != nil {
		return nil, err
	}
	if err := earshot.CheckText("name", src.Name, 1, 200); err != nil {
		return nil, err
	}
	if src.Keep == "" {
		src.Keep = k.Keep
	}
	if role := k.WithDefaults(nil)[DemoSetting]; role != "" && src.Settings[DemoSetting] == "" {
		src.Settings[DemoSetting] = role // stored, so that it stays marked outside of the demo
	}
	if src.Keep != earshot.KeepMatched && src.Keep != earshot.KeepAll {
		return nil, earshot.InvalidBody("keep must be %s or %s", earshot.KeepMatched, earshot.KeepAll)
	}
	if src.RetentionDays < 0 || src.RetentionDays > maxRetentionDays {
		return nil, earshot.InvalidBody("retentionDays must be between 0 and %d", maxRetentionDays)
	}
	return k, nil
}

// checkKind validates what a connector needs: kind, settings and secret.
func (s *Service) checkKind(c *earshot.Caller, src *earshot.LiveSource, secret string) (*connector.Kind, error) {
	k := s.kind(src.Kind)
	if k == nil {
		var names []string
		for _, k := range s.Kinds {
			names = append(names, k.Name)
		}
		return nil, earshot.InvalidBody("kind '%s' is unknown; the kinds are %s", earshot.Clip(src.Kind, 100), listNames(names))
	}
	if k.Name == folderKind && !c.Admin() {
		return nil, earshot.Errorf(earshot.Forbidden, "Only administrators may add or change folders, because the server reads them")
	}
	if err := checkSettings(k, src.Settings); err != nil {
		return nil, err
	}
	for _, set := range k.Settings {
		if value := src.Settings[set.Name]; set.Admin && value != "" && value != set.Default && !c.Admin() {
			return nil, earshot.Errorf(earshot.Forbidden, "Only administrators may add or change sources with the setting '%s', because it changes posts that all teams can see. Remove the setting", set.Name)
		}
	}
	switch {
	case k.Secret == "" && secret != "":
		return nil, earshot.InvalidBody("sources of the kind '%s' have no secret", k.Name)
	case len(secret) > maxSecretBytes || !utf8.ValidString(secret):
		return nil, earshot.InvalidBody("the secret must be text of at most %d bytes", maxSecretBytes)
	}
	if k.Check != nil {
		if err := k.Check(k.WithDefaults(src.Settings), secret); err != nil {
			return nil, asInvalid(err, secret)
		}
	}
	return k, nil
}

// checkSettings checks that settings are known and have allowed values, and that none is missing.
func checkSettings(k *connector.Kind, settings map[string]string) error {
	total := 0
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := settings[name]
		total += len(name) + len(value)
		if name == rulesSetting && k.Rules != nil {
			continue
		}
		i := slices.IndexFunc(k.Settings, func(s connector.Setting) bool { return s.Name == name })
		if i < 0 {
			return earshot.InvalidBody("setting '%s' is unknown; the settings of the kind '%s' are %s", earshot.Clip(name, 100), k.Name, listNames(settingNames(k)))
		}
		known := k.Settings[i]
		if known.Options != nil && !slices.Contains(known.Options, value) {
			return earshot.InvalidBody("setting '%s' must be one of: %s", name, listNames(known.Options))
		}
		if !utf8.ValidString(value) || !known.Long && strings.ContainsAny(value, "\r\n") {
			return earshot.InvalidBody("setting '%s' must be one line of text", name)
		}
	}
	if total > maxSettingsBytes {
		return earshot.Errorf(earshot.TooLarge, "The settings have %d bytes; at most %d are allowed. Please split them into several sources", total, maxSettingsBytes)
	}
	for _, known := range k.Settings {
		if known.Required && settings[known.Name] == "" && known.Default == "" {
			return earshot.InvalidBody("setting '%s' is missing", known.Name)
		}
	}
	return nil
}

func settingNames(k *connector.Kind) (names []string) {
	for _, s := range k.Settings {
		names = append(names, s.Name)
	}
	return names
}

func listNames(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// asInvalid converts an error from a connector to one that is shown to the caller.
func asInvalid(err error, secret string) error {
	if e := (*earshot.Error)(nil); errors.As(err, &e) {
		return err
	}
	return earshot.InvalidBody("%s", vault.Redact(explain(err), secret))
}

// checkRules returns an error unless the caller has accepted the current rules of a server.
func (s *Service) checkRules(ctx context.Context, k *connector.Kind, src *earshot.LiveSource, secret string) error {
	if k.Rules == nil {
		return nil
	}
	rules, err := s.readRules(ctx, k, src, secret)
	if err != nil {
		return err
	}
	if rules != nil && src.Settings[rulesSetting] != rules.Version {
		return earshot.InvalidBody("the rules of the server must be accepted: read them, and set %s to '%s'", rulesSetting, rules.Version)
	}
	return nil
}

// readRules reads the rules of a server. It returns nil if there are none.
func (s *Service) readRules(ctx context.Context, k *connector.Kind, src *earshot.LiveSource, secret string) (*connector.Rules, error) {
	ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	env := s.env(k, src, secret)
	env.Store = kv.NewMemory()
	rules, err := k.Rules(ctx, env)
	if err != nil {
		return nil, unprocessable(err, secret)
	}
	if rules.Version == "" {
		return nil, nil
	}
	return &rules, nil
}

// unprocessable converts an error from a network to one that is shown to the caller.
func unprocessable(err error, secret string) error {
	if e := (*earshot.Error)(nil); errors.As(err, &e) {
		return err
	}
	return earshot.Errorf(earshot.Unprocessable, "%s", upperFirst(vault.Redact(explain(err), secret)))
}

// Rules returns the rules that must be accepted before a source with these settings is added. It
// returns nil if the kind has none.
func (s *Service) Rules(ctx context.Context, c *earshot.Caller, src earshot.LiveSource, secret string) (*connector.Rules, error) {
	k, secret, err := s.draft(c, &src, secret)
	if err != nil || k.Rules == nil {
		return nil, err
	}
	return s.readRules(ctx, k, &src, secret)
}

// Test connects with the given settings and returns up to n posts. It stores nothing. src may have
// the ID of an existing source, whose settings and secret complete those of src.
func (s *Service) Test(ctx context.Context, c *earshot.Caller, src earshot.LiveSource, secret string, n int) ([]earshot.Post, error) {
	k, secret, err := s.draft(c, &src, secret)
	if err != nil {
		return nil, err
	}
	if err := s.checkRules(ctx, k, &src, secret); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	env := s.env(k, &src, secret)
	env.Store = kv.NewMemory() // discarded
	n = min(max(n, 1), maxSample)
	posts, err := sample(ctx, k, env, n)
	if err != nil {
		return nil, unprocessable(err, secret)
	}
	return posts[:min(len(posts), n)], nil
}

// sample calls the connector and turns a panic into an error.
func sample(ctx context.Context, k *connector.Kind, env connector.Env, n int) (posts []earshot.Post, err error) {
	defer func() {
		if p := recover(); p != nil {
			env.Log.Error("panic in a connector", "panic", p)
			err = errors.New("internal error; see the log for details")
		}
	}()
	return k.New(env).Sample(ctx, n)
}

// draft completes and validates a source that is not stored, and returns its kind and secret.
func (s *Service) draft(c *earshot.Caller, src *earshot.LiveSource, secret string) (*connector.Kind, string, error) {
	src.Settings = trimmed(src.Settings)
	if src.ID != 0 {
		old, err := s.manage(c, src.ID)
		if err != nil {
			return nil, "", err
		}
		src.Team, src.Name, src.Kind, src.ContentSource = old.Team, old.Name, old.Kind, old.ContentSource
		src.Settings = merged(old.Settings, src.Settings)
		if secret == "" {
			if err := keepsSecret(old, src.Settings); err != nil {
				return nil, "", err
			}
			if secret, err = s.decrypt(old.ID, old.Secret); err != nil {
				return nil, "", earshot.Errorf(earshot.Invalid, "%s", upperFirst(err.Error()))
			}
		}
	}
	if !c.In(src.Team) || !c.May(earshot.ContentPermission) {
		return nil, "", earshot.ErrAccessDenied
	}
	k, err := s.checkKind(c, src, secret)
	return k, secret, err
}
