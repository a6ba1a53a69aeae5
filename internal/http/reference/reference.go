// Package reference documents an HTTP interface as an OpenAPI document and as an HTML page.
//
// Its one idea: it generates both from the list of routes when the program starts, so they describe
// exactly what is served. The package knows nothing about individual endpoints. The description of
// an endpoint is part of its route, and the description of a field is part of the field. See
// docs/decisions/0043-generated-api-docs.md.
package reference

import (
	"net/http"
	"strings"

	"earshot/internal/http/rest"
)

// An Interface is an HTTP interface to document.
type Interface struct {
	Title     string
	Version   string
	Endpoints []rest.Description
	Failures  []Failure

	Categories map[string]string // descriptions of the categories of endpoints
}

// A Failure is an error response of some endpoints. Its message has variable parts in angle
// brackets.
type Failure struct {
	Status    int
	Message   string
	AppliesTo func(d rest.Description) bool // reports whether an endpoint may respond with it
}

// failuresOf returns the failures that apply to an endpoint.
func (i *Interface) failuresOf(d rest.Description) []Failure {
	var list []Failure
	for _, f := range i.Failures {
		if f.AppliesTo(d) {
			list = append(list, f)
		}
	}
	return list
}

// categories returns the categories in the order of their first endpoints.
func (i *Interface) categories() []string {
	var names []string
	seen := map[string]bool{}
	for _, d := range i.Endpoints {
		if !seen[d.Category] {
			seen[d.Category] = true
			names = append(names, d.Category)
		}
	}
	return names
}

// operationID returns a unique name for an endpoint, for example getMonitorVolume for GET
// /api/monitor/volume.
func operationID(d rest.Description) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(d.Method))
	for _, word := range strings.FieldsFunc(strings.TrimPrefix(d.Path, "/api"), func(r rune) bool { return strings.ContainsRune("/{}", r) }) {
		b.WriteString(capitalize(word))
	}
	return b.String()
}

func capitalize(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// serveStatic serves content that clients may cache, but must revalidate every time.
func serveStatic(content []byte, header http.Header) http.Handler {
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Content-Type-Options", "nosniff")
	return rest.NewStatic(content, header)
}
