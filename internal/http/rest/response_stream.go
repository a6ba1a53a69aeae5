package rest

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// Streamed is the JSON of a T that is sent as it is made, so that a long response is never in
// memory at once. Write writes it in pieces of any size, in UTF-8 and compact.
//
// An error of Write is handled as any other as long as little has been written; what it wrote is
// dropped. After that the response is aborted, and the client can tell: it ends without its last
// chunk. The client may take as long as it likes, as long as it keeps reading.
type Streamed[T any] struct {
	Write func(w io.Writer) error
}

// JSONShape returns an empty T.
func (Streamed[T]) JSONShape() any { return *new(T) }

func (s Streamed[T]) stream(w io.Writer) error { return s.Write(w) }

// A streamer is a Streamed of any type.
type streamer interface{ stream(w io.Writer) error }

// buffers hold what is sent at a time.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// chunkSize is how much of a response is sent at a time. A shorter response is sent at once, with
// its length.
const chunkSize = 64 << 10

// stream sends s. An error means that nothing was sent.
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

func (w *chunkWriter) Write(p []byte) (int, error) {
	if w.buf.Len()+len(p) > chunkSize {
		if err := w.flush(); err != nil {
			return 0, err
		}
	}
	return w.buf.Write(p)
}

// flush sends the buffer, after the headers if it is the first chunk.
func (w *chunkWriter) flush() error {
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
