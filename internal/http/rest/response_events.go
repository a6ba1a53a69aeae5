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
)

// Events is a response that goes on for as long as the client listens: server-sent events. Each
// is on its way when send returns. ctx ends when the client has gone, when it may listen no
// longer, and when the service stops; a client that has kept the id of the last event then
// goes on from there. An error of Write comes too late for a response and is logged.
type Events struct {
	// From is the id that the client goes on from when the connection is lost before the first
	// event; empty: none.
	From  string
	Write func(ctx context.Context, send func(Event) error) error

	// Allow is asked now and then whether the caller, as it is by then, may still listen. nil:
	// a valid token or session and the permission of the route are enough.
	Allow func(c *earshot.Caller) error
}

// An Event is something that happened. Its data must not contain a line break.
type Event struct {
	ID   string // comes back as request:"Last-Event-ID"
	Name string
	Data []byte
}

// heartbeatInterval is how often a client hears that it is still connected, and how often it is
// checked whether it still may be.
const heartbeatInterval = 15 * time.Second

// events sends e, and returns when listening is over.
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
	_ = w.control.SetReadDeadline(time.Time{}) // the request is read
	if w.sendStart(e.From) != nil {
		return // the client has gone
	}
	ctx, cancel := context.WithCancelCause(x.r.Context())
	var beating sync.WaitGroup
	beating.Go(func() { cancel(w.sendHeartbeats(ctx, e.Allow)) })
	defer beating.Wait() // also if Write panics: nothing may write to a response that has ended
	defer cancel(nil)
	err := e.Write(ctx, w.send)
	if err != nil && !errors.Is(err, context.Canceled) && x.r.Context().Err() == nil {
		x.log().Warn("events ended", "error", err)
	}
}

// An eventWriter sends events and heartbeats, one at a time.
type eventWriter struct {
	*exchange
	control *http.ResponseController
	mu      sync.Mutex
	buf     bytes.Buffer // guarded by mu
}

// sendStart sends a comment and the id that the client resumes from.
func (w *eventWriter) sendStart(from string) error {
	return w.write(func() {
		w.buf.WriteString(": listening\n")
		w.field("id", from)
		w.buf.WriteString("\n")
	})
}

// send sends an event.
func (w *eventWriter) send(e Event) error {
	return w.write(func() {
		w.field("id", e.ID)
		w.field("event", e.Name)
		w.buf.WriteString("data: ")
		w.buf.Write(e.Data)
		w.buf.WriteString("\n\n")
	})
}

// field adds a line, unless the value is empty.
func (w *eventWriter) field(name, value string) {
	if value != "" {
		w.buf.WriteString(name + ": " + strings.NewReplacer("\n", "", "\r", "", "\x00", "").Replace(value) + "\n")
	}
}

// sendHeartbeats sends heartbeats until ctx ends or access is lost, and returns why.
func (w *eventWriter) sendHeartbeats(ctx context.Context, allow func(*earshot.Caller) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.server.Stopping:
			return errStopping
		case <-tick.C:
		}
		if err := w.checkAccess(ctx, allow); err != nil {
			return err
		}
		if err := w.write(func() { w.buf.WriteString(":\n\n") }); err != nil {
			return err
		}
	}
}

// checkAccess checks the token or the session again, and the current permissions.
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

// write writes what fill puts into the buffer, and flushes it.
func (w *eventWriter) write(fill func()) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.Reset()
	fill()
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a connection without deadlines needs none
	if _, err := w.w.Write(w.buf.Bytes()); err != nil {
		return err
	}
	return w.control.Flush()
}
