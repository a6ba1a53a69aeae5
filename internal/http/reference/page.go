package reference

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"earshot/internal/http/rest"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// pageTemplate is the page without its style and script. The template must not modify these,
// because the content security policy contains their hashes.
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"lower": strings.ToLower,
	"words": func(path string) []string { return strings.Split(path, "/") }, // lets lines break between path segments
}).Parse(pageText))

// A page is the data of the template.
type page struct {
	Title      string
	Version    string
	Style      template.HTML
	Script     template.HTML
	Categories []pageCategory
	Failures   []Failure
}

type pageCategory struct {
	Name      string
	ID        string // HTML id of the section
	Endpoints []pageEndpoint
}

type pageEndpoint struct {
	rest.Description
	ID       string // HTML id of the article
	Curl     string
	Failures []Failure
}

// NeedsToken reports whether a caller must be signed in.
func (e pageEndpoint) NeedsToken() bool { return e.Access != rest.Public }

// Name returns the path without the common prefix.
func (e pageEndpoint) Name() string { return strings.TrimPrefix(e.Path, "/api/") }

// Page serves documentation of the interface as HTML. The page needs no other files and uses a
// script only for searching. Page panics if the template fails.
func Page(i Interface) http.Handler {
	p := page{
		Title:    i.Title,
		Version:  i.Version,
		Style:    template.HTML("<style>" + pageStyle + "</style>"),
		Script:   template.HTML("<script>" + pageScript + "</script>"),
		Failures: i.Failures,
	}
	for _, name := range i.categories() {
		p.Categories = append(p.Categories, i.pageCategory(name))
	}
	var buf bytes.Buffer
	if err := pageTemplate.Execute(&buf, p); err != nil {
		panic(fmt.Sprintf("reference: %v", err)) // the template does not match its data
	}
	return serveStatic(buf.Bytes(), http.Header{
		"Content-Type":            {"text/html; charset=utf-8"},
		"Content-Security-Policy": {policy()},
		"Referrer-Policy":         {"no-referrer"},
	})
}

func (i *Interface) pageCategory(name string) pageCategory {
	c := pageCategory{Name: name, ID: strings.ReplaceAll(strings.ToLower(name), " ", "-")}
	for _, d := range i.Endpoints {
		if d.Category == name {
			c.Endpoints = append(c.Endpoints, pageEndpoint{Description: d, ID: operationID(d), Curl: curl(d), Failures: i.failuresOf(d)})
		}
	}
	return c
}

// policy returns a content security policy that allows only the page's own style and script.
func policy() string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		hashSource(pageStyle), hashSource(pageScript))
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
