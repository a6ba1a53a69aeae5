package webtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/cluster"
	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// TestNodes shows the nodes of a cluster: while all are ready, when one of them is down, and when this
// one is alone. The server is not a cluster; clustertest checks what real nodes report.
func TestNodes(t *testing.T) {
	t.Parallel()
	w := env(t)
	var state atomic.Pointer[cluster.Status]
	state.Store(clusterOfThree(0))
	p := w.browser.Open(t, browsertest.Options{Site: w.withCluster(t, &state), Width: 1440, Height: 1000})
	p.SignIn(demo.Username, demo.Password)
	p.Visit("/admin")
	p.Click(`link "Nodes"`)
	p.WaitFor(`heading "Nodes of test"`)
	for _, name := range []string{"a (this one)", "b", "c"} {
		p.WaitUntil(hasRow("Nodes", name, "Ready", "0"))
	}
	p.WaitUntil(allRoles)
	for _, stream := range []string{"JOURNAL", "KV_catalog", "REALTIME"} {
		p.WaitUntil(replicas(stream, "a", "b", "c"))
	}
	p.AxeInTurn()
	if *screenshots != "" {
		p.Screenshot(filepath.Join(*screenshots, "nodes.png"))
	}

	state.Store(clusterOfThree(1))
	waitForText(p, "Not seen since") // without a reload
	p.WaitUntil(allRoles)
	for _, stream := range []string{"JOURNAL", "KV_catalog", "REALTIME"} {
		p.WaitUntil(replicas(stream, "a", "b", "c (offline)"))
	}
	p.WaitUntil(hasRow("Nodes", "b", "Ready", "0"))
	p.AxeInTurn()
	if *screenshots != "" {
		p.Screenshot(filepath.Join(*screenshots, "nodes-down.png"))
	}

	// Without a majority, the page says so and shows what the node knows.
	state.Store(clusterOfThree(2))
	waitForText(p, "This node cannot read all of the cluster's state")
	p.WaitFor(`region "Nodes" >> tbody tr`)
	p.AxeInTurn()
	if *screenshots != "" {
		p.Screenshot(filepath.Join(*screenshots, "nodes-alone.png"))
	}
}

// withCluster returns the address of a server that reports a state of a cluster, and is otherwise the
// server of the environment.
func (w *environment) withCluster(t *testing.T, state *atomic.Pointer[cluster.Status]) string {
	t.Helper()
	site, err := url.Parse(w.site)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(site); r.Out.Host = r.In.Host },
		FlushInterval: -1, // events
	})
	mux.HandleFunc("GET /manage/v1/cluster", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(state.Load())
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() { // the page may still be connected
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// clusterOfThree returns what node a reports when the last nodes are down.
func clusterOfThree(down int) *cluster.Status {
	const size = 3
	names := []string{"a", "b", "c"}
	roles := []string{"analyses", "baseline", "pictures", "retention", "signals", "streams", "training"}
	c := &cluster.Status{Name: "test", Nodes: []cluster.NodeStatus{}, Streams: []cluster.StreamStatus{}, Journal: cluster.JournalStatus{First: 1, Last: 20}}
	for i, name := range names {
		live := i < size-down
		n := cluster.NodeStatus{
			ID: "id-" + name, Name: name, Version: "test", Self: i == 0, Live: live, Ready: live, State: "ready",
			Seen: time.Now().Add(-time.Second), Position: 20, Roles: []string{},
		}
		if live {
			for k, role := range roles {
				if k%(size-down) == i {
					n.Roles = append(n.Roles, role)
				}
			}
		} else {
			n.Seen = time.Now().Add(-time.Minute)
		}
		c.Nodes = append(c.Nodes, n)
	}
	if down == 2 { // too few for NATS
		c.Problem, c.Journal = "the journal cannot be read", cluster.JournalStatus{}
		return c
	}
	for _, stream := range []string{"JOURNAL", "KV_catalog", "REALTIME"} {
		s := cluster.StreamStatus{Name: stream, Leader: "a"}
		for i, name := range names {
			s.Replicas = append(s.Replicas, cluster.ReplicaStatus{Node: name, Current: i < size-down, Offline: i >= size-down})
		}
		c.Streams = append(c.Streams, s)
	}
	return c
}

// allRoles is a JavaScript expression that reports whether each role has one node.
const allRoles = `[...document.querySelectorAll("[aria-label='Nodes'] tbody tr")].flatMap(r => r.cells[3].innerText.split(", ")).filter(r => r !== "none").sort().join(" ") ===
	"analyses baseline pictures retention signals streams training"`

// replicas returns a JavaScript expression that reports whether a NATS stream has these replicas, in any
// order.
func replicas(stream string, want ...string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("[aria-label='Replicas of NATS streams'] tbody tr")].some(r =>
		r.cells[0].innerText === %s && JSON.stringify(r.cells[2].innerText.split(", ").sort()) === JSON.stringify(%s))`, quoteJS(stream), quoteJS(want))
}
