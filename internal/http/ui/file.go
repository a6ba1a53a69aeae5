package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"earshot/internal/http/rest"
)

// A file is a file of the web app, ready to be served.
type file struct {
	contentType string
	cache       string // Cache-Control
	plain       *variant
	gzip        func() *variant // compressed on first use; nil if compression saves less than 10%
}

// A variant is one encoding of a file, plain or compressed, with its entity tag.
type variant struct {
	data []byte
	tag  string
}

// contentTypes maps file extensions to content types. It is fixed so that responses do not depend
// on the operating system's type database.
var contentTypes = map[string]string{
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".svg":         "image/svg+xml",
	".json":        "application/json",
	".webmanifest": "application/manifest+json",
	".txt":         "text/plain; charset=utf-8",
	".png":         "image/png",
	".ico":         "image/x-icon",
	".woff2":       "font/woff2",
}

// load reads all files into memory. Keys are paths. It panics on a read error.
func load(from fs.FS) map[string]*file {
	all := map[string]*file{}
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		all[name] = newFile(name, data)
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("ui: read files: %v", err))
	}
	return all
}

func newFile(name string, data []byte) *file {
	sum := sha256.Sum256(data)
	tag := hex.EncodeToString(sum[:16])
	f := &file{contentType: contentTypes[path.Ext(name)], cache: cacheControl(name), plain: &variant{data, `"` + tag + `"`}}
	if f.contentType == "" {
		f.contentType = "application/octet-stream"
	}
	f.gzip = sync.OnceValue(func() *variant {
		if zipped := compress(data); len(zipped) < len(data)*9/10 {
			return &variant{zipped, `"` + tag + `-gzip"`}
		}
		return nil
	})
	return f
}

// cacheControl returns the Cache-Control header for a file. Asset names change with their content,
// so assets can be cached forever. Browsers must revalidate all other files, which is cheap.
func cacheControl(name string) string {
	if strings.HasPrefix(name, "assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

func compress(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = w.Write(data)                                  // writing to a buffer never fails
	_ = w.Close()
	return b.Bytes()
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	sent := f.plain
	if rest.AcceptsGzip(r) && f.gzip() != nil {
		sent = f.gzip()
	}
	h.Set("Cache-Control", f.cache)
	h.Set("ETag", sent.tag)
	if hasTag(r, sent.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if sent != f.plain {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", strconv.Itoa(len(sent.data)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(sent.data) // the client may have disconnected
	}
}

// hasTag reports whether the client already has the version with this entity tag.
func hasTag(r *http.Request, tag string) bool {
	return slices.ContainsFunc(rest.HeaderList(r, "If-None-Match"), func(t string) bool { return t == "*" || strings.TrimPrefix(t, "W/") == tag })
}
