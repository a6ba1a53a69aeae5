package webtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot/internal/app/processtest"
	"earshot/internal/testenv"
	"earshot/internal/webtest/browsertest"
)

// TestNodes shows the nodes of a cluster of three real processes: while all are ready, and when one of
// them has been killed.
func TestNodes(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("runs a cluster of real processes")
	}
	if _, err := browsertest.Find(); errors.Is(err, browsertest.ErrNoBrowser) && !browsertest.Required() {
		t.Skip(err)
	}
	browser, err := browsertest.Launch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(browser.Close)
	sites, nodes := startNodes(t)

	p := browser.Open(t, browsertest.Options{Site: sites[0], Width: 1440, Height: 1000})
	p.SignIn("admin", processtest.AdminPassword)
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
	p.Axe()
	if *screenshots != "" {
		p.Screenshot(filepath.Join(*screenshots, "nodes.png"))
	}

	nodes[2].Kill(t)
	waitForText(p, "Not seen since") // without a reload
	p.WaitUntil(allRoles)
	for _, stream := range []string{"JOURNAL", "KV_catalog", "REALTIME"} {
		p.WaitUntil(replicas(stream, "a", "b", "c (offline)"))
	}
	p.WaitUntil(hasRow("Nodes", "b", "Ready", "0"))
	p.Axe()
	if *screenshots != "" {
		p.Screenshot(filepath.Join(*screenshots, "nodes-down.png"))
	}

	// Without a majority, the page says so and shows what the node knows.
	nodes[1].Kill(t)
	waitForText(p, "This node cannot read all of the cluster's state")
	p.WaitFor(`region "Nodes" >> tbody tr`)
	p.Axe()
	if *screenshots != "" {
		p.Screenshot(filepath.Join(*screenshots, "nodes-alone.png"))
	}
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

// startNodes starts a cluster of three processes, waits until all are ready, and returns their
// addresses.
func startNodes(t *testing.T) (sites []string, nodes []*processtest.Process) {
	t.Helper()
	binary, dir := processtest.Build(t), t.TempDir()
	secret := filepath.Join(dir, "secret.key")
	if err := os.WriteFile(secret, []byte(strings.Repeat("0123456789abcdef", 4)), 0o600); err != nil {
		t.Fatal(err)
	}
	peers := freeAddresses(t, 3)
	for i, name := range []string{"a", "b", "c"} {
		nodes = append(nodes, processtest.Start(t, processtest.Serve(binary, filepath.Join(dir, name), "--secret-file", secret,
			"--cluster-name", "test", "--node-name", name, "--cluster-listen", peers[i], "--peers", strings.Join(peers, ","))))
	}
	for _, n := range nodes {
		sites = append(sites, "http://"+n.AwaitReady(t, 2*time.Minute))
	}
	return sites, nodes
}

// freeAddresses returns addresses that nothing listens on. They are below the range that the system uses
// for outgoing connections, so that they stay free until a node listens.
func freeAddresses(t *testing.T, n int) (addresses []string) {
	t.Helper()
	for tries := 0; len(addresses) < n; tries++ {
		if tries > 1000 {
			t.Fatal("found no free ports")
		}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 12000+rand.IntN(20000)))
		if err != nil {
			continue
		}
		defer l.Close() // after all are found, so that they differ
		addresses = append(addresses, l.Addr().String())
	}
	return addresses
}
