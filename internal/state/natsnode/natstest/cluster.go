// Package natstest runs a cluster of NATS servers in a test.
package natstest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"earshot/internal/state/natsnode"
)

// A Cluster is a set of servers on 127.0.0.1 that replicate to each other.
type Cluster struct {
	servers []*server.Server
	options []*server.Options // by server
}

// Start starts n servers and waits until they are connected and have elected a leader. They stop at
// the end of the test.
func Start(t testing.TB, n int) *Cluster {
	t.Helper()
	c := &Cluster{}
	for attempt := 1; !c.start(t, n); attempt++ {
		if attempt == 5 {
			t.Fatal("the servers did not start")
		}
	}
	c.waitFor(t, "a leader", func() bool {
		leader := c.find((*server.Server).JetStreamIsLeader)
		return leader != nil && len(leader.JetStreamClusterPeers()) == n
	})
	return c
}

// start makes one attempt. Servers need each other's addresses before the first of them starts, so
// another program may take an address in between.
func (c *Cluster) start(t testing.TB, n int) bool {
	t.Helper()
	var routes []*url.URL
	for range n {
		routes = append(routes, &url.URL{Scheme: "nats", Host: freeAddress(t)})
	}
	c.servers, c.options = nil, nil
	for i := range routes {
		o := newOptions(t, i, routes)
		c.servers, c.options = append(c.servers, startServer(t, o)), append(c.options, o)
	}
	for _, s := range c.servers {
		if !s.ReadyForConnections(5 * time.Second) {
			c.stop()
			return false
		}
	}
	t.Cleanup(c.stop)
	return true
}

func (c *Cluster) stop() {
	for _, s := range c.servers {
		s.Shutdown()
		s.WaitForShutdown()
	}
}

// Options returns the options of a node that connects to the cluster.
func (c *Cluster) Options() natsnode.Options {
	var urls []string
	for _, s := range c.servers {
		urls = append(urls, s.ClientURL())
	}
	return natsnode.Options{URL: strings.Join(urls, ","), Replicas: len(urls), Fences: true}
}

// Open connects to the cluster until the end of the test.
func (c *Cluster) Open(t testing.TB) *natsnode.Node {
	t.Helper()
	var node *natsnode.Node
	c.waitFor(t, "a connection", func() (ok bool) {
		n, err := natsnode.Open(context.Background(), c.Options())
		node = n
		return err == nil
	})
	t.Cleanup(node.Close)
	return node
}

// KillLeader kills the leader of a stream, and returns once it has stopped.
func (c *Cluster) KillLeader(t testing.TB, stream string) {
	t.Helper()
	leads := func(s *server.Server) bool { return s.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, stream) }
	c.waitFor(t, "a leader of "+stream, func() bool { return c.find(leads) != nil })
	s := c.find(leads)
	s.Shutdown()
	s.WaitForShutdown()
}

// StopFollower stops a server that does not lead a stream, and returns a function that starts it again
// with what it has stored.
func (c *Cluster) StopFollower(t testing.TB, stream string) (restart func()) {
	t.Helper()
	leads := func(s *server.Server) bool { return s.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, stream) }
	c.waitFor(t, "a leader of "+stream, func() bool { return c.find(leads) != nil })
	i := slices.IndexFunc(c.servers, func(s *server.Server) bool { return s.Running() && !leads(s) })
	c.servers[i].Shutdown()
	c.servers[i].WaitForShutdown()
	return func() { c.servers[i] = startServer(t, c.options[i]) }
}

func (c *Cluster) find(leads func(*server.Server) bool) *server.Server {
	for _, s := range c.servers {
		if s.Running() && leads(s) {
			return s
		}
	}
	return nil
}

// waitFor polls until a condition holds, because servers do not send notifications.
func (c *Cluster) waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(30 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("timeout waiting for %s", what)
		}
		<-tick.C
	}
}

func newOptions(t testing.TB, i int, routes []*url.URL) *server.Options {
	t.Helper()
	host, port, err := net.SplitHostPort(routes[i].Host)
	if err != nil {
		t.Fatal(err)
	}
	o := &server.Options{
		ServerName: fmt.Sprintf("server-%d", i),
		Host:       host,
		Port:       -1,
		NoSigs:     true,
		NoLog:      true,
		MaxPayload: natsnode.MaxPayload,
		JetStream:  true,
		StoreDir:   t.TempDir(),
		SyncAlways: true,
		Routes:     routes,
		Cluster:    server.ClusterOpts{Name: "test", Host: host},
	}
	fmt.Sscan(port, &o.Cluster.Port)
	return o
}

func startServer(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	s, err := server.NewServer(o.Clone())
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	return s
}

// freeAddress returns an address that no process listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
