package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/cluster"
	"earshot/internal/content"
	"earshot/internal/ingest/item"
	"earshot/internal/monitor"
	"earshot/internal/state/catalog"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

// TestRulesHoldAcrossNodes changes records on two nodes at the same time that only together break a
// rule. The rule holds: as many changes succeed as on one node.
func TestRulesHoldAcrossNodes(t *testing.T) {
	testenv.SkipUnderRace(t) // the NATS server has a data race
	nodes := openNodes(t, 0)
	ctx := t.Context()
	root := nodes[0].Accounts.ListUsers()[0]
	team, err := nodes[0].Accounts.AddTeam(ctx, earshot.NewCaller(root), earshot.Team{Name: "Acme", MonitorLimit: 3})
	if err != nil {
		t.Fatal(err)
	}
	caller := earshot.NewCaller(&earshot.User{Username: "ann", Teams: []earshot.TeamID{team.ID}, Permissions: earshot.Permissions})
	survey, err := nodes[0].Content.AddSource(ctx, caller, earshot.ContentSource{Team: team.ID, Name: "Survey"})
	if err != nil {
		t.Fatal(err)
	}
	agree := func() {
		t.Helper()
		for i, a := range nodes {
			if err := a.catalog.WaitRevision(ctx, nodes[1-i].catalog.Known()); err != nil {
				t.Fatal(err)
			}
		}
	}
	agree()

	t.Run("quota", func(t *testing.T) {
		const quota, documents = 50, 80
		if err := nodes[0].catalog.SetContract(ctx, earshot.Contract{DocumentsPerDay: quota}); err != nil {
			t.Fatal(err)
		}
		agree()
		accepted := both(documents, func(node, i int) error {
			_, err := nodes[node].Content.Upload(ctx, caller, content.Upload{Source: survey.ID, Items: []item.Item{{GUID: fmt.Sprint(i), Date: "2026-03-01", Contents: "tea"}}})
			if err != nil && !strings.Contains(err.Error(), "The contract allows") {
				t.Error(err)
			}
			return err
		})
		if accepted != quota {
			t.Errorf("%d documents were accepted, the contract allows %d", accepted, quota)
		}
	})

	t.Run("monitor limit", func(t *testing.T) {
		keywords, start := "coffee", earshot.Date{Year: 2026, Month: 2, Day: 1}
		added := both(8, func(node, i int) error {
			name := fmt.Sprint("Monitor ", i)
			_, err := nodes[node].Monitors.Add(ctx, caller, monitor.Changes{Name: &name, Team: &team.ID, Start: &start, Criteria: monitor.CriteriaChanges{Keywords: &keywords}})
			return err
		})
		agree()
		if got := len(nodes[0].catalog.Monitors.List()); added != 3 || got != 3 {
			t.Errorf("%d monitors were added, there are %d; the limit is 3", added, got)
		}
	})

	t.Run("last administrator", func(t *testing.T) {
		password, none := "pride and prejudice", []earshot.Permission{}
		admins := []earshot.UserID{root.ID}
		for i := range 3 {
			u, err := nodes[0].Accounts.AddUser(ctx, account.NewUser{Username: fmt.Sprint("admin", i), Password: password, APIAccess: true, Permissions: []earshot.Permission{earshot.AdminPermission}})
			if err != nil {
				t.Fatal(err)
			}
			admins = append(admins, u.ID)
		}
		agree()
		demoted := both(len(admins), func(node, i int) error {
			_, err := nodes[node].Accounts.EditUser(ctx, admins[i], account.UserChanges{Permissions: &none})
			if err != nil && !strings.Contains(err.Error(), "last administrator") {
				t.Error(err)
			}
			return err
		})
		if demoted != len(admins)-1 {
			t.Errorf("%d of %d administrators were demoted, want all but one", demoted, len(admins))
		}
	})

	t.Run("removal of a team", func(t *testing.T) {
		// Either the monitor is added, and the team stays, or the team is removed, and nothing else.
		keywords := "coffee"
		for i := range 5 {
			team, err := nodes[0].Accounts.AddTeam(ctx, earshot.NewCaller(root), earshot.Team{Name: fmt.Sprint("Team ", i)})
			if err != nil {
				t.Fatal(err)
			}
			agree()
			member := earshot.NewCaller(&earshot.User{Username: "bob", Teams: []earshot.TeamID{team.ID}, Permissions: earshot.Permissions})
			name := fmt.Sprint("Of team ", i)
			succeeded := both(2, func(node, _ int) error {
				if node == i%2 {
					return nodes[node].Accounts.RemoveTeam(ctx, team.ID)
				}
				_, err := nodes[node].Monitors.Add(ctx, member, monitor.Changes{Name: &name, Team: &team.ID, Criteria: monitor.CriteriaChanges{Keywords: &keywords}})
				return err
			})
			if succeeded != 1 {
				t.Errorf("team %d: %d of the two changes succeeded, want 1", i, succeeded)
			}
		}
	})
}

// both calls f with the numbers from 0 to n-1 at the same time, with the index of each of two nodes in
// turn, and returns how many calls succeeded.
func both(n int, f func(node, i int) error) int {
	var running sync.WaitGroup
	var succeeded atomic.Int32
	for i := range n {
		running.Go(func() {
			if f(i%2, i) == nil {
				succeeded.Add(1)
			}
		})
	}
	running.Wait()
	return int(succeeded.Load())
}

// TestNewerFormatsEndAnOlderNode records a format that this program does not know, as nodes of a later
// version do. A node that runs ends, another one does not start, and both say why.
func TestNewerFormatsEndAnOlderNode(t *testing.T) {
	testenv.SkipUnderRace(t) // the NATS server has a data race
	servers := natstest.Start(t, 3).Options()
	cfg := testConfig(t)
	cfg.ClusterName, cfg.NATSURL, cfg.NodeName, cfg.Listen = "test", servers.URL, "a", "127.0.0.1:0"
	if err := os.WriteFile(cfg.SecretPath(), []byte(strings.Repeat("s", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	newer := catalog.Formats{Journal: cluster.Known.Journal + 1, Catalog: cluster.Known.Catalog, Streams: cluster.Known.Streams}
	check := func(err error) {
		t.Helper()
		var format *cluster.FormatError
		if !errors.As(err, &format) || format.Part != "journal" || !strings.Contains(err.Error(), "start that version, on every node") {
			t.Errorf("got %v, want an error that names the version to start", err)
		}
	}
	check(Run(ctx, cfg, testOptions(io.Discard), Hooks{Background: func(ctx context.Context, a *App) {
		// The node may end before the write returns.
		if err := a.catalog.RaiseFormats(ctx, newer); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		<-ctx.Done()
	}}))
	check(Run(ctx, cfg, testOptions(io.Discard), Hooks{Ready: func(string) { t.Error("the node is ready") }}))
}

// TestNewerFormatsOfASingleNode opens data that a later version wrote, whose catalog has a newer format.
func TestNewerFormatsOfASingleNode(t *testing.T) {
	cfg, known := testConfig(t), cluster.Known
	t.Cleanup(func() { cluster.Known = known })
	cluster.Known.Catalog++
	a, err := Open(t.Context(), cfg, testOptions(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	cluster.Known = known
	if a, err = Open(t.Context(), cfg, testOptions(io.Discard)); err == nil {
		a.Close()
	}
	const want = "a newer version of Earshot has written the catalog (format 2, and this version knows formats up to 1): start that version"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
