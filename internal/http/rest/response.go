package rest

import (
	"net/http"
	"strconv"
	"sync"
)

// Success is the status of a response that has one. It needs no value.
type Success struct{}

func (Success) MarshalJSON() ([]byte, error) { return []byte(`"success"`), nil }

// AppendJSON implements Appender.
func (Success) AppendJSON(b []byte) []byte { return append(b, `"success"`...) }

// A Statuser is a response that chooses its status; others are 200.
type Statuser interface{ HTTPStatus() int }

// A Headerer is a response that comes with headers of its own.
type Headerer interface{ HTTPHeader() http.Header }

// NoContent is the response 204, without a body.
type NoContent struct{}

func (NoContent) HTTPStatus() int { return http.StatusNoContent }

// Created is the response 201 with the JSON of what was made.
type Created[T any] struct{ Value T }

func (Created[T]) HTTPStatus() int { return http.StatusCreated }

func (c Created[T]) content() any { return c.Value }

// A wrapper is a response whose JSON is that of something within.
type wrapper interface{ content() any }

// responseBuffers hold responses while they are encoded, so that nothing is sent of one that fails.
var responseBuffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooledBuffer is the largest buffer that is reused: a year of a metric fits.
const maxPooledBuffer = 4 << 20

// respond encodes v and sends it. An error means that nothing was sent.
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
	text := (*pooled)[:0]
	if status != http.StatusNoContent {
		content := v
		if w, ok := v.(wrapper); ok {
			content = w.content()
		}
		if text, err = AppendJSON(text, content); err != nil {
			return err
		}
		if cap(text) <= maxPooledBuffer {
			*pooled = text
		}
	}
	if h, ok := v.(Headerer); ok {
		for name, values := range h.HTTPHeader() {
			x.w.Header()[http.CanonicalHeaderKey(name)] = values
		}
	}
	x.send(status, text)
	return nil
}

// jsonType is the content type of JSON responses.
const jsonType = "application/json;charset=UTF-8"

// send writes a complete response. It ignores clients that have disconnected.
func (x *exchange) send(status int, body []byte) {
	h := x.w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if status != http.StatusNoContent {
		h.Set("Content-Type", jsonType)
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body)
}
