package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/config"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

func TestNodesNeedTheSameSecret(t *testing.T) {
	store := kv.NewMemory()
	start := func(dir, secret string, accept bool) error {
		cfg := config.New()
		cfg.Data, cfg.ClusterName, cfg.NATSURL = dir, "c", "nats://n"
		if secret != "" {
			if err := os.WriteFile(cfg.SecretPath(), []byte(secret), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := catalog.Open(t.Context(), store, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return (&App{config: cfg, catalog: c, options: Options{AcceptSecret: accept}}).agreeOnSecret(t.Context())
	}
	expect := func(err error, want string) {
		t.Helper()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	first, second := strings.Repeat("1", 32), strings.Repeat("2", 32)
	expect(start(t.TempDir(), "", false), `does not exist, but all nodes of a cluster need the same secret. Create it once with "earshot cluster secret > secret.key"`)
	expect(start(t.TempDir(), first, false), "")
	expect(start(t.TempDir(), first, false), "")
	other := t.TempDir()
	expect(start(other, second, false), "the token secret in "+filepath.Join(other, "secret.key")+" is not the one of the other nodes")
	expect(start(t.TempDir(), second, true), "")
	expect(start(other, second, false), "")
}
