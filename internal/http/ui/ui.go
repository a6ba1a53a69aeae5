// Package ui serves the files of the web app, which are part of the program. The app
// itself runs in the browser and is a client of /api and /manage/v1 like any other; here
// is nothing but its files, and the rules that browsers are given for them: run and load
// only what comes from this address, and be shown inside nobody else's page.
package ui

import (
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

// Files returns the files of the web app as they were built.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // it is compiled in
	}
	return files
}

// pages returns the paths that index.html answers; the app reads from the address which
// page to show. The list comes from web/src/pages.json, which the build copies. Every path
// below a page that has others below it is answered, so that the app itself can say that
// there is no such page.
func pages(from fs.FS) []string {
	var list []struct {
		Path   string
		Nested bool // answers all paths below it
	}
	b, err := fs.ReadFile(from, "pages.json")
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		panic(fmt.Sprintf("ui: list of pages: %v", err)) // it is compiled in
	}
	paths := []string{"/signin"}
	for _, page := range list {
		top, _, nested := strings.Cut(page.Path[1:], "/")
		paths = append(paths, "/"+top)
		if nested || page.Nested {
			paths = append(paths, "/"+top+"/{rest...}")
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// files are the paths of files that are asked for by their names.
var files = []string{
	"/assets/{file...}",
	"/favicon.svg",
	"/robots.txt",
}

// Routes lists what the web app's files are served under.
func Routes(from fs.FS) []rest.Route {
	h := Handler(from)
	var routes []rest.Route
	for _, path := range append(pages(from), files...) {
		routes = append(routes, rest.Plain("GET", path, h))
	}
	return routes
}

// header are the headers of every response.
var header = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
		"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	"X-Content-Type-Options":     "nosniff",
	"Referrer-Policy":            "no-referrer",
	"X-Frame-Options":            "DENY",
	"Cross-Origin-Opener-Policy": "same-origin",
	"Permissions-Policy":         "camera=(), microphone=(), geolocation=()",
}

// robots asks search engines to stay away.
const robots = "User-agent: *\nDisallow: /\n"

// Handler serves index.html at the paths of Routes, and files at their own. It reads them
// once, now, and panics when it cannot or there is no index.html.
func Handler(from fs.FS) http.Handler {
	all := load(from)
	if all["robots.txt"] == nil {
		all["robots.txt"] = newFile("robots.txt", []byte(robots))
	}
	index := all["index.html"]
	if index == nil {
		panic("ui: there is no index.html")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		switch f := all[name]; {
		case f != nil:
			f.serve(w, r)
		case isFile(name):
			rest.NotFound(w, r)
		default:
			index.serve(w, r)
		}
	})
}

// isFile reports whether a path is that of a file rather than of a page.
func isFile(name string) bool {
	return name == "assets" || strings.HasPrefix(name, "assets/") || name == "favicon.svg"
}
