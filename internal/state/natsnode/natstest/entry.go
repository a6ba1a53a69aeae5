package natstest

import (
	"fmt"
	"slices"
	"testing"

	"earshot/internal/state/natsnode"
)

// Put writes an entry through a node.
func Put(t testing.TB, node *natsnode.Node, key, value string) {
	t.Helper()
	b, err := natsnode.OpenBucket(t.Context(), node, natsnode.BucketOptions{Name: "catalog"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Set(t.Context(), key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

// Get reads an entry through a node.
func Get(t testing.TB, node *natsnode.Node, key string) string {
	t.Helper()
	b, err := natsnode.OpenBucket(t.Context(), node, natsnode.BucketOptions{Name: "catalog"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := b.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(e.Value)
}

// AwaitReplicas waits until a stream has current replicas on exactly the given nodes.
func AwaitReplicas(t testing.TB, node *natsnode.Node, stream string, want ...string) {
	t.Helper()
	var last natsnode.Topology
	defer func() {
		if t.Failed() {
			t.Logf("%+v", last)
		}
	}()
	WaitFor(t, fmt.Sprintf("replicas of %s on %v", stream, want), func() bool {
		topology, err := node.Topology(t.Context())
		if err != nil {
			return false
		}
		last = topology
		var current, members []string
		for _, s := range topology.Streams {
			if s.Name != stream {
				continue
			}
			for _, r := range s.Replicas {
				if !r.Current || r.Offline {
					return false
				}
				current = append(current, r.Node)
			}
		}
		for _, m := range topology.Members {
			members = append(members, m.Node)
		}
		return slices.Equal(current, want) && slices.Equal(members, want)
	})
}
