// Package natsnode opens the NATS connection that the catalog, the journal and
// the streams live on: a server inside this process, with its files below a
// directory and no open port, or an external cluster at an address. What is
// above it cannot tell the two apart.
//
// Its second concern is writing exactly once. Publish and PublishParts repeat a
// write whose answer got lost until they know that it is stored, and the server
// recognises the repeat. A Bucket does so for records that have a key and a
// revision. What messages and records mean is left to the packages above.
package natsnode

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// MaxPayload is the largest message of the embedded server.
const MaxPayload = 8 << 20

// Options say where the server is. Dir is needed when URL is empty.
type Options struct {
	Dir         string // the embedded server's files
	URL         string // of an external server or, separated by commas, several; empty: embedded
	Credentials string // file with the credentials for an external server; may be empty
	Replicas    int    // copies of each record; 0 is 1
	Log         *slog.Logger
}

// A Node is a connection to a NATS server with JetStream.
type Node struct {
	conn     *nats.Conn
	js       jetstream.JetStream
	replicas int
	log      *slog.Logger
	closed   chan struct{} // closed when conn is

	// The rest is of the embedded server only.
	server *server.Server
	lock   io.Closer
	free   func() (int64, error) // bytes left on the disk
}

// Open starts the embedded server or connects to the external one. It returns
// when JetStream answers, or with the reason why it does not. An embedded server
// that has many files to recover takes its time; ctx is what limits it.
func Open(ctx context.Context, o Options) (*Node, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	n := &Node{replicas: max(o.Replicas, 1), log: o.Log, closed: make(chan struct{})}
	start := n.connectExternal
	if o.URL == "" {
		start = n.startEmbedded
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

// Conn returns the connection, for what JetStream does not do.
func (n *Node) Conn() *nats.Conn { return n.conn }

// JetStream returns the interface to streams, consumers and buckets.
func (n *Node) JetStream() jetstream.JetStream { return n.js }

// Replicas returns how many copies of a record streams and buckets should keep.
func (n *Node) Replicas() int { return n.replicas }

// Log returns the logger of Options, for what lives on the node.
func (n *Node) Log() *slog.Logger { return n.log }

// Close lets running requests finish, then ends the connection and the embedded
// server. Nothing of the node runs when it returns. A second Close does nothing.
func (n *Node) Close() {
	if n.conn != nil {
		if err := n.conn.Drain(); err != nil {
			n.conn.Close() // not connected at the moment: there is nothing to drain
		}
		<-n.closed
	}
	if n.server != nil {
		n.server.Shutdown()
		n.server.WaitForShutdown()
	}
	if n.lock != nil {
		n.lock.Close()
	}
}

// minServerVersion is the first version that can reset a consumer. The embedded one
// is newer.
var minServerVersion = [2]int{2, 14}

// checkServer makes sure that JetStream answers and is recent enough.
func (n *Node) checkServer(ctx context.Context) error {
	var v [2]int
	version := n.conn.ConnectedServerVersion()
	if _, err := fmt.Sscanf(version, "%d.%d", &v[0], &v[1]); err == nil && (v[0] < minServerVersion[0] || v[0] == minServerVersion[0] && v[1] < minServerVersion[1]) {
		return fmt.Errorf("NATS server %s is too old: %d.%d or newer is needed", version, minServerVersion[0], minServerVersion[1])
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := n.js.AccountInfo(ctx); err != nil {
		return fmt.Errorf("ask the NATS server for JetStream: %w", err)
	}
	return nil
}

// connectOptions are what embedded and external connections have in common.
func (n *Node) connectOptions() []nats.Option {
	return []nats.Option{
		nats.Name("earshot"),
		nats.MaxReconnects(-1),
		nats.ReconnectBufSize(-1), // Publish repeats what could not be sent; a second buffer would only hide it
		nats.DrainTimeout(5 * time.Second),
		nats.ClosedHandler(func(*nats.Conn) { close(n.closed) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				n.log.Warn("nats connection lost", "err", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { n.log.Info("nats connection restored") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { n.log.Warn("nats connection", "err", err) }),
	}
}
