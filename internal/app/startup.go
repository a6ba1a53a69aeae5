package app

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"earshot/internal/http/rest"
)

// slowStep is how long a startup step may take before it is logged. It is logged again each time
// its duration has doubled.
const slowStep = 5 * time.Second

// A startup tracks the running step of a start, and serves requests until the App can: /healthz
// succeeds, /readyz names the step, and everything else gets 503 with Retry-After.
type startup struct {
	log   *slog.Logger
	stuck chan error // gets an error if a step exceeds the limit

	handler atomic.Pointer[http.Handler] // nil until the App can serve requests itself

	mu    sync.Mutex
	step  string      // guarded by mu; empty before the first step and after the last
	since time.Time   // guarded by mu; when the step started
	slow  *time.Timer // guarded by mu; logs the step

	limit time.Duration // guarded by mu; of a step; 0: none
	late  *time.Timer   // guarded by mu; sends to stuck; nil without a limit
}

// newStartup returns a startup whose steps are limited. A limit of 0 means no limit.
func newStartup(log *slog.Logger, limit time.Duration) *startup {
	return &startup{log: log, limit: limit, stuck: make(chan error, 1)}
}

// begin ends the running step and starts another one. The name is a phrase such as "opening the
// journal".
func (s *startup) begin(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endStep()
	s.step, s.since = step, time.Now()
	s.logAfter(step, slowStep)
	s.limitStep(step)
}

// end ends the last step.
func (s *startup) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endStep()
}

// endStep ends the running step, if any. s.mu must be held.
func (s *startup) endStep() {
	if s.slow != nil {
		s.slow.Stop()
	}
	if s.late != nil {
		s.late.Stop()
	}
	if took := time.Since(s.since); s.step != "" && took >= slowStep {
		s.log.Info("startup step finished", "step", s.step, "took", took.Round(time.Millisecond))
	}
	s.step = ""
}

// logAfter logs the step if it is still running after a duration. s.mu must be held.
func (s *startup) logAfter(step string, after time.Duration) {
	began := s.since
	s.slow = time.AfterFunc(after-time.Since(began), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.step != step || !s.since.Equal(began) {
			return
		}
		s.log.Warn("startup step is slow", "step", step, "running", time.Since(began).Round(time.Second))
		s.logAfter(step, 2*after)
	})
}

// current returns the running step.
func (s *startup) current() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.step
}

// serveWith makes h serve all requests from now on. Nil: s serves them, as before the start.
func (s *startup) serveWith(h http.Handler) {
	if h == nil {
		s.handler.Store(nil)
		return
	}
	s.handler.Store(&h)
}

// ServeHTTP implements http.Handler.
func (s *startup) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := s.handler.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	switch r.URL.Path {
	case "/healthz":
		writeHealth(w)
	case "/readyz":
		writeReadiness(w, "starting", s.current())
	default:
		rest.Refuse(w, r, errStarting)
	}
}

// writeHealth writes the response of /healthz.
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
