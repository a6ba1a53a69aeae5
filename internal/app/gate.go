package app

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"earshot/internal/http/rest"
	"earshot/internal/operate/startup"
)

// A gate serves requests until the App can: /healthz succeeds, /readyz names the running step, and
// everything else gets 503 with Retry-After.
type gate struct {
	*startup.Steps
	handler atomic.Pointer[http.Handler] // nil until the App can serve requests itself
}

// newGate returns a gate for a start whose steps are limited. A limit of 0 means no limit.
func newGate(log *slog.Logger, limit time.Duration) *gate {
	return &gate{Steps: startup.New(log, limit)}
}

// serveWith makes h serve all requests from now on. Nil: g serves them, as before the start.
func (g *gate) serveWith(h http.Handler) {
	if h == nil {
		g.handler.Store(nil)
		return
	}
	g.handler.Store(&h)
}

// ServeHTTP implements http.Handler.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := g.handler.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	switch r.URL.Path {
	case "/healthz":
		writeHealth(w)
	case "/readyz":
		writeReadiness(w, "starting", g.Current())
	default:
		rest.Refuse(w, r, errStarting)
	}
}

func writeHealth(w http.ResponseWriter) {
	header(w, http.StatusOK)
	w.Write([]byte(`{"status":"ok"}`))
}

// writeReadiness writes the response of /readyz. The step may be empty.
func writeReadiness(w http.ResponseWriter, status, step string) {
	if status == "ready" {
		header(w, http.StatusOK)
	} else {
		header(w, http.StatusServiceUnavailable)
	}
	if step != "" {
		fmt.Fprintf(w, `{"status":%q,"step":%q}`, status, step)
		return
	}
	fmt.Fprintf(w, `{"status":%q}`, status)
}

func header(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
}
