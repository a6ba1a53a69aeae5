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

// The limits of bodies that need not be large: decoded, a body takes several
// times the memory it took as text. Anyone can send one to a public route.
const (
	maxSmallBody  = 1 << 20
	maxPublicBody = 16 << 10
)

// maxBodyMemory bounds the bodies above maxSmallBody in memory at the same time, as
// text. Those that do not fit wait for bodyMemoryTimeout. Smaller ones are not
// counted, so that clients who send theirs slowly keep nobody waiting.
const (
	maxBodyMemory     = 512 << 20
	bodyMemoryTimeout = 10 * time.Second
)

// bodyLimit returns how large the body of the route may be.
func (x *exchange) bodyLimit(large bool) int64 {
	switch {
	case x.route.Access == Public:
		return min(x.server.MaxBody, maxPublicBody)
	case large:
		return x.server.MaxBody
	}
	return min(x.server.MaxBody, maxSmallBody)
}

// readBody returns the decompressed request body. It takes no more than limit
// bytes from the client, and makes no more of them.
func readBody(x *exchange, limit int64) ([]byte, error) {
	if x.r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	decoded, err := decompress(x.r, http.MaxBytesReader(x.w.ResponseWriter, x.r.Body, limit))
	if err != nil {
		return nil, err
	}
	size := x.r.ContentLength
	if size < 0 || contentEncoding(x.r) != "" { // the request does not tell
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

// reserve waits until there is memory for n bytes of body, for a while. A small
// body needs no permission.
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

// release gives back n bytes of what is reserved, if there are as many.
func (x *exchange) release(n int64) {
	n = max(0, min(n, x.reserved))
	x.server.memory.Release(n)
	x.reserved -= n
}

// decompress returns a reader of the body as it was before the client's
// Content-Encoding. It reads nothing yet.
func decompress(r *http.Request, body io.Reader) (io.Reader, error) {
	switch encoding := contentEncoding(r); encoding {
	case "":
		return body, nil
	case "gzip", "x-gzip":
		return &gzipReader{from: body}, nil
	default:
		return nil, earshot.InvalidBody("Content-Encoding '%s' is not supported, please send gzip or no encoding", earshot.Clip(encoding, 40))
	}
}

// contentEncoding returns how the client compressed the body, "" when it did not.
func contentEncoding(r *http.Request) string {
	encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	if encoding == "identity" {
		return ""
	}
	return encoding
}

// A gzipReader is a gzip reader that reads the header with the first byte, so
// that making one cannot block or fail.
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

// bodyError says why a body could not be read.
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
	return &earshot.Error{Kind: earshot.Invalid, Message: "Invalid request body: it ends too early", Err: err}
}

func tooLarge(limit int64) error {
	size := fmt.Sprintf("%d bytes", limit)
	if limit >= 1<<20 {
		size = fmt.Sprintf("%d MB", limit>>20)
	}
	return earshot.Errorf(earshot.TooLarge, "The request body is larger than %s. Please split it into several requests", size)
}

// isBlank reports whether a body has nothing in it.
func isBlank(data []byte) bool { return len(bytes.TrimSpace(trimBOM(data))) == 0 }

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\uFEFF")) }
