package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"earshot"
	"earshot/internal/http/reference"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
)

type documentationResponse struct {
	Endpoints    []endpoint   `json:"endpoints" doc:"the endpoints"`
	Undocumented []string     `json:"undocumented" doc:"method and path of endpoints without a description"`
	Status       rest.Success `json:"status"`
}

type endpoint struct {
	Endpoint    string              `json:"endpoint" doc:"name: the path without /api"`
	URL         string              `json:"url" doc:"path"`
	Method      string              `json:"method" doc:"HTTP method"`
	Description string              `json:"description" doc:"description of the endpoint"`
	Category    string              `json:"category" doc:"category of the endpoint"`
	Parameters  []endpointParameter `json:"parameters" doc:"parameters in the query string, path and body"`
	Response    []endpointMember    `json:"response" doc:"members of its response"`
}

type endpointParameter struct {
	Name        string `json:"name" doc:"name; for members of a body the path to them, for example items[].date"`
	Type        string `json:"type" doc:"type"`
	Required    bool   `json:"required" doc:"whether it is required"`
	Description string `json:"description" doc:"description"`
	Deprecated  bool   `json:"deprecated" doc:"whether it exists only for old programs"`
}

type endpointMember struct {
	Name        string           `json:"name" doc:"name"`
	Type        string           `json:"type" doc:"type"`
	Description string           `json:"description" doc:"description"`
	Restricted  bool             `json:"restricted" doc:"whether content restrictions may remove it"`
	Deprecated  bool             `json:"deprecated" doc:"whether it exists only for old programs"`
	Members     []endpointMember `json:"members" doc:"members of the object, or of the objects in the array or map"`
}

// categoryTexts describes the categories of endpoints.
var categoryTexts = map[string]string{
	"Authentication":        "Getting a token.",
	"Monitor analysis":      "Posts and metrics of a monitor in a range of days.",
	"Microblogs":            "Metrics of microblog posts, and of accounts on Twitter.",
	"Pages":                 "Metrics of pages on Facebook.",
	"Photos":                "Metrics of accounts on Instagram.",
	"Training and metadata": "Training of opinion monitors; lists of monitors and teams.",
	"Custom content":        "Content sources and documents of one's own.",
	"Realtime streams":      "Queues with the new posts of monitors.",
	"Analysis":              "Ad hoc analyses of up to 24 hours.",
	"Geography":             "Places that filters accept.",
	"Image analysis":        "What an image shows.",
	"Realtime monitors":     "Figures of the last hours of a monitor.",
	"Documentation":         "The description of this interface.",
}

// documentationRoutes returns the routes that document the given routes and themselves. The documents
// are made for their first reader: they take a tenth of the time of a start. See
// docs/decisions/0043-generated-api-docs.md.
func (a *API) documentationRoutes(routes []rest.Route) []rest.Route {
	var described func() []rest.Description // set below, because it also lists the route of the list
	response := sync.OnceValue(func() documentationResponse { return newDocumentation(described()) })
	documentation := rest.Handle("GET", "/api/documentation", rest.SignedIn,
		func(context.Context, *earshot.Caller, struct{}) (documentationResponse, error) {
			return response(), nil
		}).
		Doc("Documentation", "Lists the endpoints with their parameters and responses.")

	described = sync.OnceValue(func() []rest.Description { return rest.Describe(append(slices.Clip(routes), documentation)) })
	page := func(of func(reference.Interface) http.Handler) http.Handler {
		handler := sync.OnceValue(func() http.Handler {
			return of(reference.Interface{
				Title:     "Earshot",
				Version:   cmp.Or(a.Version, "development"),
				Endpoints: described(),
				Failures:  failures,

				Categories: categoryTexts,
			})
		})
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) })
	}
	return []rest.Route{
		documentation,
		rest.Plain("GET", "/api/openapi.json", page(reference.OpenAPI)),
		rest.Plain("GET", "/api/docs", page(reference.Page)),
	}
}

func newDocumentation(described []rest.Description) documentationResponse {
	r := documentationResponse{Endpoints: jsonvalue.Map(described, newEndpoint), Undocumented: []string{}}
	for _, d := range described {
		if d.Text == "" {
			r.Undocumented = append(r.Undocumented, d.Method+" "+d.Path)
		}
	}
	return r
}

func newEndpoint(d rest.Description) endpoint {
	e := endpoint{
		Endpoint:    strings.TrimPrefix(d.Path, "/api/"),
		URL:         d.Path,
		Method:      d.Method,
		Description: d.Text,
		Category:    d.Category,
		Parameters:  []endpointParameter{},
		Response:    []endpointMember{},
	}
	if d.Access != rest.Public {
		e.Parameters = append(e.Parameters, endpointParameter{Name: "auth", Type: "string", Required: true,
			Description: "the token, unless it is in the header Authorization: Bearer"})
	}
	e.addParameters("", d.Params)
	if d.Body != nil {
		e.addParameters("", d.Body.Members)
	}
	if d.Response != nil {
		e.Response = jsonvalue.Map(d.Response.Members, newEndpointMember)
	}
	return e
}

// addParameters adds fields and, recursively, their members. prefix is the path to the fields.
func (e *endpoint) addParameters(prefix string, fields []rest.Field) {
	for _, f := range fields {
		e.Parameters = append(e.Parameters, endpointParameter{Name: prefix + f.Name, Type: f.Shape.String(),
			Required: f.Required, Description: f.Meaning(), Deprecated: f.Deprecated})
		path := prefix + f.Name + "."
		if f.Shape.Kind == rest.ArrayShape {
			path = prefix + f.Name + "[]."
		}
		e.addParameters(path, f.Shape.Inner())
	}
}

func newEndpointMember(f rest.Field) endpointMember {
	return endpointMember{
		Name:        f.Name,
		Type:        f.Shape.String(),
		Description: f.Text,
		Restricted:  f.Restricted,
		Deprecated:  f.Deprecated,
		Members:     jsonvalue.Map(f.Shape.Inner(), newEndpointMember),
	}
}
