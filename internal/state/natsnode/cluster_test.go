package natsnode_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

func TestEmbeddedCluster(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	e := natstest.StartEmbedded(t, 3)
	ids := map[string]bool{}
	for _, node := range e.Nodes {
		ids[node.Installation()] = true
	}
	if len(ids) != 1 {
		t.Fatalf("the nodes have the installations %v, want the same one", ids)
	}
	natstest.Put(t, e.Nodes[0], "k", "1")
	if got := natstest.Get(t, e.Nodes[2], "k"); got != "1" {
		t.Errorf("got %s through another node, want 1", got)
	}
	e.Close(0)
	natstest.Put(t, e.Nodes[1], "k", "2")
	e.Open(t, 0)
	if got := natstest.Get(t, e.Nodes[0], "k"); got != "2" {
		t.Errorf("got %s after a restart, want 2", got)
	}
	natstest.AwaitReplicas(t, e.Nodes[0], "KV_catalog", "node-1", "node-2", "node-3")
}

func TestAnEmptiedNodeIsReplaced(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	e := natstest.StartEmbedded(t, 3)
	natstest.Put(t, e.Nodes[0], "k", "1")
	natstest.AwaitReplicas(t, e.Nodes[0], "KV_catalog", "node-1", "node-2", "node-3")
	e.Close(0)
	if err := os.RemoveAll(e.Options[0].Dir); err != nil {
		t.Fatal(err)
	}
	e.Open(t, 0)
	natstest.AwaitReplicas(t, e.Nodes[1], "KV_catalog", "node-1", "node-2", "node-3")
	if got := natstest.Get(t, e.Nodes[0], "k"); got != "1" {
		t.Errorf("got %s, want 1", got)
	}
	// The new replica counts: it and one other are a majority.
	e.Close(1)
	natstest.Put(t, e.Nodes[2], "k", "2")
	if got := natstest.Get(t, e.Nodes[0], "k"); got != "2" {
		t.Errorf("got %s, want 2", got)
	}
}

func TestRemovePeer(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	e := natstest.StartEmbedded(t, 4)
	for i := range 4 {
		natstest.Put(t, e.Nodes[i], "k", "1")
	}
	err := e.Nodes[0].RemovePeer(t.Context(), "node-2")
	if err == nil || !strings.Contains(err.Error(), "Stop it before you remove it") {
		t.Errorf("a running node: got %v, want a refusal", err)
	}
	if err := e.Nodes[0].RemovePeer(t.Context(), "node-9"); err != natsnode.ErrNotMember {
		t.Errorf("an unknown node: got %v, want ErrNotMember", err)
	}
	e.Close(1)
	natstest.WaitFor(t, "the removal of the node", func() bool { return e.Nodes[0].RemovePeer(t.Context(), "node-2") == nil })
	natstest.AwaitReplicas(t, e.Nodes[0], "KV_catalog", "node-1", "node-3", "node-4")
}

// With three nodes, nothing can replace the one that is removed. Its replicas are restored when a node
// is added.
func TestAnAddedNodeGetsTheReplicasOfARemovedOne(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	e := natstest.StartEmbedded(t, 3)
	for i := range 3 {
		natstest.Put(t, e.Nodes[i], "k", "1")
	}
	e.Close(2)
	natstest.WaitFor(t, "the removal of the node", func() bool { return e.Nodes[0].RemovePeer(t.Context(), "node-3") == nil })
	natstest.AwaitReplicas(t, e.Nodes[0], "KV_catalog", "node-1", "node-2")
	natstest.Put(t, e.Nodes[0], "k", "2")
	if n, err := natsnode.Open(t.Context(), e.Options[2]); err == nil || !strings.Contains(err.Error(), "this node was removed from the cluster") {
		if err == nil {
			n.Close()
		}
		t.Errorf("the removed node, with its files: got %v, want a refusal", err)
	}
	if err := os.RemoveAll(e.Options[2].Dir); err != nil {
		t.Fatal(err)
	}
	e.Open(t, 2)
	natstest.AwaitReplicas(t, e.Nodes[0], "KV_catalog", "node-1", "node-2", "node-3")
	e.Close(0) // the others are a majority again
	natstest.Put(t, e.Nodes[2], "k", "3")
}

func TestANodeWithAnotherSecretIsRefused(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	var mu sync.Mutex
	logs := make([]bytes.Buffer, 3)
	e := natstest.NewEmbedded(t, t.TempDir(), 3)
	for i := range e.Options {
		e.Options[i].Log = slog.New(slog.NewTextHandler(&lockedWriter{mu: &mu, b: &logs[i]}, nil))
	}
	e.Open(t, 0, 1, 2) // a new cluster needs all its nodes once
	e.Close(2)
	e.Options[2].Cluster.Secret = []byte("another secret of more than 32 bytes")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	var waiting []string
	e.Options[2].Cluster.Waiting = func(what string) { mu.Lock(); waiting = append(waiting, what); mu.Unlock() }
	go func() {
		_, err := natsnode.Open(ctx, e.Options[2])
		done <- err
	}()
	const reason = "the other node has another secret; secret_file must be the same on all nodes"
	natstest.WaitFor(t, "both logs to say why", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(logs[2].String(), reason) && (strings.Contains(logs[0].String(), reason) || strings.Contains(logs[1].String(), reason)) &&
			slices.Contains(waiting, "waiting for 2 of 3 nodes, which respond but do not connect")
	})
	cancel()
	if err := <-done; err == nil {
		t.Error("the node was admitted")
	}
}

type lockedWriter struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func TestOpenSaysWhatItWaitsFor(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	e := natstest.NewEmbedded(t, t.TempDir(), 3)
	peers := e.Options[0].Cluster.Peers
	ctx, cancel := context.WithCancel(t.Context())
	var got string
	e.Options[0].Cluster.Waiting = func(what string) { got = what; cancel() }
	if _, err := natsnode.Open(ctx, e.Options[0]); err == nil {
		t.Fatal("a single node of three has a leader")
	}
	want := fmt.Sprintf("waiting for 2 of 3 nodes: %s, %s", peers[1], peers[2])
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDirectoriesOfSingleNodesAndMembersAreNotMixed(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	e := natstest.NewEmbedded(t, t.TempDir(), 3)
	single, err := natsnode.Open(t.Context(), natsnode.Options{Dir: e.Options[0].Dir})
	if err != nil {
		t.Fatal(err)
	}
	natstest.Put(t, single, "k", "1")
	single.Close()
	refused := func(o natsnode.Options, want string) {
		t.Helper()
		_, err := natsnode.Open(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	refused(e.Options[0], "contains the data of a single node. As a member of a cluster, NATS would remove it.")
	if single, err = natsnode.Open(t.Context(), natsnode.Options{Dir: e.Options[0].Dir}); err != nil {
		t.Fatal(err)
	}
	if got := natstest.Get(t, single, "k"); got != "1" {
		t.Errorf("got %s, want 1", got)
	}
	single.Close()

	e.Options[0].Dir = filepath.Join(t.TempDir(), "nats")
	e.Open(t, 0, 1, 2)
	for i := range e.Nodes {
		e.Close(i)
	}
	dir := e.Options[0].Dir
	refused(natsnode.Options{Dir: dir}, `belongs to the node "node-1" of the cluster "test": set cluster.name, peers and node_name to start it.`)
	other := *e.Options[0].Cluster
	other.Name = "x"
	refused(natsnode.Options{Dir: dir, Cluster: &other}, `belongs to the cluster "test", but cluster.name is "x"`)
	other.Name, other.NodeName = "test", "node-2"
	refused(natsnode.Options{Dir: dir, Cluster: &other}, `belongs to the node "node-1", but node_name is "node-2": set node_name to "node-1"`)
}

func TestOtherNodesSupportARestore(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	e := natstest.NewEmbedded(t, t.TempDir(), 3)
	const id = "0123456789abcdef0123456789abcdef"
	e.Options[0].Installation = id
	e.Options[1].Cluster.Support, e.Options[2].Cluster.Support = true, true
	e.Open(t, 0, 1, 2)
	for i, node := range e.Nodes {
		if node.Installation() != id {
			t.Errorf("node %d: got installation %s, want %s", i+1, node.Installation(), id)
		}
	}
}

func TestDamagedReplicaIsRefused(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	e := natstest.StartEmbedded(t, 3)
	for i := range 20 {
		natstest.Put(t, e.Nodes[0], fmt.Sprintf("k.%d", i), strings.Repeat("x", 100))
	}
	natstest.AwaitReplicas(t, e.Nodes[0], "KV_catalog", "node-1", "node-2", "node-3")
	e.Close(0)
	js := filepath.Join(e.Options[0].Dir, "jetstream")
	groups, err := filepath.Glob(filepath.Join(js, "$SYS", "_js_", "*"))
	if err != nil || len(groups) < 4 {
		t.Fatalf("got groups %v, %v", groups, err)
	}
	// flip changes a byte in the first record of a file, so it is not a record that a crash interrupted.
	flip := func(path string) func() {
		return func() {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b[40] ^= 1
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	newest := func(pattern string) string {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no file %s: %v", pattern, err)
		}
		return files[len(files)-1]
	}
	stream := filepath.Join(js, "$G", "streams", "KV_catalog")
	for name, damage := range map[string]func(){
		"a block of a stream":           flip(newest(filepath.Join(stream, "msgs", "*.blk"))),
		"the configuration of a stream": flip(filepath.Join(stream, "meta.inf")),
		"a snapshot of a Raft group":    flip(newest(filepath.Join(js, "$SYS", "_js_", "_meta_", "snapshots", "snap.*"))),
		"members of a Raft group": func() {
			if err := os.Truncate(filepath.Join(js, "$SYS", "_js_", "_meta_", "peers.idx"), 5); err != nil {
				t.Fatal(err)
			}
		},
		"a missing stream": func() { os.RemoveAll(stream) },
		"a missing group":  func() { os.RemoveAll(filepath.Join(js, "$SYS", "_js_", "_meta_")) },
		"all streams":      func() { os.RemoveAll(js) },
	} {
		t.Run(name, func(t *testing.T) {
			intact := t.TempDir()
			if err := os.CopyFS(intact, os.DirFS(e.Options[0].Dir)); err != nil {
				t.Fatal(err)
			}
			damage()
			_, err := natsnode.Open(t.Context(), e.Options[0])
			if err == nil || !strings.Contains(err.Error(), "remove the directory "+e.Options[0].Dir+" and start this node again") {
				t.Errorf("got %v, want a refusal", err)
			}
			if err := os.RemoveAll(e.Options[0].Dir); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(e.Options[0].Dir, os.DirFS(intact)); err != nil {
				t.Fatal(err)
			}
		})
	}
	e.Open(t, 0)
	if got := natstest.Get(t, e.Nodes[0], "k.19"); got != strings.Repeat("x", 100) {
		t.Errorf("got %s after all", got)
	}
}

func TestTwoNodesWithTheSameNameAreRefused(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	e := natstest.StartEmbedded(t, 3)
	twin := e.Options[0]
	c := *twin.Cluster
	twin.Dir, twin.Cluster = filepath.Join(t.TempDir(), "nats"), &c
	c.Listen = "127.0.0.1:0"
	_, err := natsnode.Open(t.Context(), twin)
	if err == nil || !strings.Contains(err.Error(), `another node with the name "node-1" is running: node_name must be unique`) {
		t.Errorf("got %v, want a refusal", err)
	}
}
