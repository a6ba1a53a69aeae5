package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/config"
	"earshot/internal/model/enrich"
	"earshot/internal/operate"
	"earshot/internal/picture"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chtest"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

// clickHouseConfig returns settings for posts in a new database.
func clickHouseConfig(t *testing.T) config.Config {
	t.Helper()
	testenv.SkipUnderRace(t)
	server := chtest.Open(t)
	cfg := testConfig(t)
	cfg.Store = "clickhouse://default@" + strings.TrimPrefix(server.URL, "http://") + "/" + server.Database
	return cfg
}

func openError(cfg config.Config) error {
	a, err := Open(context.Background(), cfg, testOptions(io.Discard))
	if err == nil {
		a.Close()
	}
	return err
}

func wantError(t *testing.T, name string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want %s", name, err, want)
	}
}

func TestPostsInClickHouse(t *testing.T) {
	cfg := clickHouseConfig(t)
	a := open(t, cfg, io.Discard)
	ready(t, a)
	f := newFixture(t, a)
	tok := token(t, a)
	for i := range 5 {
		f.upload(t, a, fmt.Sprint(i))
	}
	if got := f.volume(t, a); got != "5" {
		t.Errorf("got %s documents, want 5", got)
	}
	if code, body := get(t, a, "/readyz"); code != 200 {
		t.Errorf("readyz: got %d %s", code, body)
	}
	if _, body := get(t, a, "/metrics"); !strings.Contains(body, `earshot_clickhouse_requests_total{kind="insert",code="0"}`) {
		t.Error("no metrics of requests to ClickHouse")
	}
	early := takeBackup(t, a, tok)
	a.Close()

	a = open(t, cfg, io.Discard)
	ready(t, a)
	if got := f.volume(t, a); got != "5" {
		t.Errorf("after a restart: got %s documents, want 5", got)
	}
	f.upload(t, a, "5")
	if got := f.volume(t, a); got != "6" {
		t.Errorf("after another upload: got %s documents, want 6", got)
	}
	if _, err := os.Stat(operate.PostsDir(cfg)); !os.IsNotExist(err) {
		t.Errorf("the node has a directory for posts: %v", err)
	}
	a.scrub.Scrub(t.Context())
	if r := a.scrub.Report(); r.LastFinished.IsZero() || len(r.Findings) > 0 {
		t.Errorf("verify: got %+v, want no findings", r)
	}
	late := takeBackup(t, a, tok)
	a.Close()

	other := testConfig(t)
	other.Store = cfg.Store
	wantError(t, "another installation", openError(other), "the ClickHouse database is there")

	restored := testConfig(t)
	restored.Store = cfg.Store
	if _, err := operate.Restore(t.Context(), early, restored, testOptions(io.Discard).Log); err != nil {
		t.Fatal(err)
	}
	wantError(t, "a backup that is older than the database", openError(restored), "but the ClickHouse database has seen")

	restored = testConfig(t)
	restored.Store = cfg.Store
	if _, err := operate.Restore(t.Context(), late, restored, testOptions(io.Discard).Log); err != nil {
		t.Fatal(err)
	}
	a = open(t, restored, io.Discard)
	defer a.Close()
	ready(t, a)
	if got := f.volume(t, a); got != "6" {
		t.Errorf("after restoring the newest backup: got %s documents, want 6", got)
	}
}

func TestAClickHouseDatabaseThatIsOlderThanTheJournalIsRefused(t *testing.T) {
	cfg := clickHouseConfig(t)
	a := open(t, cfg, io.Discard)
	ready(t, a)
	f := newFixture(t, a)
	f.upload(t, a, "1")
	f.volume(t, a) // waits until it is stored
	a.Close()
	used := cfg.Store
	cfg.Store = clickHouseConfig(t).Store
	a = open(t, cfg, io.Discard) // the journal still has everything
	ready(t, a)
	if got := f.volume(t, a); got != "1" {
		t.Errorf("in a new database: got %s documents, want 1", got)
	}
	f.upload(t, a, "2")
	f.volume(t, a)
	if err := a.Journal.Trim(t.Context(), a.posts.Durable(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	a.Close()
	cfg.Store = used
	wantError(t, "a database that lacks trimmed entries", openError(cfg), "but the ClickHouse database has only entries up to")
}

func TestStoreSettingsThatCannotWork(t *testing.T) {
	f := func(name, want string, change func(*config.Config)) {
		t.Helper()
		cfg := testConfig(t)
		cfg.Store = "clickhouses://h/d"
		change(&cfg)
		_, err := operate.Database(cfg, operate.StoreOptions{})
		wantError(t, name, err, want)
	}
	f("a missing password file", "store.password_file: ", func(c *config.Config) { c.StorePasswordFile = "missing" })
	f("a missing file of certificates", "store.ca_file: ", func(c *config.Config) { c.StoreCAFile = "missing" })
	f("a file without certificates", "has no certificate in PEM format", func(c *config.Config) { c.StoreCAFile = os.DevNull })
	cfg := testConfig(t)
	cfg.Store = "clickhouse://127.0.0.1:1/d"
	wantError(t, "no server", openError(cfg), "read the version of ClickHouse")
}

// TestNodesShareClickHouse lets two nodes use one database. The node that writes ends, and the other
// one takes over.
func TestNodesShareClickHouse(t *testing.T) {
	store := clickHouseConfig(t).Store
	servers := natstest.Start(t, 3).Options()
	openNode := func(name string) *App {
		t.Helper()
		cfg := testConfig(t)
		cfg.ClusterName, cfg.NATSURL, cfg.NodeName, cfg.Store = "test", servers.URL, name, store
		if err := os.WriteFile(cfg.SecretPath(), []byte(strings.Repeat("s", 32)), 0o600); err != nil {
			t.Fatal(err)
		}
		o := testOptions(io.Discard)
		o.Enrich, o.ImageModel = enrich.Facts(), &picture.Model{Version: "test"}
		a, err := Open(context.Background(), cfg, o)
		if err != nil {
			t.Fatal(err)
		}
		ready(t, a)
		return a
	}
	writes := func(a *App) bool { return slices.Contains(a.roles.Held(), storeRole) && a.remote.Writes() }
	a := openNode("a")
	natstest.WaitFor(t, "node a to write", func() bool { return writes(a) })
	b := openNode("b")
	defer b.Close()
	if writes(b) {
		t.Error("both nodes write")
	}
	f := newFixture(t, a)
	natstest.WaitFor(t, "the monitor on node b", func() bool { _, ok := b.catalog.FindMonitor(f.monitor.ID); return ok })
	natstest.WaitFor(t, "the source on node b", func() bool { _, ok := b.catalog.Sources.Find(f.source.ID); return ok })
	count := func(n *App) int64 {
		t.Helper()
		rows, err := poststore.TallyOne(t.Context(), n.posts, poststore.Selection{Set: poststore.MonitorSet(f.monitor.ID)}, poststore.Tally{})
		if err != nil {
			t.Fatal(err)
		}
		return rows[0].Posts
	}
	f.upload(t, a, "1")
	f.upload(t, b, "2")
	for _, n := range []*App{a, b} {
		if err := n.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := count(n); got != 2 {
			t.Errorf("node %s has %d posts, want 2", n.config.NodeName, got)
		}
	}
	a.Close()
	natstest.WaitFor(t, "node b to write", func() bool { return writes(b) })
	f.upload(t, b, "3")
	if err := b.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := count(b); got != 3 {
		t.Errorf("after the takeover: got %d posts, want 3", got)
	}
	a = openNode("a")
	defer a.Close()
	if got := count(a); got != 3 || writes(a) {
		t.Errorf("the node that returns has %d posts and writes: %v; want 3 and false", got, writes(a))
	}
}
