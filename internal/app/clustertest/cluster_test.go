// Package clustertest tests a cluster of real processes: nodes are killed, paused, cut off from
// each other, and started with empty directories or wrong clocks, while clients use all of them.
// Then everything that the clients were told must be true on every node.
//
// Nodes connect to each other only through links, which can be frozen, delayed and closed; see
// link_test.go. Clients are in load_test.go and load_*_test.go, what must be true in
// check_*_test.go, and what happens to the nodes in fault_test.go.
package clustertest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"earshot/internal/app/processtest"
)

// limit is how long a test waits for anything that must happen. It is generous: the machine may be
// busy.
const limit = 5 * time.Minute

// A cluster is a number of nodes on this machine. A cluster of one node is a service without
// cluster settings.
type cluster struct {
	testing.TB
	nodes  []*node
	links  map[[2]int]*link // from a node to another
	client *http.Client
	waiter *http.Client // for streaming responses
	token  string
}

// A node is a data directory and the process that serves it.
type node struct {
	index   int
	name    string
	binary  string
	data    string
	address string // of the HTTP API
	flags   []string
	skew    time.Duration // of its clock; needs a binary of buildSkewed

	process *processtest.Process // nil: not running

	mu     sync.Mutex
	paused bool // guarded by mu
}

// version returns the version of the program that a node runs.
func (n *node) version() string { return filepath.Base(n.binary) }

// newCluster starts a cluster and signs in.
func newCluster(t testing.TB, binary string, size int, flags ...string) *cluster {
	t.Helper()
	c := prepareCluster(t, binary, size, flags...)
	if size > 1 {
		c.connect(freePorts(t, size))
	}
	c.startAll()
	return c
}

// newExternalCluster starts a cluster that uses NATS servers at a URL, and signs in.
func newExternalCluster(t testing.TB, binary, url string, size int) *cluster {
	t.Helper()
	c := prepareCluster(t, binary, size, "--nats-url", url, "--cluster-name", "test")
	for _, n := range c.nodes {
		n.flags = append(n.flags, "--node-name", n.name)
	}
	c.startAll()
	return c
}

// prepareCluster returns a cluster whose nodes do not know each other and have not been started.
func prepareCluster(t testing.TB, binary string, size int, flags ...string) *cluster {
	t.Helper()
	c := &cluster{
		TB:     t,
		links:  map[[2]int]*link{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}},
		waiter: &http.Client{Transport: &http.Transport{}},
	}
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.key")
	if err := os.WriteFile(secret, []byte(rand.Text()+rand.Text()), 0o600); err != nil {
		t.Fatal(err)
	}
	ports := freePorts(t, size)
	for i := range size {
		name := string(rune('a' + i))
		c.nodes = append(c.nodes, &node{
			index: i, name: name, binary: binary, data: filepath.Join(dir, name), address: ports[i],
			flags: append([]string{"--listen", ports[i], "--secret-file", secret}, flags...),
		})
	}
	return c
}

// startAll starts all nodes and signs in.
func (c *cluster) startAll() {
	c.Helper()
	for _, n := range c.nodes {
		c.start(n)
	}
	for _, n := range c.nodes {
		c.awaitReady(n)
	}
	c.signIn()
}

// connect creates the links and the settings of the cluster. The address that a node advertises
// refuses connections, so that others cannot bypass the links.
func (c *cluster) connect(listen []string) {
	for _, n := range c.nodes {
		var peers []string
		for _, other := range c.nodes {
			if other == n {
				peers = append(peers, listen[n.index])
				continue
			}
			l := newLink(c, listen[other.index])
			c.links[[2]int{n.index, other.index}] = l
			peers = append(peers, l.address())
		}
		n.flags = append(n.flags, "--cluster-name", "test", "--node-name", n.name, "--cluster-listen", listen[n.index],
			"--cluster-advertise", "127.0.0.1:1", "--peers", strings.Join(peers, ","))
	}
}

// freePorts returns addresses that nothing listens on. They are below the range that the system
// uses for outgoing connections, so that they stay free until a node listens.
func freePorts(t testing.TB, n int) (addresses []string) {
	t.Helper()
	for tries := 0; len(addresses) < n; tries++ {
		if tries > 1000 {
			t.Fatal("found no free ports")
		}
		address := fmt.Sprintf("127.0.0.1:%d", 12000+mathrand.IntN(20000))
		listener, err := net.Listen("tcp", address)
		if err != nil {
			continue
		}
		defer listener.Close() // after all are found, so that they differ
		addresses = append(addresses, address)
	}
	return addresses
}

// start starts a node, and does not wait.
func (c *cluster) start(n *node) {
	c.Helper()
	cmd := processtest.Serve(n.binary, n.data, n.flags...)
	if n.skew != 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", skewVariable, int64(n.skew/time.Second)))
	}
	n.process = processtest.Start(c, cmd)
}

// awaitReady waits until a node is ready.
func (c *cluster) awaitReady(n *node) {
	c.Helper()
	c.await(fmt.Sprintf("node %s is ready", n.name), func() error {
		select {
		case <-n.process.Exited:
			c.Fatalf("node %s exited:\n%s", n.name, n.process.Log)
		default:
		}
		a, err := c.call(n, "GET", "/readyz", "")
		if err == nil && a.status != http.StatusOK {
			err = errors.New(string(a.body))
		}
		return err
	})
}

// restart starts a node that was killed, and waits until it is ready.
func (c *cluster) restart(n *node) {
	c.Helper()
	c.start(n)
	c.awaitReady(n)
}

// await waits until f returns nil. It polls, because most of what it waits for happens in other
// processes.
func (c *cluster) await(what string, f func() error) {
	c.Helper()
	for deadline := time.Now().Add(limit); ; <-time.After(20 * time.Millisecond) {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			c.Fatalf("after %v, not: %s: %v\n%s", limit, what, err, c.logs())
		}
	}
}

// logs returns the ends of the logs of all nodes.
func (c *cluster) logs() string {
	var b strings.Builder
	for _, n := range c.nodes {
		if n.process != nil {
			fmt.Fprintf(&b, "--- node %s\n%s\n", n.name, n.process.Log)
		}
	}
	return b.String()
}

// kill kills a node like a power failure.
func (c *cluster) kill(n *node) {
	c.Helper()
	n.process.Kill(c)
}

// pause stops the process of a node without its knowing; resume continues it.
func (c *cluster) pause(n *node) { c.signal(n, syscall.SIGSTOP, true) }

func (c *cluster) resume(n *node) { c.signal(n, syscall.SIGCONT, false) }

func (c *cluster) signal(n *node, s syscall.Signal, paused bool) {
	c.Helper()
	if err := n.process.Cmd.Process.Signal(s); err != nil {
		c.Fatal(err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.paused = paused
}

// isolate changes all links from and to a node.
func (c *cluster) isolate(n *node, state linkState) {
	for pair, l := range c.links {
		if pair[0] == n.index || pair[1] == n.index {
			l.set(state, 0)
		}
	}
}

// empty removes the data directory of a node that does not run.
func (c *cluster) empty(n *node) {
	c.Helper()
	if err := os.RemoveAll(n.data); err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) signIn() {
	c.Helper()
	var answer struct{ Auth string }
	body := fmt.Sprintf(`{"username":"admin","password":%q,"noExpiration":true}`, processtest.AdminPassword)
	c.must(c.nodes[0], "POST", "/manage/v1/tokens", body, &answer)
	c.token = answer.Auth
}

// An answer is a response that was received completely.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// requestLimit is how long a client waits for an answer before it asks another node.
const requestLimit = 5 * time.Second

// call sends a request. An error means that the request may or may not have taken effect, now or
// later. The header is a list of names and values.
func (c *cluster) call(n *node, method, path, body string, header ...string) (*answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), requestLimit)
	defer cancel()
	request, err := c.request(ctx, n, method, path, body, header...)
	if err != nil {
		return nil, err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return &answer{response.StatusCode, response.Header, content}, err
}

func (c *cluster) request(ctx context.Context, n *node, method, path, body string, header ...string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+n.address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	return request, nil
}

// try sends a request and decodes the answer, unless the status says that it failed.
func (c *cluster) try(n *node, method, path, body string, into any) error {
	a, err := c.call(n, method, path, body)
	if err != nil {
		return fmt.Errorf("%s %s on node %s: %w", method, path, n.name, err)
	}
	if a.status >= 300 {
		return fmt.Errorf("%s %s on node %s: %d %s", method, path, n.name, a.status, a.body)
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		return fmt.Errorf("%s %s on node %s: %w in %s", method, path, n.name, err, a.body)
	}
	return nil
}

// must sends a request that must succeed.
func (c *cluster) must(n *node, method, path, body string, into any) {
	c.Helper()
	if err := c.try(n, method, path, body, into); err != nil {
		c.Fatalf("%v\n%s", err, c.logs())
	}
}
