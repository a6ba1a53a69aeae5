package rest

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// minCompressed is the size of the smallest response that is compressed.
const minCompressed = 2 << 10

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}

// compress returns the body of a response as it is sent. It compresses responses to
// requests with a session cookie, because people may have a slow connection. Programs get their
// responses faster without compression.
func (x *exchange) compress(status int, body []byte) []byte {
	if x.session == "" || status != http.StatusOK || x.r.Method != http.MethodGet {
		return body
	}
	h := x.w.Header()
	h.Set("Vary", "Accept-Encoding")
	if len(body) < minCompressed || !AcceptsGzip(x.r) {
		return body
	}
	h.Set("Content-Encoding", "gzip")
	var b bytes.Buffer
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&b)
	_, _ = w.Write(body) // writing to a buffer never fails
	_ = w.Close()
	return b.Bytes()
}

// AcceptsGzip reports whether the client accepts gzip-encoded responses.
func AcceptsGzip(r *http.Request) bool {
	takes := false
	for _, part := range HeaderList(r, "Accept-Encoding") {
		coding, params, _ := strings.Cut(part, ";")
		switch coding = strings.TrimSpace(coding); {
		case strings.EqualFold(coding, "gzip"):
			return !isZeroWeight(params)
		case coding == "*":
			takes = !isZeroWeight(params)
		}
	}
	return takes
}

// isZeroWeight reports whether the parameters of a coding contain q=0 or an invalid weight.
func isZeroWeight(params string) bool {
	weight, given := strings.CutPrefix(strings.ToLower(strings.TrimSpace(params)), "q=")
	q, err := strconv.ParseFloat(weight, 64)
	return given && (err != nil || q == 0)
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
