package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"earshot/internal/config"
	"earshot/internal/http/rest"
)

// gracePeriod is how long requests in flight may take when the service stops.
const gracePeriod = 10 * time.Second

// Hooks are called while Run starts. Each may be nil.
type Hooks struct {
	Prepare func(ctx context.Context, a *App) error // called before requests are served
	Waiting func(pending int64)                     // called while the pipeline has journal entries to process
	Ready   func(address string)                    // called once requests are served
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
	if cfg.NATSURL == "" { // calls to an external server have their own timeouts
		limit = stepLimit(directorySize(cfg.Data))
	}
	o.startup = newStartup(o.Log, limit)
	defer o.startup.end()
	server := rest.Server(cfg.Listen, o.startup)
	server.ErrorLog = slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug) // client errors are not important
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer server.Close()

	a, err := o.startup.open(ctx, func(ctx context.Context) (*App, error) { return Open(ctx, cfg, o) })
	if err != nil {
		return err
	}
	defer a.Close()
	o.startup.serveWith(a.Handler())
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
	a.log.Info("ready", "address", listener.Addr().String(), "version", o.Version, "took", time.Since(a.started).Round(time.Millisecond))
	if h.Ready != nil {
		h.Ready(listener.Addr().String())
	}
	select {
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
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
