package main

import (
	"strings"
	"testing"

	"earshot/internal/poststore/clickhouse/chtest"
	"earshot/internal/test/testenv"
)

// storeURL returns the URL of a new database.
func storeURL(t *testing.T) string {
	t.Helper()
	testenv.SkipUnderRace(t)
	s := chtest.Open(t)
	return "clickhouse://" + strings.TrimPrefix(s.URL, "http://") + "/" + s.Database
}

func TestStoreMigrate(t *testing.T) {
	url := storeURL(t)
	name := url[strings.LastIndex(url, "/")+1:]
	f := func(want string, args ...string) {
		t.Helper()
		got := world{}.run(t.Context(), "", append([]string{"store", "migrate", "--store", url}, args...)...)
		if got.code != exitOK || !strings.Contains(got.out, want) {
			t.Errorf("%v: got %+v, want %s", args, got, want)
		}
	}
	f("CREATE TABLE IF NOT EXISTS posts", "--dry-run")
	f("Created the tables of " + name + ": version 1\n")
	f("The tables of " + name + " are up to date: version 1\n")
	f(`"before": 1`, "--json")
}

func TestCheckStore(t *testing.T) {
	got := world{}.run(t.Context(), "", "check", "store", "--store", storeURL(t))
	if lines := strings.Split(strings.TrimSpace(got.out), "\n"); got.code != exitOK || len(lines) != 11 || strings.Contains(got.out, "failed") {
		t.Errorf("got %d lines and %+v, want 11 steps that succeed", len(lines), got)
	}
	missing := storeURL(t) + "_missing"
	got = world{}.run(t.Context(), "", "check", "store", "--store", missing)
	if got.code != exitFailed || !strings.HasPrefix(got.out, "failed  connect") || !strings.Contains(got.err, "does not exist; create it") {
		t.Errorf("a missing database: got %+v", got)
	}
}

func TestStoreCommandsNeedADatabase(t *testing.T) {
	for _, args := range [][]string{{"store", "migrate"}, {"check", "store"}, {"store", "migrate", "--store", "local"}} {
		got := world{}.run(t.Context(), "", args...)
		if got.code != exitUsage || !strings.Contains(got.err, "needs --store") {
			t.Errorf("%v: got %+v", args, got)
		}
	}
	got := world{}.run(t.Context(), "", "store", "migrate", "--store", "clickhouse://u:secret@h/d")
	if got.code != exitFailed || strings.Contains(got.out+got.err, "secret") {
		t.Errorf("a password in the URL: got %+v", got)
	}
}
