// Package ui serves the files of the web app, which are embedded in the binary, with security
// headers that restrict scripts and resources to this origin and forbid embedding in other sites'
// pages. The app itself runs in the browser and is a client of /api and /manage/v1 like any other.
package ui

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"earshot/internal/http/rest"
)

//go:embed all:dist
var dist embed.FS

// Files returns the built files of the web app.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // cannot happen: dist is embedded
	}
	return files
}

// A page is an entry of web/src/pages.json, which the build copies into dist.
type page struct {
	Path     string
	Nested   bool   // also serve all paths below it
	Document string // the file that serves it; empty: index.html
}

// top returns the first segment of the page's path.
func (p page) top() (name string, nested bool) {
	name, _, nested = strings.Cut(p.Path[1:], "/")
	return name, nested || p.Nested
}

// pages returns the list of pages.
func pages(from fs.FS) []page {
	var list []page
	b, err := fs.ReadFile(from, "pages.json")
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		panic(fmt.Sprintf("ui: list of pages: %v", err)) // cannot happen: dist is embedded
	}
	return list
}

// paths returns the paths that serve a document, usually index.html. The app decides from the URL which
// page to show. If a page can have pages below it, every path below it serves the document, so that
// the app itself reports unknown pages.
func paths(list []page) []string {
	paths := []string{"/signin"}
	for _, page := range list {
		top, nested := page.top()
		paths = append(paths, "/"+top)
		if nested {
			paths = append(paths, "/"+top+"/{rest...}")
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// files are the paths that serve files by name.
var files = []string{
	"/assets/{file...}",
	"/favicon.ico",
	"/favicon.svg",
	"/robots.txt",
}

// Routes returns the routes of the web app: its pages and its files.
func Routes(from fs.FS) []rest.Route {
	h := Handler(from)
	var routes []rest.Route
	for _, path := range append(paths(pages(from)), files...) {
		routes = append(routes, rest.Plain("GET", path, h))
	}
	return routes
}

// header contains the headers that [setHeader] sets.
var header = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; frame-src 'self'; " +
		"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	"X-Content-Type-Options":     "nosniff",
	"Referrer-Policy":            "no-referrer",
	"X-Robots-Tag":               "noindex, nofollow",
	"X-Frame-Options":            "DENY",
	"Cross-Origin-Opener-Policy": "same-origin",
	"Permissions-Policy":         "camera=(), microphone=(), geolocation=()",
}

// robots is the default robots.txt. It asks search engines not to index the app.
const robots = "User-agent: *\nDisallow: /\n"

// Handler serves documents at the page paths of [Routes], and files at their own paths. It reads all
// files once, before it returns. It panics if it cannot read them or if a document is missing.
func Handler(from fs.FS) http.Handler {
	all := load(from)
	if all["robots.txt"] == nil {
		all["robots.txt"] = newFile("robots.txt", []byte(robots))
	}
	index := all["index.html"]
	documents := map[string]*rest.Static{} // by the first segment of the path, if it is not index.html
	for _, p := range pages(from) {
		if p.Document != "" {
			top, _ := p.top()
			documents[top] = all[p.Document]
		}
	}
	for name, f := range documents {
		if f == nil {
			panic("ui: the document of /" + name + " is missing")
		}
	}
	if index == nil {
		panic("ui: index.html is missing")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeader(w)
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		switch f := all[name]; {
		case f != nil:
			f.ServeHTTP(w, r)
		case isFile(name), isProgram(r):
			rest.NotFound(w, r)
		default:
			top, _, _ := strings.Cut(name, "/")
			cmp.Or(documents[top], index).ServeHTTP(w, r)
		}
	})
}

// setHeader sets the headers of every response.
func setHeader(w http.ResponseWriter) {
	for name, value := range header {
		w.Header().Set(name, value)
	}
}

// isFile reports whether a path belongs to a file rather than a page.
func isFile(name string) bool {
	return name == "assets" || strings.HasPrefix(name, "assets/") || strings.HasPrefix(name, "favicon.")
}

// programs are the paths at and below which only programs send requests. Some of them claim to accept HTML.
var programs = []string{"/api/", "/manage/", "/ingest/", "/share/v1/"}

// isProgram reports whether only programs send requests to a path.
func isProgram(r *http.Request) bool {
	return slices.ContainsFunc(programs, func(below string) bool { return strings.HasPrefix(r.URL.Path+"/", below) })
}

// NotFound serves index.html at unknown paths with the status 404, so that the app says that there
// is no such page.
func NotFound(from fs.FS) http.Handler {
	index, err := fs.ReadFile(from, "index.html")
	if err != nil {
		panic(fmt.Sprintf("ui: %v", err)) // cannot happen: dist is embedded
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isProgram(r) {
			rest.NotFound(w, r)
			return
		}
		setHeader(w)
		w.Header().Set("Content-Type", contentTypes[".html"])
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusNotFound)
		if r.Method != http.MethodHead {
			_, _ = w.Write(index) // the client may have disconnected
		}
	})
}
