package rest

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"

	"earshot"
	"earshot/internal/limit"
)

// A body up to freeBody needs no memory from the budget: the number of connections bounds what such
// bodies occupy. Larger ones are counted bodyWeight times, for the text, what it decodes to, and what
// the endpoint makes of it.
const (
	freeBody   = 64 << 10
	bodyWeight = 3
)

// managePath is where Earshot's own API is. Unlike the public one, it can be strict.
const managePath = "/manage/v1/"

// bodyLimit returns the maximum size of the request's body.
func (x *exchange) bodyLimit(large bool) int64 {
	switch {
	case x.route.Access == Public:
		return min(x.server.MaxBody, limit.MaxPublicBody)
	case large:
		return x.server.MaxBody
	}
	return min(x.server.MaxBody, limit.MaxSmallBody)
}

// readBody returns the decompressed request body. It returns an error if the body exceeds most
// bytes, either as sent or decompressed.
func readBody(x *exchange, most int64) ([]byte, error) {
	body, err := openBody(x, most)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, bodyError(err)
	}
	return data, nil
}

// readJSON decodes the request body into the value that into points to. It checks the body while it
// arrives. If the body is optional, it may be blank.
func readJSON(x *exchange, most int64, optional bool, into any) error {
	body, err := openBody(x, most)
	if err != nil {
		return err
	}
	r := reader{from: body, size: x.r.ContentLength, strict: strings.HasPrefix(x.route.Path, managePath)}
	err = r.decode(reflect.ValueOf(into).Elem())
	switch {
	case err == nil, optional && errors.Is(err, errEmpty):
		return nil
	}
	// A client that is still sending would not read the response.
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(x.w.ResponseWriter, x.r.Body, most))
	return readError("", err)
}

// openBody returns a reader of the decompressed body that fails if there are more than most bytes.
func openBody(x *exchange, most int64) (io.Reader, error) {
	if x.r.ContentLength > most {
		return nil, tooLarge(most)
	}
	decoded, err := decompress(x.r, http.MaxBytesReader(x.w.ResponseWriter, x.r.Body, most))
	if err != nil {
		return nil, err
	}
	body := &countedBody{exchange: x, from: decoded, most: most, counted: freeBody}
	if contentEncoding(x.r) == "" { // otherwise the decompressed size is unknown
		err = body.count(x.r.ContentLength)
	}
	return body, err
}

// A countedBody is a body of at most most bytes whose memory is reserved while it arrives.
type countedBody struct {
	*exchange
	from          io.Reader
	most          int64
	read, counted int64
}

// Read implements [io.Reader].
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.read += int64(n); b.read > b.most {
		return 0, tooLarge(b.most)
	}
	if b.read > b.counted { // double it, so that there are few steps
		if err := b.count(max(2*b.counted, b.read)); err != nil {
			return 0, err
		}
	}
	return n, err
}

// count reserves memory for a body of n bytes.
func (b *countedBody) count(n int64) error {
	if n <= b.counted {
		return nil
	}
	err := b.reserve((n - b.counted) * bodyWeight)
	b.counted = n
	return err
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
	var known *earshot.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &max):
		return tooLarge(max.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return earshot.InvalidBody("it did not arrive in time")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return earshot.InvalidBody("it is not valid gzip data")
	}
	return &earshot.Error{Kind: earshot.Invalid, Message: "Invalid request body: it is incomplete", Err: err}
}

func tooLarge(most int64) error {
	size := fmt.Sprintf("%d bytes", most)
	if most >= 1<<20 {
		size = fmt.Sprintf("%d MB", most>>20)
	}
	return earshot.Errorf(earshot.TooLarge, "The request body is larger than %s. Please split it into several requests", size)
}

var byteOrderMark = []byte("\uFEFF")

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, byteOrderMark) }
