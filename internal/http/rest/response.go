package rest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
)

// Success is a response field that is always "success".
type Success struct{}

// MarshalJSON implements [json.Marshaler].
func (Success) MarshalJSON() ([]byte, error) { return []byte(`"success"`), nil }

// AppendJSON implements [Appender].
func (Success) AppendJSON(b []byte) []byte { return append(b, `"success"`...) }

// A Statuser is a response that sets its HTTP status. The status of other responses is 200.
type Statuser interface{ HTTPStatus() int }

// A Headerer is a response that sets HTTP headers.
type Headerer interface{ HTTPHeader() http.Header }

// NoContent is a response with status 204 and no body.
type NoContent struct{}

// HTTPStatus implements [Statuser].
func (NoContent) HTTPStatus() int { return http.StatusNoContent }

// Created is a response with status 201 and the created object as JSON.
type Created[T any] struct{ Value T }

// HTTPStatus implements [Statuser].
func (Created[T]) HTTPStatus() int { return http.StatusCreated }

func (c Created[T]) content() any { return c.Value }

// An Answer is a response with the given status and the JSON of Value. It is for endpoints that pass
// on the answer of something else.
type Answer struct {
	Status int
	Value  any // nil: an empty object
}

// HTTPStatus implements [Statuser].
func (a Answer) HTTPStatus() int { return a.Status }

// JSONShape implements [JSONShaper]: the value may be anything.
func (Answer) JSONShape() any { return json.RawMessage(nil) }

func (a Answer) content() any {
	if a.Value == nil {
		return struct{}{}
	}
	return a.Value
}

// A wrapper is a response with the JSON of another value.
type wrapper interface{ content() any }

// responseBuffers are for encoding a response before sending it.
var responseBuffers = sync.Pool{New: func() any { return new([]byte) }}

// maxResponseBuffer is the largest response that is encoded before any of it is sent. It has a
// Content-Length, and nothing is sent if encoding fails. A year of most metrics is smaller. Longer
// responses are sent in parts of about this size.
const maxResponseBuffer = 256 << 10

// maxPooledBuffer is the largest buffer that is reused. A buffer exceeds maxResponseBuffer by one
// element of a list.
const maxPooledBuffer = 2 * maxResponseBuffer

// respond encodes and sends v. If it returns an error, it has sent nothing.
func (x *exchange) respond(v any) (err error) {
	switch v := v.(type) {
	case Download:
		return x.download(v)
	case streamer:
		return x.stream(v)
	case Events:
		x.events(v)
		return nil
	}
	status := http.StatusOK
	if s, ok := v.(Statuser); ok {
		status = s.HTTPStatus()
	}
	pooled := responseBuffers.Get().(*[]byte)
	defer responseBuffers.Put(pooled)
	w := &partWriter{exchange: x, status: status, response: v}
	text := (*pooled)[:0]
	if status != http.StatusNoContent {
		content := v
		if w, ok := v.(wrapper); ok {
			content = w.content()
		}
		if text, err = appendParts(text, content, w.flush); err != nil {
			if w.started() {
				x.abort(err)
			}
			return err
		}
		if cap(text) <= maxPooledBuffer {
			*pooled = text
		}
	}
	if w.started() {
		if _, err := w.flush(text); err != nil {
			x.abort(err)
		}
		return nil
	}
	x.setHeaders(v)
	x.send(status, text)
	return nil
}

func (x *exchange) setHeaders(v any) {
	if h, ok := v.(Headerer); ok {
		for name, values := range h.HTTPHeader() {
			x.w.Header()[http.CanonicalHeaderKey(name)] = values
		}
	}
}

// A partWriter sends a long response in parts.
type partWriter struct {
	*exchange
	deadline
	status   int
	response any
}

// started reports whether a part was sent.
func (w *partWriter) started() bool { return w.control != nil }

// flush sends b, preceded by the headers if it is the first part, and returns an empty buffer.
func (w *partWriter) flush(b []byte) ([]byte, error) {
	if !w.started() {
		w.deadline = newDeadline(w.exchange)
		w.setHeaders(w.response)
		w.downloadHeader(Download{})
		w.w.Header().Set("Content-Type", jsonType)
		w.compressRest()
		w.w.WriteHeader(w.status)
	}
	w.extend()
	return b[:0], w.write(b)
}

// jsonType is the content type of JSON responses.
const jsonType = "application/json;charset=UTF-8"

// send writes a complete response. It ignores write errors, because the client may have
// disconnected.
func (x *exchange) send(status int, body []byte) {
	h := x.w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if status != http.StatusNoContent {
		body = x.compress(body)
		h.Set("Content-Type", jsonType)
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body)
}
