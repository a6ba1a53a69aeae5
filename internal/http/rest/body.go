package rest

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"earshot"
)

// Limits on bodies that do not have to be large. A decoded body takes several times as much memory
// as its text. The limit for public routes is lower still, because anyone can call them.
const (
	maxSmallBody  = 1 << 20
	maxPublicBody = 16 << 10
)

// maxBodyMemory bounds the total size of bodies above maxSmallBody that are in memory at the same
// time. A body that does not fit waits up to bodyMemoryTimeout. Smaller bodies do not count, so
// clients that send small bodies slowly cannot block others.
const (
	maxBodyMemory     = 512 << 20
	bodyMemoryTimeout = 10 * time.Second
)

// bodyLimit returns the maximum size of the request's body.
func (x *exchange) bodyLimit(large bool) int64 {
	switch {
	case x.route.Access == Public:
		return min(x.server.MaxBody, maxPublicBody)
	case large:
		return x.server.MaxBody
	}
	return min(x.server.MaxBody, maxSmallBody)
}

// readBody returns the decompressed request body. It returns an error if the body exceeds limit
// bytes, either as sent or decompressed.
func readBody(x *exchange, limit int64) ([]byte, error) {
	if x.r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	decoded, err := decompress(x.r, http.MaxBytesReader(x.w.ResponseWriter, x.r.Body, limit))
	if err != nil {
		return nil, err
	}
	size := x.r.ContentLength
	if size < 0 || contentEncoding(x.r) != "" { // the decompressed size is unknown
		size = limit
	}
	if err := x.reserve(size); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	n, err := io.Copy(&buf, io.LimitReader(decoded, limit+1))
	if err != nil {
		return nil, bodyError(err)
	}
	if n > limit {
		return nil, tooLarge(limit)
	}
	x.release(x.reserved - n)
	return buf.Bytes(), nil
}

// reserve waits up to bodyMemoryTimeout until n bytes of body memory are free. Small bodies need no
// reservation.
func (x *exchange) reserve(n int64) error {
	if n <= maxSmallBody {
		return nil
	}
	n = min(n, maxBodyMemory)
	ctx, cancel := context.WithTimeout(x.r.Context(), bodyMemoryTimeout)
	defer cancel()
	if err := x.server.memory.Acquire(ctx, n); err != nil {
		return &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second, Err: err,
			Message: "Too many large requests at the same time. Please send fewer at once and try again"}
	}
	x.reserved = n
	return nil
}

// release returns up to n of the reserved bytes.
func (x *exchange) release(n int64) {
	n = max(0, min(n, x.reserved))
	x.server.memory.Release(n)
	x.reserved -= n
}

// decompress returns a reader that undoes the request's Content-Encoding. It does not read from
// body yet.
func decompress(r *http.Request, body io.Reader) (io.Reader, error) {
	switch encoding := contentEncoding(r); encoding {
	case "":
		return body, nil
	case "gzip", "x-gzip":
		return &gzipReader{from: body}, nil
	default:
		return nil, earshot.InvalidBody("Content-Encoding '%s' is not supported; send gzip or no encoding", earshot.Clip(encoding, 40))
	}
}

// contentEncoding returns the encoding of the request body in lowercase, or "" if it is not
// encoded.
func contentEncoding(r *http.Request) string {
	encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	if encoding == "identity" {
		return ""
	}
	return encoding
}

// A gzipReader is a gzip reader that reads the gzip header on the first Read instead of on
// creation, so creating one cannot block or fail.
type gzipReader struct {
	from io.Reader
	zip  *gzip.Reader
}

func (g *gzipReader) Read(p []byte) (int, error) {
	if g.zip == nil {
		zip, err := gzip.NewReader(g.from)
		if errors.Is(err, io.ErrUnexpectedEOF) { // too short for a header
			err = gzip.ErrHeader
		}
		if err != nil { // io.EOF if the body is empty
			return 0, err
		}
		g.zip = zip
	}
	return g.zip.Read(p)
}

// bodyError converts an error from reading a body to one that is meant for the client.
func bodyError(err error) error {
	var max *http.MaxBytesError
	var corrupt flate.CorruptInputError
	switch {
	case errors.As(err, &max):
		return tooLarge(max.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return earshot.InvalidBody("it did not arrive in time")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return earshot.InvalidBody("it is not valid gzip data")
	}
	return &earshot.Error{Kind: earshot.Invalid, Message: "Invalid request body: it is incomplete", Err: err}
}

func tooLarge(limit int64) error {
	size := fmt.Sprintf("%d bytes", limit)
	if limit >= 1<<20 {
		size = fmt.Sprintf("%d MB", limit>>20)
	}
	return earshot.Errorf(earshot.TooLarge, "The request body is larger than %s. Please split it into several requests", size)
}

// isBlank reports whether a body is empty except for whitespace.
func isBlank(data []byte) bool { return len(bytes.TrimSpace(trimBOM(data))) == 0 }

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\uFEFF")) }
