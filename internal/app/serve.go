package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"earshot/internal/config"
	"earshot/internal/http/rest"
	"earshot/internal/limit"
	"earshot/internal/operate/startup"
	"earshot/internal/state/journal"
)

// gracePeriod is how long requests in flight may take when the service stops.
const gracePeriod = 10 * time.Second

// Hooks are called while Run starts. Each may be nil.
type Hooks struct {
	Prepare func(ctx context.Context, a *App) error // called before requests are served
	Waiting func(pending int64)                     // called while the pipeline has journal entries to process
	Ready   func(address string)                    // called once requests are served

	// Background is called after Ready, and runs while requests are served. It must return soon after
	// its context ends.
	Background func(ctx context.Context, a *App)
}

// Run serves until ctx ends, then shuts down: it accepts no new connections, completes requests in
// flight, and stores the current batch.
func Run(ctx context.Context, cfg config.Config, o Options, h Hooks) error {
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return err
	}
	if h.Waiting == nil {
		h.Waiting = func(int64) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var limit time.Duration
	if cfg.NATSURL == "" && !cfg.Clustered() { // a node may wait for others for a long time, and calls to an external server have their own timeouts
		limit = startup.Limit(directorySize(cfg.Data))
	}
	o.gate = newGate(o.Log, limit)
	defer o.gate.End()
	o.limits = newLimits(cfg, o.Log)
	connections := o.limits.Connections.Listen(listener)
	server := rest.Server(cfg.Listen, o.gate)
	server.ConnState = connections.ConnState
	server.ErrorLog = slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug) // client errors are not important
	served := make(chan error, 1)
	go func() { served <- server.Serve(connections) }()
	defer server.Close()

	for {
		err := runApp(ctx, cfg, o, h, server, served, listener.Addr().String())
		switch {
		case errors.Is(err, errRejoin):
			h.Prepare = nil // was called
		case cfg.Clustered() && errors.Is(err, journal.ErrTrimmed):
			// Entries were trimmed while the post store was copied or opened: copy it again.
			o.Log.Warn("this node lacks entries that the journal no longer has; starting again", "error", err)
		default:
			return err
		}
	}
}

// errRejoin means that the App must be opened again, because the journal no longer has entries that
// this node lacks. Opening it copies the post store of another node.
var errRejoin = errors.New("this node must copy the post store of another one")

// runApp opens an App and runs it until ctx ends or it fails. Meanwhile, server serves requests, and
// sends to served when it ends.
func runApp(ctx context.Context, cfg config.Config, o Options, h Hooks, server *http.Server, served <-chan error, address string) (err error) {
	a, err := startup.Open(ctx, o.gate.Steps, gracePeriod, func(ctx context.Context) (*App, error) { return Open(ctx, cfg, o) })
	if err != nil {
		return err
	}
	defer func() { a.closeAfter(err) }()
	defer func() {
		if errors.Is(err, errRejoin) {
			o.gate.serveWith(nil)
		}
	}()
	o.gate.serveWith(a.Handler())
	if h.Prepare != nil {
		if err := h.Prepare(ctx, a); err != nil {
			if ctx.Err() != nil {
				return nil // interrupted while starting
			}
			return err
		}
	}
	if err := a.waitReady(ctx, h.Waiting); err != nil {
		if ctx.Err() != nil {
			return nil // interrupted while starting
		}
		return err
	}
	a.log.Info("ready", "address", address, "version", o.Version, "took", time.Since(a.started).Round(time.Millisecond))
	if h.Ready != nil {
		h.Ready(address)
	}
	if h.Background != nil {
		background, stop := context.WithCancel(ctx)
		var running sync.WaitGroup
		running.Go(func() { h.Background(background, a) })
		defer running.Wait()
		defer stop()
	}
	select {
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
	case <-a.node.Failed():
		a.log.Error("storage failed; ending the process, which recovers when it is started again", "error", a.node.Err())
		return fmt.Errorf("%w: %w", errStorage, a.node.Err())
	case err := <-a.displaced:
		return err
	case <-ctx.Done():
	}
	a.log.Info("stopping")
	close(a.stopping)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), gracePeriod)
	defer cancel()
	if err := server.Shutdown(grace); err != nil && !errors.Is(err, http.ErrServerClosed) {
		a.log.Warn("requests interrupted by shutdown", "error", err)
	}
	return nil
}

// errStorage ends the process. Storage recovers only when it is opened again.
var errStorage = errors.New("storage failed: start the service again")

// closeAfter closes the App when Run returns err. Storage that has failed may never close, and the
// process must end anyway.
func (a *App) closeAfter(err error) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		a.Close()
	}()
	var timeout <-chan time.Time
	if errors.Is(err, errStorage) {
		timeout = time.After(gracePeriod)
	}
	select {
	case <-closed:
	case <-timeout:
		a.log.Error("storage did not close in time")
	}
}

// newLimits returns the budgets of the configuration.
func newLimits(cfg config.Config, log *slog.Logger) *limit.Limits {
	return limit.New(limit.Options{
		Memory:      int64(cfg.MemoryLimit) << 20,
		Connections: cfg.ConnectionLimit,
		PerAddress:  cfg.AddressConnectionLimit,
		API:         cfg.RateLimit,
		Other:       cfg.ManageRateLimit,
		Log:         log,
	})
}

// Logger returns a logger with the level and format in the settings.
func Logger(cfg config.Config, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		level = slog.LevelInfo // unreachable, because config validates the level
	}
	options := &slog.HandlerOptions{Level: level}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
