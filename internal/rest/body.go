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

// smallBody bounds bodies that need not be large: decoded, a body takes several
// times the memory it took as text.
const smallBody = 1 << 20

// bodyMemory bounds the bodies in memory at the same time, as text. Those that
// do not fit wait for bodyPatience.
const (
	bodyMemory   = 512 << 20
	bodyPatience = 10 * time.Second
)

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
	if err := x.reserve(limit); err != nil {
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
	x.release(limit - n)
	return buf.Bytes(), nil
}

// reserve waits until there is memory for n bytes of body, for a while.
func (x *exchange) reserve(n int64) error {
	n = min(n, bodyMemory)
	ctx, cancel := context.WithTimeout(x.r.Context(), bodyPatience)
	defer cancel()
	if err := x.server.memory.Acquire(ctx, n); err != nil {
		return &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second, Err: err,
			Message: "Too many large requests at the same time. Please send fewer at once and try again"}
	}
	x.reserved = n
	return nil
}

// release gives back some of what is reserved.
func (x *exchange) release(n int64) {
	n = min(n, x.reserved)
	x.server.memory.Release(n)
	x.reserved -= n
}

// decompress returns a reader of the body as it was before the client's
// Content-Encoding. It reads nothing yet.
func decompress(r *http.Request, body io.Reader) (io.Reader, error) {
	switch encoding := r.Header.Get("Content-Encoding"); strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
		return &gunzipper{from: body}, nil
	default:
		return nil, earshot.InvalidBody("Content-Encoding '%s' is not supported, please send gzip or no encoding", clip(encoding, 40))
	}
}

// A gunzipper is a gzip reader that reads the header with the first byte, so
// that making one cannot block or fail.
type gunzipper struct {
	from io.Reader
	zip  *gzip.Reader
}

func (g *gunzipper) Read(p []byte) (int, error) {
	if g.zip == nil {
		zip, err := gzip.NewReader(g.from)
		if err == io.EOF { // an empty body is one without a gzip header
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		g.zip = zip
	}
	return g.zip.Read(p)
}

// bodyError says why a body could not be read.
func bodyError(err error) error {
	var max *http.MaxBytesError
	switch {
	case errors.As(err, &max):
		return tooLarge(max.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return earshot.InvalidBody("it did not arrive in time")
	case isGzipError(err):
		return earshot.InvalidBody("it is not valid gzip data")
	}
	return &earshot.Error{Kind: earshot.Invalid, Message: "Invalid request body: it ends too early", Err: err}
}

func isGzipError(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt)
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
