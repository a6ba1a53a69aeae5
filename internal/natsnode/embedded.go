package natsnode

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	startTimeout = 30 * time.Second // a large store is checked at start after a crash

	// noLimit stands for no cap on the store: the server would otherwise settle
	// for three quarters of the disk as it is at start.
	noLimit = 1 << 60
)

// embed starts a server inside this process and connects to it without a socket.
func (n *Node) embed(ctx context.Context, o Options) error {
	if o.Dir == "" {
		return fmt.Errorf("start NATS: no directory for its files")
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("start NATS: %w", err)
	}
	lock, err := lockDir(o.Dir)
	if err != nil {
		return fmt.Errorf("start NATS in %s: %w", o.Dir, err)
	}
	n.lock = lock
	n.free = func() (int64, error) { return freeBytes(o.Dir) }

	log := &logger{log: o.Log}
	n.server, err = server.NewServer(serverOptions(o.Dir))
	if err != nil {
		return fmt.Errorf("start NATS in %s: %w", o.Dir, err)
	}
	n.server.SetLoggerV2(log, false, false, false)
	go n.server.Start()
	if !n.server.ReadyForConnections(remaining(ctx, startTimeout)) || !n.server.JetStreamEnabled() {
		return fmt.Errorf("start NATS in %s: %s", o.Dir, log.reason())
	}

	n.conn, err = nats.Connect("", append(n.options(o.Log), nats.InProcessServer(n.server))...)
	if err != nil {
		return fmt.Errorf("connect to the embedded NATS server: %w", err)
	}
	n.js, err = jetstream.New(n.conn)
	return err
}

func serverOptions(dir string) *server.Options {
	return &server.Options{
		ServerName:             "earshot",
		DontListen:             true,
		NoSigs:                 true, // signals are the program's business
		MaxPayload:             MaxPayload,
		JetStream:              true,
		StoreDir:               dir,
		SyncAlways:             true, // otherwise an acknowledged write can be lost for two minutes
		JetStreamMaxStore:      noLimit,
		DisableJetStreamBanner: true,
	}
}

// remaining returns how long ctx leaves, at most d.
func remaining(ctx context.Context, d time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(d, time.Until(deadline))
	}
	return d
}
