package rest

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// Streamed is the JSON of a T that is sent while it is produced, so that a long response is never
// in memory as a whole. Write writes the JSON in pieces of any size, in UTF-8 and compact.
//
// If Write returns an error before the first chunk is sent, the client gets an error response and
// the buffered text is dropped. After that the response is aborted. The client can detect this
// because the last chunk is missing. Each chunk extends the deadline, so the client may take any
// amount of time as long as it keeps reading.
type Streamed[T any] struct {
	Write func(w io.Writer) error
}

// JSONShape implements [JSONShaper].
func (Streamed[T]) JSONShape() any { return *new(T) }

func (s Streamed[T]) stream(w io.Writer) error { return s.Write(w) }

// A streamer is a [Streamed] of any type.
type streamer interface{ stream(w io.Writer) error }

// buffers are for chunks.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// chunkSize is the size of the chunks in which a response is sent. A shorter response is sent in
// one piece, with a Content-Length.
const chunkSize = 64 << 10

// stream sends s. If it returns an error, it has sent nothing.
func (x *exchange) stream(s streamer) error {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	defer buffers.Put(buf)
	w := &chunkWriter{exchange: x, deadline: newDeadline(x), buf: buf}
	err := s.stream(w)
	switch {
	case err == nil && x.w.status == 0:
		x.send(http.StatusOK, buf.Bytes())
	case err == nil:
		err = w.flush()
	}
	if err != nil && x.w.status != 0 {
		x.abort(err)
	}
	return err
}

// A chunkWriter buffers writes and sends them in chunks.
type chunkWriter struct {
	*exchange
	deadline
	buf *bytes.Buffer
}

// Write implements [io.Writer].
func (w *chunkWriter) Write(p []byte) (int, error) {
	if w.buf.Len()+len(p) > chunkSize {
		if err := w.flush(); err != nil {
			return 0, err
		}
	}
	return w.buf.Write(p)
}

// flush sends the buffer, preceded by the headers if it is the first chunk.
func (w *chunkWriter) flush() error {
	w.extend()
	if w.w.status == 0 {
		w.downloadHeader(Download{})
		w.w.Header().Set("Content-Type", jsonType)
		w.compressRest()
		w.w.WriteHeader(http.StatusOK)
	}
	err := w.write(w.buf.Bytes())
	w.buf.Reset()
	return err
}
