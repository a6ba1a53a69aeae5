package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"earshot/internal/config"
	"earshot/internal/operate"
	"earshot/internal/test/testenv"
)

// clusterConfigs returns the configurations of the nodes of a new cluster with a secret.
func clusterConfigs(t *testing.T, n int, secret []byte) (all []config.Config) {
	t.Helper()
	var peers []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		peers = append(peers, l.Addr().String())
		l.Close()
	}
	for i := range n {
		cfg := testConfig(t)
		cfg.ClusterName, cfg.Peers, cfg.ClusterListen, cfg.NodeName = "test", peers, peers[i], fmt.Sprintf("node-%d", i+1)
		cfg.SecretFile = filepath.Join(t.TempDir(), "secret.key")
		if err := os.WriteFile(cfg.SecretFile, secret, 0o600); err != nil {
			t.Fatal(err)
		}
		all = append(all, cfg)
	}
	return all
}

// support runs the NATS servers of nodes until the result is called.
func support(t *testing.T, nodes []config.Config) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, cfg := range nodes {
		running.Go(func() {
			if err := operate.Support(ctx, cfg, testOptions(io.Discard).Log); err != nil {
				t.Errorf("support: %v", err)
			}
		})
	}
	return func() { cancel(); running.Wait() }
}

func TestASingleNodeIsMovedToACluster(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	single := open(t, testConfig(t), io.Discard)
	ready(t, single)
	f := newFixture(t, single)
	tok := token(t, single)
	for i := range 5 {
		f.upload(t, single, fmt.Sprint(i))
	}
	dir := takeBackup(t, single, tok)
	single.Close()
	secret, err := os.ReadFile(single.config.SecretPath())
	if err != nil {
		t.Fatal(err)
	}

	nodes := clusterConfigs(t, 3, secret)
	stop := support(t, nodes[1:])
	if _, err := operate.Restore(t.Context(), dir, nodes[0], testOptions(io.Discard).Log); err != nil {
		t.Fatal(err)
	}
	stop()
	defer support(t, nodes[1:])()
	a := open(t, nodes[0], io.Discard)
	defer a.Close()
	ready(t, a)
	if got := f.volume(t, a); got != "5" {
		t.Errorf("got %s documents, want 5", got)
	}
	if code, body := get(t, a, "/api/monitor/list?auth="+tok); code != 200 {
		t.Errorf("a permanent token: got %d %s, want 200", code, body)
	}
	f.upload(t, a, "after")
	if got := f.volume(t, a); got != "6" {
		t.Errorf("got %s documents after one more upload, want 6", got)
	}

	// A backup of the cluster is restored to a single node again.
	b := restoreBackup(t, takeBackup(t, a, tok))
	if got := f.volume(t, b); got != "6" {
		t.Errorf("got %s documents from a backup of the cluster, want 6", got)
	}
}
