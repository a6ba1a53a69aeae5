// Package natsnode connects to NATS for the catalog, the ledger, the journal and the streams. The
// server is either embedded in this process, with its files in a directory and no open port, or an
// external cluster. The packages above see no difference.
//
// The package also provides writes that are retried but stored only once. If a response is lost,
// Publish and PublishParts retry for up to 20 seconds, and the server deduplicates. A Bucket does
// the same for entries with a key and a revision. What messages and entries contain is up to the
// packages above.
//
// If several processes write to the same streams, a Fence makes the server reject the writes of one
// that no longer has the right to make them, and a Mutex excludes others for a short time.
package natsnode

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"earshot/internal/state/acklog"
)

// MaxPayload is the maximum message size of the embedded server.
const MaxPayload = 8 << 20

// Options selects the server. Dir is required if URL is empty.
type Options struct {
	Dir         string // files of the embedded server
	URL         string // of an external server, or several separated by commas; empty: embedded
	Credentials string // credentials file for an external server; may be empty
	Replicas    int    // copies of each message; 0 means 1
	Log         *slog.Logger
	Fences      bool  // streams have fences, because several processes write to them
	Peer        *Peer // another store that belongs to the streams; nil: none is known

	// Installation is the ID of an installation without streams, such as one that is restored.
	// Empty: a new one.
	Installation string

	// NoAcknowledgmentLog turns off the log of acknowledged messages, to measure its cost. Without
	// the log, the loss of the last messages of a stream cannot be detected.
	NoAcknowledgmentLog bool

	// Cluster is set if this is one of several nodes; nil: it is the only one.
	Cluster *Cluster
}

// A Peer is what another store knows about the streams. Open fails with an *integrity.DamageError
// unless the streams belong to the same installation and contain what the store has seen.
type Peer struct {
	Name         string            // of the store, for messages: "post store"
	Installation string            // empty if the store does not know it
	Positions    map[string]uint64 // sequence numbers that the store has seen, by stream

	mayLag bool // the store may end before a stream begins
}

// A Node is a connection to a NATS server with JetStream.
type Node struct {
	conn     *nats.Conn
	js       jetstream.JetStream
	replicas int
	fences   bool // of streams
	log      *slog.Logger
	closed   chan struct{} // closed when conn is

	failed  chan struct{} // closed when the embedded server can no longer write
	failure error         // the reason; set before failed is closed
	once    sync.Once     // guards closing failed

	installation string // ID that all streams carry

	// Set for the embedded server only.
	dir       string
	acks      *acklog.Log // nil if it is turned off
	server    *server.Server
	lock      io.Closer
	freeSpace func() (int64, error) // free bytes on the disk
	serverLog *logger

	// Set for a member of a cluster only.
	cluster    *Cluster
	member     *member // as it was at the start
	recorded   *member // last written; used by maintain only
	members    *Bucket
	systemKey  nkeys.KeyPair // of the user of the system account
	stopMember context.CancelFunc
	running    sync.WaitGroup
}

// Open starts the embedded server or connects to the external one. It returns when JetStream
// responds, or with the reason why it does not. Only ctx limits the wait, because an embedded
// server with many files may need long to recover.
func Open(ctx context.Context, o Options) (*Node, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	n := &Node{replicas: max(o.Replicas, 1), fences: o.Fences, log: o.Log, closed: make(chan struct{}), failed: make(chan struct{})}
	start := n.startEmbedded
	switch {
	case o.URL != "":
		start = n.connectExternal
	case o.Cluster != nil:
		start = n.startCluster
	}
	if err := start(ctx, o); err != nil {
		n.Close()
		return nil, err
	}
	if err := n.checkServer(ctx); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

// Conn returns the connection, for requests outside the JetStream interface.
func (n *Node) Conn() *nats.Conn { return n.conn }

// JetStream returns the interface to streams, consumers and buckets.
func (n *Node) JetStream() jetstream.JetStream { return n.js }

// Replicas returns the number of copies that streams should store of each message.
func (n *Node) Replicas() int { return n.replicas }

// Installation returns the ID of the installation that the streams belong to.
func (n *Node) Installation() string { return n.installation }

// Failed returns a channel that is closed when the embedded server can no longer write to a stream,
// for example because the process had no file descriptors left. The server does not recover from
// this until it is restarted. What it has acknowledged is on disk.
func (n *Node) Failed() <-chan struct{} { return n.failed }

// Err returns why writes fail: an error if Failed is closed, and StorageFull if the disk is nearly
// full, from which the server recovers.
func (n *Node) Err() error {
	select {
	case <-n.failed:
		return n.failure
	default:
		return n.CheckFreeSpace(0)
	}
}

// fail closes failed.
func (n *Node) fail(reason string) {
	n.once.Do(func() {
		n.failure = fmt.Errorf("the NATS server can no longer write: %s", reason)
		close(n.failed)
	})
}

// Log returns the logger from Options.
func (n *Node) Log() *slog.Logger { return n.log }

// Close waits for running requests, then closes the connection and stops the embedded server. All
// goroutines of the node have ended when it returns, except for one of a server in a cluster that
// never runs on (see startRouting). A second call has no effect.
func (n *Node) Close() {
	if n.stopMember != nil {
		n.stopMember()
		n.running.Wait()
		if err := n.recordReplicas(); err != nil {
			n.log.Warn("recording the replicas of this node failed", "error", err)
		}
		n.stopMember = nil
	}
	if n.conn != nil {
		if err := n.conn.Drain(); err != nil {
			n.conn.Close() // Drain would fail without a connection
		}
		<-n.closed
	}
	if n.server != nil {
		n.server.Shutdown()
		n.server.WaitForShutdown()
	}
	if n.acks != nil {
		if err := n.acks.Close(); err != nil {
			n.log.Error("closing the acknowledgment log failed", "error", err)
		}
	}
	if n.lock != nil {
		n.lock.Close()
	}
}

// minServerVersion is the first version that is tested. The embedded server is newer.
var minServerVersion = [2]int{2, 14}

// checkServer returns an error unless JetStream responds and the server is recent enough.
func (n *Node) checkServer(ctx context.Context) error {
	var v [2]int
	version := n.conn.ConnectedServerVersion()
	if _, err := fmt.Sscanf(version, "%d.%d", &v[0], &v[1]); err == nil && (v[0] < minServerVersion[0] || v[0] == minServerVersion[0] && v[1] < minServerVersion[1]) {
		return fmt.Errorf("NATS server %s is too old: version %d.%d or later is required", version, minServerVersion[0], minServerVersion[1])
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := n.js.AccountInfo(ctx); err != nil {
		return fmt.Errorf("check JetStream of the NATS server: %w", err)
	}
	return nil
}

// connectOptions returns the options shared by embedded and external connections.
func (n *Node) connectOptions() []nats.Option {
	return []nats.Option{
		nats.Name("earshot"),
		nats.MaxReconnects(-1),
		nats.ReconnectBufSize(-1), // Publish retries; a buffer would hide failures
		nats.DrainTimeout(5 * time.Second),
		nats.ClosedHandler(func(*nats.Conn) { close(n.closed) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				n.log.Warn("nats connection lost", "error", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { n.log.Info("nats connection restored") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { n.log.Warn("nats connection", "error", err) }),
	}
}
