package rest

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// Streamed is the JSON of a T that is sent as it is made, so that a long answer is never
// in memory as a whole. Write writes it in pieces of any size, in UTF-8 and compact.
//
// An error of Write is answered as any other as long as little has been written; what it
// wrote is forgotten. After that the answer is cut off, and the client can tell: it ends
// without its last chunk. The client may take as long as it likes, as long as it keeps
// reading.
type Streamed[T any] struct {
	Write func(w io.Writer) error
}

// JSONLike returns an empty T.
func (Streamed[T]) JSONLike() any { return *new(T) }

func (s Streamed[T]) stream(w io.Writer) error { return s.Write(w) }

// A streamer is a Streamed of any type.
type streamer interface{ stream(w io.Writer) error }

// buffers hold what is sent at a time.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// pieceSize is how much of an answer is sent at a time. A shorter one is sent as those are
// that are not streamed.
const pieceSize = 64 << 10

// streamed sends s. An error means that nothing was sent.
func (x *exchange) streamed(s streamer) error {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	defer buffers.Put(buf)
	w := &pieceWriter{exchange: x, deadline: newDeadline(x), buf: buf}
	err := s.stream(w)
	switch {
	case err == nil && x.w.status == 0:
		x.send(http.StatusOK, buf.Bytes())
	case err == nil:
		err = w.flush()
	}
	if err != nil && x.w.status != 0 {
		x.cutOff(err)
	}
	return err
}

// A pieceWriter gathers what is written and sends it in pieces.
type pieceWriter struct {
	*exchange
	deadline
	buf *bytes.Buffer
}

func (w *pieceWriter) Write(p []byte) (int, error) {
	if w.buf.Len()+len(p) > pieceSize {
		if err := w.flush(); err != nil {
			return 0, err
		}
	}
	return w.buf.Write(p)
}

// flush sends what was gathered, and the headers before the first.
func (w *pieceWriter) flush() error {
	w.extend()
	if w.w.status == 0 {
		w.downloadHeader(Download{})
		w.w.Header().Set("Content-Type", jsonType)
		w.w.WriteHeader(http.StatusOK)
	}
	_, err := w.w.Write(w.buf.Bytes())
	w.buf.Reset()
	return err
}
