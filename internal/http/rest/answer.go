package rest

import (
	"net/http"
	"strconv"
	"sync"
)

// Success is the status of an answer that has one. It needs no value.
type Success struct{}

func (Success) MarshalJSON() ([]byte, error) { return []byte(`"success"`), nil }

// AppendJSON implements Appender.
func (Success) AppendJSON(b []byte) []byte { return append(b, `"success"`...) }

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

// texts hold answers while they are made, so that one that fails half way has not been
// sent.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// keepText is the size up to which a text is worth keeping: that of a year of a metric.
const keepText = 4 << 20

// answer makes the JSON of v and sends it. An error means that nothing was sent.
func (x *exchange) answer(v any) (err error) {
	switch v := v.(type) {
	case Download:
		return x.download(v)
	case streamer:
		return x.streamed(v)
	case Events:
		x.events(v)
		return nil
	}
	status := http.StatusOK
	if s, ok := v.(Statuser); ok {
		status = s.HTTPStatus()
	}
	kept := texts.Get().(*[]byte)
	defer texts.Put(kept)
	text := (*kept)[:0]
	if status != http.StatusNoContent {
		if text, err = AppendJSON(text, contentOf(v)); err != nil {
			return err
		}
		if cap(text) <= keepText {
			*kept = text
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

// contentOf returns what the JSON of an answer is made of.
func contentOf(v any) any {
	if w, ok := v.(wrapper); ok {
		return w.content()
	}
	return v
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
