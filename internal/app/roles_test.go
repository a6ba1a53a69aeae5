package app

import (
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/operate"
	"earshot/internal/state/journal"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

// Two nodes share the roles. When one stops, the other has all of them, and both can process what
// comes after the fences in the journal.
func TestRolesMoveToAnotherNode(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	servers := natstest.Start(t, 3).Options()
	first := testConfig(t)
	first.Data, first.NATSURL, first.NATSReplicas, first.ClusterName, first.NodeName = t.TempDir(), servers.URL, servers.Replicas, "test", "first"
	if _, err := operate.SecretFile(first).Load(); err != nil {
		t.Fatal(err)
	}
	second := first
	second.Data, second.NodeName, second.SecretFile = t.TempDir(), "second", first.SecretPath()
	a := open(t, first, io.Discard)
	stopped := false
	defer func() {
		if !stopped {
			a.Close()
		}
	}()
	ready(t, a)
	all := []string{"analyses", "baseline", "pictures", "retention", "signals", "streams", "training"}
	awaitRoles(t, a, all)
	b := open(t, second, io.Discard)
	defer b.Close()
	ready(t, b)
	if got := b.roles.Held(); len(got) > 0 {
		t.Errorf("the second node has the roles %q while the first one runs", got)
	}
	fa := newFixture(t, a)
	if err := b.catalog.WaitRevision(t.Context(), a.catalog.Known()); err != nil {
		t.Fatal(err)
	}
	if _, ok := b.catalog.FindMonitor(fa.monitor.ID); !ok {
		t.Error("the second node does not have a monitor of the first")
	}
	if _, err := b.Streams.Add(t.Context(), fa.caller, fa.team.ID, "made on the second node"); err != nil {
		t.Errorf("an exclusive change on the second node: %v", err)
	}
	a.Close()
	stopped = true
	awaitRoles(t, b, all)
	if holder, ok := b.roles.Holder("streams"); holder != "second" || !ok {
		t.Errorf("the holder of the streams is %q, %v, want second", holder, ok)
	}
	// The journal has fences and no entries, so there is nothing to process.
	status, err := b.cluster.Status(t.Context())
	if err != nil || status.Journal.Last == 0 {
		t.Fatalf("got journal %+v, %v, want a last position", status.Journal, err)
	}
	for _, n := range status.Nodes {
		if n.Lag != 0 {
			t.Errorf("node %s lags by %d, want 0", n.Name, n.Lag)
		}
	}
	if _, err := b.Journal.Append(t.Context(), journal.Entry{Posts: []earshot.Post{{Source: earshot.Blogs, GUID: "1", Time: time.Now()}}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := b.CatchUp(ctx); err != nil {
		t.Errorf("catching up: %v", err)
	}
}

// awaitRoles waits until a node has these roles.
func awaitRoles(t *testing.T, a *App, want []string) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !slices.Equal(a.roles.Held(), want) {
		if time.Now().After(deadline) {
			t.Fatalf("got roles %q, want %q", a.roles.Held(), want)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
