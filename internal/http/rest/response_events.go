package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/limit"
)

// Events is a response that continues for as long as the client listens: server-sent events. When
// send returns, the event has been sent. ctx is canceled when the client disconnects, when it loses
// access, and when the server stops. A client that remembers the ID of the last event can resume
// after it. An error from Write can no longer be sent to the client, so it is logged.
type Events struct {
	// From is the ID from which the client resumes if the connection is lost before the first
	// event. Empty means none.
	From  string
	Write func(ctx context.Context, send func(Event) error) error

	// Allow reports whether the caller may still listen. It is called at every heartbeat and after every
	// change of users, with the current state of the caller. If Allow is nil, a valid token or session
	// and the route's permission are enough.
	Allow func(c *earshot.Caller) error
}

// An Event is one server-sent event. Data must not contain a line break.
type Event struct {
	ID   string // the client sends it back as request:"Last-Event-ID"
	Name string
	Data []byte
}

// heartbeatInterval is how often a listening client gets a heartbeat and its access is checked
// again.
const heartbeatInterval = 15 * time.Second

// events sends e and returns when the client stops listening.
func (x *exchange) events(e Events) {
	h := x.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Accel-Buffering", "no") // proxies must not buffer
	x.w.WriteHeader(http.StatusOK)
	if x.w.head {
		return
	}
	w := &eventWriter{exchange: x, control: http.NewResponseController(x.w.ResponseWriter)}
	_ = w.control.SetReadDeadline(time.Time{}) // the request has been read
	if w.sendStart(e.From) != nil {
		return // the client disconnected
	}
	ctx, cancel := context.WithCancelCause(x.r.Context())
	var beating sync.WaitGroup
	beating.Go(func() { cancel(w.sendHeartbeats(ctx, e.Allow)) })
	defer beating.Wait() // even if Write panics, because nothing may write to a finished response
	defer cancel(nil)
	err := e.Write(ctx, w.send)
	if err != nil && !errors.Is(err, context.Canceled) && x.r.Context().Err() == nil {
		x.log().Warn("events ended", "error", err)
	}
}

// An eventWriter sends events and heartbeats. It is safe for concurrent use.
type eventWriter struct {
	*exchange
	control *http.ResponseController
	mu      sync.Mutex
	buf     bytes.Buffer // guarded by mu
}

// sendStart sends a comment and the ID from which the client resumes.
func (w *eventWriter) sendStart(from string) error {
	return w.write(func() {
		w.buf.WriteString(": listening\n")
		w.field("id", from)
		w.buf.WriteString("\n")
	})
}

func (w *eventWriter) send(e Event) error {
	return w.write(func() {
		w.field("id", e.ID)
		w.field("event", e.Name)
		w.buf.WriteString("data: ")
		w.buf.Write(e.Data)
		w.buf.WriteString("\n\n")
	})
}

// field adds a line unless the value is empty. It removes line breaks from the value.
func (w *eventWriter) field(name, value string) {
	if value != "" {
		w.buf.WriteString(name + ": " + strings.NewReplacer("\n", "", "\r", "", "\x00", "").Replace(value) + "\n")
	}
}

// sendHeartbeats sends heartbeats until ctx is canceled, the server stops or the caller loses
// access. It returns the reason.
func (w *eventWriter) sendHeartbeats(ctx context.Context, allow func(*earshot.Caller) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	changed := make(chan struct{}, 1)
	defer w.server.AccessChanges(changed)()
	for beat := false; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.server.Stopping:
			return errStopping
		case <-changed:
			beat = false
		case <-tick.C:
			beat = true
		}
		if err := w.checkAccess(ctx, allow); err != nil {
			return err
		}
		if !beat {
			continue
		}
		if err := w.write(func() { w.buf.WriteString(":\n\n") }); err != nil {
			return err
		}
	}
}

// checkAccess verifies the token or session again and checks the caller's current permissions.
func (w *eventWriter) checkAccess(ctx context.Context, allow func(*earshot.Caller) error) error {
	caller, err := w.identify(ctx)
	if err != nil {
		return err
	}
	if p, needed := permissions[w.route.Access]; needed && !caller.May(p) {
		return earshot.ErrAccessDenied
	}
	if allow == nil {
		return nil
	}
	return allow(caller)
}

// write sends what fill writes to the buffer and flushes it.
func (w *eventWriter) write(fill func()) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.Reset()
	fill()
	_ = w.control.SetWriteDeadline(time.Now().Add(limit.StallTimeout)) // fails if the connection does not support deadlines
	if _, err := w.w.Write(w.buf.Bytes()); err != nil {
		return err
	}
	return w.control.Flush()
}
