package ui

import (
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"earshot/internal/http/rest"
)

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
func load(from fs.FS) map[string]*rest.Static {
	all := map[string]*rest.Static{}
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

func newFile(name string, data []byte) *rest.Static {
	contentType := contentTypes[path.Ext(name)]
	if contentType == "" {
		contentType = "application/octet-stream"
	}
	return rest.NewStatic(data, http.Header{"Content-Type": {contentType}, "Cache-Control": {cacheControl(name)}})
}

// cacheControl returns the Cache-Control header for a file. Asset names change with their content,
// so assets can be cached forever. Browsers must revalidate all other files, which is cheap.
func cacheControl(name string) string {
	if strings.HasPrefix(name, "assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}
