package rest

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Static serves content that does not change while the program runs, compressed with gzip for clients
// that accept it. It has an entity tag, so clients need not download it again.
type Static struct {
	header http.Header
	plain  staticBody
	gzip   func() *staticBody // compressed on first use; nil if compression saves less than 10%
}

// A staticBody is one form of content, plain or compressed, with its entity tag.
type staticBody struct {
	data []byte
	tag  string
}

// NewStatic returns the handler of content. header has at least its type.
func NewStatic(data []byte, header http.Header) *Static {
	sum := sha256.Sum256(data)
	tag := hex.EncodeToString(sum[:16])
	s := &Static{header: header, plain: staticBody{data, `"` + tag + `"`}}
	s.gzip = sync.OnceValue(func() *staticBody {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
		_, _ = w.Write(data)                                  // writing to a buffer never fails
		_ = w.Close()
		if b.Len() < len(data)*9/10 {
			return &staticBody{b.Bytes(), `"` + tag + `-gzip"`}
		}
		return nil
	})
	return s
}

func (s *Static) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, values := range s.header {
		h[name] = values
	}
	h.Set("Vary", "Accept-Encoding")
	sent := &s.plain
	if acceptsGzip := weight(r, "gzip") > 0; acceptsGzip && s.gzip() != nil {
		sent = s.gzip()
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", sent.tag)
	if hasTag(r, sent.tag) {
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(sent.data)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(sent.data) // the client may have disconnected
	}
}

// hasTag reports whether the client already has the version with this entity tag.
func hasTag(r *http.Request, tag string) bool {
	return slices.ContainsFunc(HeaderList(r, "If-None-Match"), func(t string) bool { return t == "*" || strings.TrimPrefix(t, "W/") == tag })
}
