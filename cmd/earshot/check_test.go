package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/app"
	"earshot/internal/config"
)

// storedData returns a data directory with a user.
func storedData(t *testing.T) string {
	t.Helper()
	cfg := config.New()
	cfg.Data = t.TempDir()
	a, err := app.Open(t.Context(), cfg, app.Options{AdminPassword: "correct horse battery", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	return cfg.Data
}

func TestCheck(t *testing.T) {
	data := storedData(t)
	got := world{}.run(t.Context(), "http://nobody.invalid", "check", "--data", data)
	if got.code != exitOK || !strings.HasPrefix(got.out, "No damage found in ") || got.err != "" {
		t.Errorf("got %+v, want no damage", got)
	}
	got = world{}.run(t.Context(), "http://nobody.invalid", "check", "--data", data, "--json")
	var printed struct {
		Directory string
		Running   bool
		Bytes     int64
		Findings  []json.RawMessage
	}
	if err := json.Unmarshal([]byte(got.out), &printed); err != nil || printed.Directory != data || printed.Running || printed.Bytes == 0 || printed.Findings == nil {
		t.Errorf("got %s, %v, want the directory without findings", got.out, err)
	}

	secret := filepath.Join(data, "secret.key")
	if err := os.Remove(secret); err != nil {
		t.Fatal(err)
	}
	got = world{}.run(t.Context(), "http://nobody.invalid", "check", "--data", data)
	want := result{exitFailed, fmt.Sprintf("secret: %s: the file is missing: all tokens and sessions are invalid with another secret\n", secret),
		fmt.Sprintf("earshot: 1 problem found in %s\n", data)}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	missing := filepath.Join(data, "missing")
	got = world{}.run(t.Context(), "http://nobody.invalid", "check", "--data", missing)
	if want := (result{exitFailed, "", fmt.Sprintf("earshot: could not check %s: stat %s: no such file or directory\n", missing, missing)}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestFormatBytes(t *testing.T) {
	f := func(n int64, want string) {
		t.Helper()
		if got := formatBytes(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
	f(0, "0 bytes")
	f(999, "999 bytes")
	f(1000, "1.0 kB")
	f(99_400, "99.4 kB")
	f(999_400, "999 kB")
	f(999_600, "1.0 MB")
	f(1_234_000_000, "1.2 GB")
	f(5_000_000_000_000_000, "5000 TB")
}
