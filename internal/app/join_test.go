package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/cluster"
	"earshot/internal/config"
	"earshot/internal/state/journal"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

// clusterConfig returns the settings of a node that uses an external NATS cluster.
func clusterConfig(t *testing.T, url, name, secret string) config.Config {
	t.Helper()
	cfg := testConfig(t)
	cfg.ClusterName, cfg.NodeName, cfg.NATSURL, cfg.SecretFile = "test", name, url, secret
	return cfg
}

// TestANodeJoins opens a second node when the journal is long. It copies the store of the first node,
// follows the journal from there, and answers as the first one does.
func TestANodeJoins(t *testing.T) {
	testenv.SkipUnderRace(t) // the NATS server has a data race
	url := natstest.Start(t, 3).Options().URL
	secret := filepath.Join(t.TempDir(), "secret.key")
	if err := os.WriteFile(secret, []byte(strings.Repeat("0123456789abcdef", 4)), 0o600); err != nil {
		t.Fatal(err)
	}
	a := open(t, clusterConfig(t, url, "a", secret), io.Discard)
	defer a.Close()
	ready(t, a)
	f := newFixture(t, a)
	const entries = 1000 // with more of them, a new node copies the store
	var uploads errgroup.Group
	uploads.SetLimit(64)
	for i := range entries {
		uploads.Go(func() error {
			_, err := a.Journal.Append(t.Context(), journal.Entry{Posts: []earshot.Post{{
				Source: earshot.Blogs, URL: fmt.Sprint("https://example.com/", i), GUID: fmt.Sprint(i), Contents: "coffee",
				Time: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC),
			}}})
			return err
		})
	}
	if err := uploads.Wait(); err != nil {
		t.Fatal(err)
	}
	f.upload(t, a, "after")
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.files.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}

	log := &sink{}
	b := open(t, clusterConfig(t, url, "b", secret), log)
	defer b.Close()
	ready(t, b)
	if !strings.Contains(log.String(), `msg="copied the post store" node=a`) {
		t.Errorf("the node has not copied the post store:\n%s", log)
	}
	volume := fmt.Sprintf("/api/monitor/volume?auth=%s&id=%d&start=2026-03-02&end=2026-03-03", token(t, a), f.monitor.ID)
	if _, body := get(t, b, volume); !strings.Contains(body, `"numberOfDocuments":1001,`) {
		t.Errorf("the new node: got %s, want 1001 documents", body)
	}

	// What one node stores can be read on the other with the position of the write.
	r := httptest.NewRequest("POST", fmt.Sprintf("/api/content/upload?auth=%s&documentType=%d", token(t, a), f.source.ID),
		strings.NewReader(`{"items":[{"guid":"there","date":"2026-03-02T12:00:00","contents":"coffee"}]}`))
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, r)
	position := w.Header().Get("X-Earshot-Position")
	for range 15 { // on a busy machine, the other node may need longer than a request waits
		r = httptest.NewRequest("GET", volume, nil)
		r.Header.Set("X-Earshot-Position", position)
		w = httptest.NewRecorder()
		if b.Handler().ServeHTTP(w, r); w.Code != http.StatusServiceUnavailable {
			break
		}
		t.Logf("at position %s, the node has %s", position, cluster.Positions{Catalog: b.catalog, Pipeline: b.pipeline}.Current())
	}
	if !strings.Contains(w.Body.String(), `"numberOfDocuments":1002,`) {
		t.Errorf("the other node: got %d %s, want 1002 documents", w.Code, w.Body)
	}

	for _, node := range []*App{a, b} {
		natstest.WaitFor(t, "both nodes on node "+node.config.NodeName, func() bool {
			status, err := node.cluster.Status(t.Context())
			var names []string
			for _, n := range status.Nodes {
				names = append(names, fmt.Sprintf("%s %v %s", n.Name, n.Live, n.State))
			}
			return err == nil && strings.Join(names, ", ") == "a true ready, b true ready"
		})
	}
	if names, err := filepath.Glob(filepath.Join(b.config.Data, ".*")); err != nil || len(names) != 0 {
		t.Errorf("the new node has %v, %v, want no remains", names, err)
	}
	if err := a.cluster.Remove(t.Context(), "b"); !earshot.IsKind(err, earshot.Conflict) {
		t.Errorf("removing a running node: got %v, want a conflict", err)
	}
}

// TestRunOpensANodeAgain runs a node that finds out that it must join again.
func TestRunOpensANodeAgain(t *testing.T) {
	testenv.SkipUnderRace(t) // the NATS server has a data race
	secret := filepath.Join(t.TempDir(), "secret.key")
	if err := os.WriteFile(secret, []byte(strings.Repeat("0123456789abcdef", 4)), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := clusterConfig(t, natstest.Start(t, 3).Options().URL, "a", secret)
	cfg.Listen = "127.0.0.1:0"
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var opened []*App
	err := Run(ctx, cfg, testOptions(io.Discard), Hooks{
		Background: func(ctx context.Context, a *App) {
			if opened = append(opened, a); len(opened) == 1 {
				a.rejoin(journal.MissingEntries(1, 2))
			} else {
				stop()
			}
			<-ctx.Done()
		},
	})
	if err != nil || len(opened) != 2 || opened[0] == opened[1] {
		t.Errorf("got %v after opening the service %d times, want 2", err, len(opened))
	}
}
