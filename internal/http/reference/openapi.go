package reference

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"earshot/internal/http/rest"
)

// A document is an OpenAPI document. See https://spec.openapis.org/oas/v3.1.0.
type document struct {
	OpenAPI    string                     `json:"openapi"`
	Info       info                       `json:"info"`
	Servers    []server                   `json:"servers"`
	Security   []security                 `json:"security"`
	Tags       []tag                      `json:"tags"`
	Paths      object[*object[operation]] `json:"paths"`
	Components components                 `json:"components"`
}

type info struct {
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Version     string  `json:"version"`
	Contact     contact `json:"contact"`
	License     license `json:"license"`
}

type contact struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type license struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

type server struct {
	URL string `json:"url"`
}

type tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type security map[string][]string

type operation struct {
	ID          string           `json:"operationId"`
	Summary     string           `json:"summary"`
	Description string           `json:"description"`
	Tags        []string         `json:"tags"`
	Security    []security       `json:"security,omitzero"` // empty: public
	Parameters  []parameter      `json:"parameters,omitempty"`
	Body        *content         `json:"requestBody,omitempty"`
	Responses   object[*content] `json:"responses"`
}

type parameter struct {
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Deprecated  bool    `json:"deprecated,omitempty"`
	Schema      *schema `json:"schema"`
	Example     any     `json:"example,omitempty"`
}

// A content is the body of a request or response, or a reference to one.
type content struct {
	Ref         string            `json:"$ref,omitempty"`
	Description string            `json:"description,omitempty"`
	Required    bool              `json:"required,omitempty"`
	Content     object[mediaType] `json:"content,omitempty"`
}

type mediaType struct {
	Schema   *schema         `json:"schema"`
	Examples object[example] `json:"examples,omitempty"`
}

type example struct {
	Value errorBody `json:"value"`
}

type errorBody struct {
	Message string `json:"message"`
	Status  string `json:"status"`
}

type components struct {
	Schemas   object[*schema]        `json:"schemas"`
	Responses object[*content]       `json:"responses"`
	Schemes   object[securityScheme] `json:"securitySchemes"`
}

type securityScheme struct {
	Type   string `json:"type"`
	Name   string `json:"name,omitempty"`
	In     string `json:"in,omitempty"`
	Scheme string `json:"scheme,omitempty"`
}

// OpenAPI serves the OpenAPI 3.1 document of the interface. It panics if the document cannot be
// encoded.
func OpenAPI(i Interface) http.Handler {
	var buf bytes.Buffer
	if err := encodeJSON(&buf, newDocument(&i)); err != nil {
		panic(fmt.Sprintf("reference: %v", err)) // cannot happen: the document contains only plain values
	}
	return serveStatic(buf.Bytes(), http.Header{"Content-Type": {"application/json;charset=UTF-8"}})
}

func newDocument(i *Interface) document {
	var responses []*rest.Shape
	for _, d := range i.Endpoints {
		if d.Response != nil {
			responses = append(responses, d.Response)
		}
	}
	lib := newSchemaSet(responses)
	doc := document{
		OpenAPI: "3.1.0",
		Info: info{
			Title: i.Title, Version: i.Version, Description: "Social listening and analytics: queries posts from social networks and the web that monitors select.",
			Contact: contact{Name: "The operator of this installation", URL: "/api/docs"},
			License: license{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Servers:  []server{{URL: "/"}},
		Security: []security{{"query": {}}, {"bearer": {}}},
		Paths:    i.paths(lib),
	}
	for _, name := range i.categories() {
		doc.Tags = append(doc.Tags, tag{name, i.Categories[name]})
	}
	doc.Components.Responses = i.errorResponses()
	doc.Components.Schemas = append(lib.shared, member[*schema]{"Error", errorSchema()})
	doc.Components.Schemes.add("query", securityScheme{Type: "apiKey", In: "query", Name: "auth"})
	doc.Components.Schemes.add("bearer", securityScheme{Type: "http", Scheme: "bearer"})
	return doc
}

func (i *Interface) paths(lib *schemaSet) object[*object[operation]] {
	var paths object[*object[operation]]
	for _, d := range i.Endpoints {
		at := slices.IndexFunc(paths, func(m member[*object[operation]]) bool { return m.name == d.Path })
		if at < 0 {
			at = len(paths)
			paths.add(d.Path, &object[operation]{})
		}
		paths[at].value.add(strings.ToLower(d.Method), i.operation(lib, d))
	}
	return paths
}

func (i *Interface) operation(lib *schemaSet, d rest.Description) operation {
	op := operation{ID: operationID(d), Summary: strings.TrimSuffix(firstSentence(d.Text), "."), Description: describeAccess(d), Tags: []string{d.Category}}
	if d.Access == rest.Public {
		op.Security = []security{}
	}
	requests := newSchemaSet(nil) // requests and responses require different members, so they share no schemas
	for _, p := range d.Params {
		op.Parameters = append(op.Parameters, newParameter(p, requests.schema(p.Shape)))
	}
	if d.Body != nil {
		op.Body = &content{Required: !d.BodyOptional, Content: inJSON(mediaType{Schema: requests.schema(d.Body)})}
	}
	done := &content{Description: "Success"}
	if d.Response != nil {
		done.Content = inJSON(mediaType{Schema: lib.schema(d.Response)})
	}
	op.Responses.add("200", done)
	if d.Accepts {
		later := *done
		later.Description = "Accepted: the result is not ready yet"
		op.Responses.add("202", &later)
	}
	for _, status := range statusesOf(i.failuresOf(d)) {
		op.Responses.add(strconv.Itoa(status), &content{Ref: "#/components/responses/" + responseName(status)})
	}
	return op
}

// firstSentence returns the first sentence of a text.
func firstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}

// describeAccess returns the text of an endpoint and who may call it.
func describeAccess(d rest.Description) string {
	return d.Text + map[rest.Access]string{
		rest.Public:       " Needs no token.",
		rest.SignedIn:     " Needs a token.",
		rest.Content:      " Needs a token of a user with the content permission.",
		rest.Streams:      " Needs a token of a user with the streams permission.",
		rest.StreamsAdmin: " Needs a token of an administrator.",
		rest.Admin:        " Needs a token of an administrator.",
	}[d.Access]
}

func newParameter(f rest.Field, s *schema) parameter {
	p := parameter{Name: f.Name, In: f.In, Description: f.Meaning(), Required: f.Required, Deprecated: f.Deprecated, Schema: s}
	if f.Example != "" {
		p.Example = sample(f)
	}
	return p
}

func inJSON(m mediaType) object[mediaType] { return object[mediaType]{{"application/json", m}} }
