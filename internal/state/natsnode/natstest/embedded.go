package natstest

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"earshot/internal/state/natsnode"
)

// Embedded is a cluster of nodes with embedded servers on 127.0.0.1.
type Embedded struct {
	Options []natsnode.Options // of each node; may be changed while the node is closed
	Nodes   []*natsnode.Node   // nil: closed
}

// NewEmbedded returns a cluster of n nodes that are not open yet. The directories of nodes are below
// dir.
func NewEmbedded(t testing.TB, dir string, n int) *Embedded {
	t.Helper()
	e := &Embedded{Nodes: make([]*natsnode.Node, n)}
	var peers []string
	for range n {
		peers = append(peers, freeAddress(t))
	}
	for i := range n {
		name := fmt.Sprintf("node-%d", i+1)
		e.Options = append(e.Options, natsnode.Options{
			Dir:      filepath.Join(dir, name),
			Replicas: 3,
			Log:      slog.New(slog.DiscardHandler),
			Cluster: &natsnode.Cluster{
				Name: "test", NodeName: name, Listen: peers[i], Peers: peers, Secret: []byte("a secret that all nodes share, ok"),
			},
		})
	}
	t.Cleanup(func() {
		for i := range e.Nodes {
			e.Close(i)
		}
	})
	return e
}

// StartEmbedded starts a cluster of n nodes.
func StartEmbedded(t testing.TB, n int) *Embedded {
	t.Helper()
	e := NewEmbedded(t, t.TempDir(), n)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	e.Open(t, all...)
	return e
}

// Open opens nodes at the same time.
func (e *Embedded) Open(t testing.TB, nodes ...int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	errs := make([]error, len(nodes))
	var opening sync.WaitGroup
	for at, i := range nodes {
		opening.Go(func() { e.Nodes[i], errs[at] = natsnode.Open(ctx, e.Options[i]) })
	}
	opening.Wait()
	for at, err := range errs {
		if err != nil {
			t.Fatalf("open node %d: %v", nodes[at]+1, err)
		}
	}
}

// Close closes a node if it is open.
func (e *Embedded) Close(i int) {
	if e.Nodes[i] != nil {
		e.Nodes[i].Close()
		e.Nodes[i] = nil
	}
}

// WaitFor polls until a condition holds.
func WaitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	(&Cluster{}).waitFor(t, what, holds)
}
