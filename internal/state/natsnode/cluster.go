package natsnode

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"earshot/internal/operate/disk"
	"earshot/internal/sleep"
)

// Cluster makes the embedded server a member of a NATS cluster. With an external server, only the
// fact that there are several nodes matters.
//
// The servers listen for each other only; the service connects to its own server without a socket.
// Each server has a certificate that is derived from the secret ([newTLSConfig]).
type Cluster struct {
	Name     string
	NodeName string   // unique in the cluster
	Listen   string   // host:port for connections of other servers
	Peers    []string // host:port of every server, including this one

	// Advertise is the host:port of this server that others pass on to each other; empty: the one
	// that they see.
	Advertise string

	Secret []byte // shared by all nodes

	// Support means that another node determines the installation, for example by restoring a backup.
	Support bool

	// Waiting is called while Open waits for other nodes, with what it waits for, such as "waiting
	// for 2 of 3 nodes: a:6222, b:6222". It may be nil.
	Waiting func(what string)
}

// startCluster starts a server that is a member of a cluster, and connects to it without a socket.
// It returns when the cluster has a leader, which needs a majority of the nodes.
func (n *Node) startCluster(ctx context.Context, o Options) error {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("start NATS: %w", err)
	}
	lock, err := lockDir(o.Dir)
	if err != nil {
		return fmt.Errorf("start NATS in %s: %w", o.Dir, err)
	}
	n.lock, n.dir, n.cluster = lock, o.Dir, o.Cluster
	n.freeSpace = func() (int64, error) { return disk.Free(o.Dir) }
	if n.member, err = openMember(ctx, o); err != nil {
		return err
	}
	options, err := n.clusterOptions(o)
	if err != nil {
		return fmt.Errorf("start NATS in %s: %w", o.Dir, err)
	}
	if err := n.startServer(ctx, o.Dir, options); err != nil {
		return fmt.Errorf("start NATS in %s: %w", o.Dir, err)
	}
	if n.conn, err = nats.Connect("", append(n.connectOptions(), nats.InProcessServer(n.server))...); err != nil {
		return fmt.Errorf("connect to the embedded NATS server: %w", err)
	}
	if n.js, err = jetstream.New(n.conn); err != nil {
		return err
	}
	if err := n.awaitLeader(ctx); err != nil {
		return err
	}
	if n.installation, err = n.agreeOnInstallation(ctx, o); err != nil {
		return err
	}
	if err := n.compareMember(ctx); err != nil {
		return err
	}
	if o.Peer != nil {
		if err := n.comparePeer(ctx, o.Dir, o.Peer.joining()); err != nil {
			return err
		}
	}
	return n.join(ctx)
}

// clusterOptions returns the options of a server in a cluster.
func (n *Node) clusterOptions(o Options) (*server.Options, error) {
	c := o.Cluster
	options := serverOptions(o.Dir)
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return nil, fmt.Errorf("address for other nodes: %w", err)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	options.ServerName = n.member.Server
	options.ReconnectErrorReports = server.DEFAULT_CONNECT_ERROR_REPORTS // by default, every attempt is logged, several per second while a node is down
	options.Cluster = server.ClusterOpts{
		Name:           c.Name,
		Host:           host,
		Advertise:      c.Advertise,
		TLSTimeout:     10, // seconds; the default of 2 is short for a machine under load
		ConnectRetries: 1 << 30,
		PoolSize:       3, // connections between two servers
		Compression:    server.CompressionOpts{Mode: server.CompressionS2Fast},
		PingInterval:   2 * time.Second, // a paused node is recognized within 3 intervals
		MaxPingsOut:    2,
	}
	if options.Cluster.Port, err = strconv.Atoi(port); err != nil {
		return nil, fmt.Errorf("port for other nodes: %w", err)
	}
	if options.Cluster.Port == 0 {
		options.Cluster.Port = server.RANDOM_PORT // to the server, 0 means that it is not in a cluster
	}
	if options.Cluster.TLSConfig, err = newTLSConfig(c.Secret, c.NodeName); err != nil {
		return nil, err
	}
	for _, peer := range c.Peers {
		options.Routes = append(options.Routes, &url.URL{Scheme: "nats", Host: peer})
	}
	// The system account manages members. Its only user is in this process.
	if n.systemKey, err = nkeys.CreateUser(); err != nil {
		return nil, err
	}
	public, err := n.systemKey.PublicKey()
	if err != nil {
		return nil, err
	}
	system := server.NewAccount(server.DEFAULT_SYSTEM_ACCOUNT)
	options.Accounts = []*server.Account{system}
	options.SystemAccount = server.DEFAULT_SYSTEM_ACCOUNT
	options.Nkeys = []*server.NkeyUser{{Nkey: public, Account: system}}
	return options, nil
}

// startRouting lets a server without a port for clients connect to other servers. The server waits
// for its client port before it does so, even if it is told not to open one; this call does what the
// waiting goroutine would, which then never runs on.
func startRouting(s *server.Server) {
	ready := make(chan struct{})
	close(ready)
	s.StartRouting(ready)
}

const (
	leaderPoll    = 100 * time.Millisecond
	waitingPoll   = 2 * time.Second // between two looks at the other nodes
	probeTimeout  = time.Second
	leaderTimeout = 2 * time.Second // of a request to the leader
)

// awaitLeader waits until the cluster has a leader that responds.
func (n *Node) awaitLeader(ctx context.Context) error {
	var looked time.Time
	shown := ""
	for !n.hasLeader(ctx) {
		if reason := n.serverLog.fatal.Load(); reason != nil {
			return errors.New(*reason)
		}
		if time.Since(looked) >= waitingPoll {
			looked = time.Now()
			what := n.missing(ctx)
			if what != shown {
				n.log.Info(what)
			}
			shown = what
			if n.cluster.Waiting != nil {
				n.cluster.Waiting(what)
			}
		}
		if !sleep.For(ctx, leaderPoll) {
			return ctx.Err()
		}
	}
	return nil
}

func (n *Node) hasLeader(ctx context.Context) bool {
	if n.server.JetStreamIsClustered() && len(n.server.JetStreamClusterPeers()) == 0 && !n.server.JetStreamIsLeader() && n.server.NumRoutes() == 0 {
		return false // do not wait for a response that cannot come
	}
	ctx, cancel := context.WithTimeout(ctx, leaderTimeout)
	defer cancel()
	_, err := n.js.AccountInfo(ctx)
	return err == nil
}

// missing returns what a leader is missing: nodes that do not respond, or else an election.
func (n *Node) missing(ctx context.Context) string {
	all := len(n.cluster.Peers)
	var unreachable []string
	for _, peer := range n.cluster.Peers {
		if !reachable(ctx, peer) {
			unreachable = append(unreachable, peer)
		}
	}
	if len(unreachable) > 0 {
		return fmt.Sprintf("waiting for %d of %d nodes: %s", len(unreachable), all, strings.Join(unreachable, ", "))
	}
	if connected := len(n.connectedServers()); connected < all {
		return fmt.Sprintf("waiting for %d of %d nodes, which respond but do not connect", all-connected, all)
	}
	return "waiting for the nodes to elect a leader"
}

// connectedServers returns the names of the servers that are connected, including this one. Each
// server is connected to all others.
func (n *Node) connectedServers() map[string]bool {
	names := map[string]bool{n.member.Server: true}
	routes, err := n.server.Routez(nil)
	if err != nil {
		return names
	}
	for _, r := range routes.Routes {
		names[r.RemoteName] = true
	}
	return names
}

// reachable reports whether something listens at an address.
func reachable(ctx context.Context, address string) bool {
	d := net.Dialer{Timeout: probeTimeout}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}
