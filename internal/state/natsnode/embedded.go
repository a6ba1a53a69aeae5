package natsnode

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/operate/disk"
	"earshot/internal/state/acklog"
	"earshot/internal/state/natsfile"
)

const (
	// recoveryLogInterval is how often a long recovery is logged.
	recoveryLogInterval = 10 * time.Second

	// unlimitedBytes disables the storage limit. By default the server limits itself to three
	// quarters of the disk space that is free when it starts.
	unlimitedBytes = 1 << 60
)

// startEmbedded starts a server in this process and connects to it without a socket.
func (n *Node) startEmbedded(ctx context.Context, o Options) error {
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
	n.freeSpace = func() (int64, error) { return disk.Free(o.Dir) }
	n.dir = o.Dir
	if err := refuseMember(o.Dir); err != nil {
		return err
	}
	contents, err := n.verifyFiles(ctx, o.Peer)
	if err != nil {
		return err
	}
	if len(contents.Streams) == 0 && o.Installation != "" {
		contents.Installation = o.Installation
	}
	n.installation = contents.Installation
	if err := n.startServer(ctx, o.Dir, serverOptions(o.Dir)); err != nil {
		return fmt.Errorf("start NATS in %s: %w", o.Dir, err)
	}
	n.conn, err = nats.Connect("", append(n.connectOptions(), nats.InProcessServer(n.server))...)
	if err != nil {
		return fmt.Errorf("connect to the embedded NATS server: %w", err)
	}
	if n.js, err = jetstream.New(n.conn); err != nil {
		return err
	}
	if err := n.verifyServer(ctx, contents); err != nil {
		return err
	}
	if !o.NoAcknowledgmentLog {
		n.acks, err = acklog.Create(o.Dir, contents)
	}
	return err
}

// startServer starts the server and returns when it is ready. Only ctx limits the wait: after a
// crash the server reads all of a large store, so with a timeout every start would fail.
func (n *Node) startServer(ctx context.Context, dir string, options *server.Options) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	moved, err := natsfile.SetAsideConsumers(dir)
	if err != nil {
		return fmt.Errorf("set damaged consumers aside: %w", err)
	}
	for _, consumer := range moved {
		n.log.Warn("set a damaged consumer of an earlier version aside", "directory", consumer)
	}
	log := &logger{log: n.log, fail: n.fail}
	n.serverLog = log
	s, err := server.NewServer(options)
	if err != nil {
		return err
	}
	s.SetLoggerV2(log, false, false, false)
	started := make(chan struct{})
	go func() {
		defer close(started)
		s.Start() // returns when the server is ready or has failed, because it does not listen
		if n.cluster != nil && log.fatal.Load() == nil {
			startRouting(s)
		}
	}()
	if err := awaitStart(ctx, started, n.log); err != nil {
		n.stopWhenStarted(s, started)
		return err
	}
	n.server = s
	if reason := log.fatal.Load(); reason != nil {
		return errors.New(*reason)
	}
	if !s.JetStreamEnabled() {
		return errors.New("the server runs without JetStream")
	}
	return nil
}

// awaitStart returns when started is closed, or with the error of ctx.
func awaitStart(ctx context.Context, started <-chan struct{}, log *slog.Logger) error {
	began := time.Now()
	tick := time.NewTicker(recoveryLogInterval)
	defer tick.Stop()
	for {
		select {
		case <-started:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			log.Info("nats is still recovering its files", "duration", time.Since(began).Round(time.Second))
		}
	}
}

// stopWhenStarted stops a server in the background, because a server cannot be stopped before it
// has started. The directory stays locked until then or until the process ends, which the files
// survive as they survive a crash.
func (n *Node) stopWhenStarted(s *server.Server, started <-chan struct{}) {
	lock := n.lock
	n.lock = nil
	go func() {
		<-started
		s.Shutdown()
		s.WaitForShutdown()
		lock.Close()
	}()
}

func serverOptions(dir string) *server.Options {
	return &server.Options{
		ServerName:             "earshot",
		DontListen:             true,
		NoSigs:                 true, // the program handles signals
		MaxPayload:             MaxPayload,
		JetStream:              true,
		StoreDir:               dir,
		SyncAlways:             true, // without it a crash loses up to two minutes of acknowledged writes
		JetStreamMaxStore:      unlimitedBytes,
		DisableJetStreamBanner: true,
	}
}
