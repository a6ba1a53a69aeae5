package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRepair(t *testing.T) {
	data := storedData(t)
	run := func(args ...string) result {
		t.Helper()
		return world{}.run(t.Context(), "http://nobody.invalid", append([]string{"repair", "--data", data}, args...)...)
	}
	if got, want := run(), (result{exitOK, fmt.Sprintf("Nothing to repair in %s\n", data), ""}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	secret := filepath.Join(data, "secret.key")
	if err := os.Remove(secret); err != nil {
		t.Fatal(err)
	}
	const plan = "secret: create a new secret in %s\n  lost: all tokens and sessions\n"
	got := run()
	if got.code != exitFailed || got.out != "" || !strings.HasPrefix(got.err, fmt.Sprintf(plan, secret)) ||
		!strings.HasSuffix(got.err, "Run the command with --yes to repair.\nearshot: nothing was changed\n") {
		t.Errorf("got %+v, want the plan", got)
	}
	if _, err := os.Stat(secret); err == nil {
		t.Error("the repair was not confirmed, but it created the secret")
	}
	got = run("--yes", "--json")
	if got.code != exitOK || !strings.Contains(got.out, `"lost": [
    "all tokens and sessions"
  ]`) {
		t.Errorf("got %+v, want that tokens are lost", got)
	}
	if got := run(); got.code != exitOK || !strings.HasPrefix(got.out, "Nothing to repair") {
		t.Errorf("got %+v after the repair", got)
	}
	missing := filepath.Join(data, "missing")
	got = run("--backup", missing)
	if got.code != exitFailed || !strings.HasPrefix(got.err, "earshot: repair: open "+missing) {
		t.Errorf("got %+v, want that there is no backup", got)
	}
}
