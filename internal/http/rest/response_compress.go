package rest

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// minCompressed is the size of the smallest response that is compressed. Responses that are sent
// while they are produced are compressed whatever their size is.
const minCompressed = 1 << 10

// A compressor compresses a response.
type compressor interface {
	io.WriteCloser
	Flush() error
	Reset(to io.Writer)
}

// A coding is a way to compress responses. Compressors are pooled, because they are expensive to create.
type coding struct {
	name        string
	compressors sync.Pool
}

// codings lists the best one first: zstd takes half the time of gzip.
var codings = []*coding{
	{"zstd", sync.Pool{New: func() any {
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(128<<10), zstd.WithLowerEncoderMem(true)) // the options are valid
		return w
	}}},
	{"gzip", sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
		return w
	}}},
}

// compressorMemory is the memory that a compressor needs, at most.
const compressorMemory = 5 << 18

// compress returns the body of a response as it is sent.
func (x *exchange) compress(body []byte) []byte {
	if len(body) < minCompressed {
		return body
	}
	c := x.coding()
	if c == nil {
		return body
	}
	x.w.Header().Set("Content-Encoding", c.name)
	var b bytes.Buffer
	w := c.compressors.Get().(compressor)
	defer c.compressors.Put(w)
	w.Reset(&b)
	_, _ = w.Write(body) // writing to a buffer never fails
	_ = w.Close()
	return b.Bytes()
}

// compressRest compresses everything that is written from now on, if there is memory for it. The
// headers are set, but not sent.
func (x *exchange) compressRest() {
	c := x.coding()
	atOnce, cancel := context.WithCancel(x.r.Context())
	cancel()
	if c == nil || x.reserveUntil(atOnce, compressorMemory) != nil {
		return
	}
	h := x.w.Header()
	h.Set("Content-Encoding", c.name)
	if tag := h.Get("ETag"); tag != "" {
		h.Set("ETag", "W/"+tag) // the content is the same, but not its bytes
	}
	x.w.coding, x.w.compressor = c, c.compressors.Get().(compressor)
	x.w.compressor.Reset(writerFunc(x.w.send))
}

// endCompression sends what the compressor has not sent yet.
func (x *exchange) endCompression() error {
	if x.w.compressor == nil {
		return nil
	}
	d := newDeadline(x)
	d.extend()
	err := x.w.compressor.Close()
	x.w.coding.compressors.Put(x.w.compressor)
	return err
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// isCompressible reports whether content of a type becomes smaller. Pictures, PDF files and
// workbooks are compressed already.
func isCompressible(contentType string) bool {
	return strings.HasPrefix(contentType, "text/") || strings.Contains(contentType, "json") || strings.Contains(contentType, "xml;") || strings.HasSuffix(contentType, "xml")
}

// coding returns the coding that the client prefers, or nil. It also tells caches that the response
// depends on it.
func (x *exchange) coding() (preferred *coding) {
	x.w.Header().Add("Vary", "Accept-Encoding")
	best := 0.0
	for _, c := range codings {
		if q := weight(x.r, c.name); q > best {
			preferred, best = c, q
		}
	}
	return preferred
}

// weight returns how much the client likes a coding, from 0 to 1.
func weight(r *http.Request, coding string) (q float64) {
	for _, part := range HeaderList(r, "Accept-Encoding") {
		name, params, weighted := strings.Cut(part, ";")
		isIt := strings.EqualFold(strings.TrimSpace(name), coding)
		if !isIt && strings.TrimSpace(name) != "*" {
			continue
		}
		q = 1
		if weighted {
			text, _ := strings.CutPrefix(strings.ToLower(strings.TrimSpace(params)), "q=")
			q, _ = strconv.ParseFloat(text, 64) // 0 if it is invalid
		}
		if isIt {
			break
		}
	}
	return q
}

// HeaderList returns the elements of a comma-separated header.
func HeaderList(r *http.Request, name string) []string {
	var list []string
	for _, value := range r.Header.Values(name) {
		for part := range strings.SplitSeq(value, ",") {
			list = append(list, strings.TrimSpace(part))
		}
	}
	return list
}
