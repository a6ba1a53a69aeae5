package rest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
)

// Success is the status of an answer that has one. It needs no value.
type Success struct{}

func (Success) MarshalJSON() ([]byte, error) { return []byte(`"success"`), nil }

// A Statuser is an answer that chooses its status; others are 200.
type Statuser interface{ HTTPStatus() int }

// A Headerer is an answer that comes with headers of its own.
type Headerer interface{ HTTPHeader() http.Header }

// NoContent is the answer 204, without a body.
type NoContent struct{}

func (NoContent) HTTPStatus() int { return http.StatusNoContent }

// Created is the answer 201 with the JSON of what was made.
type Created[T any] struct{ Value T }

func (Created[T]) HTTPStatus() int { return http.StatusCreated }

func (c Created[T]) content() any { return c.Value }

// A wrapper is an answer whose JSON is that of something within.
type wrapper interface{ content() any }

// buffers hold answers while they are marshalled, so that one that fails half
// way has not been sent.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keepBuffer is the size up to which a buffer is worth keeping.
const keepBuffer = 1 << 20

// answer marshals v and sends it. An error means that nothing was sent.
func (x *exchange) answer(v any) error {
	switch v := v.(type) {
	case Download:
		return x.download(v)
	case streamer:
		return x.streamed(v)
	}
	status := http.StatusOK
	if s, ok := v.(Statuser); ok {
		status = s.HTTPStatus()
	}
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	defer func() {
		if buf.Cap() <= keepBuffer {
			buffers.Put(buf)
		}
	}()
	if status != http.StatusNoContent {
		if err := encode(buf, v); err != nil {
			return err
		}
	}
	if h, ok := v.(Headerer); ok {
		for name, values := range h.HTTPHeader() {
			x.w.Header()[http.CanonicalHeaderKey(name)] = values
		}
	}
	x.send(status, buf.Bytes())
	return nil
}

// encode writes the compact JSON of v.
func encode(buf *bytes.Buffer, v any) error {
	if w, ok := v.(wrapper); ok {
		v = w.content()
	}
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false) // post URLs carry ampersands
	if err := enc.Encode(v); err != nil {
		return err
	}
	buf.Truncate(buf.Len() - 1) // the encoder's newline
	return nil
}

// jsonType is the content type of answers in JSON.
const jsonType = "application/json;charset=UTF-8"

// send writes a whole answer. A client that has gone is not our concern.
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
