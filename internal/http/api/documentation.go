package api

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/http/reference"
	"earshot/internal/http/rest"
)

type documentationResponse struct {
	Endpoints    []endpoint   `json:"endpoints" doc:"the endpoints, in the order of this page"`
	Undocumented []string     `json:"undocumented" doc:"method and path of endpoints without a description"`
	Status       rest.Success `json:"status"`
}

type endpoint struct {
	Endpoint    string              `json:"endpoint" doc:"name: the path without /api"`
	URL         string              `json:"url" doc:"path"`
	Method      string              `json:"method" doc:"HTTP method"`
	Description string              `json:"description" doc:"what it is for"`
	Category    string              `json:"category" doc:"group of endpoints it belongs to"`
	Parameters  []endpointParameter `json:"parameters" doc:"what it takes, from the query string, the path and the body"`
	Response    []endpointMember    `json:"response" doc:"members of its answer"`
}

type endpointParameter struct {
	Name        string `json:"name" doc:"name; of members of a body the way to them, like items[].date"`
	Type        string `json:"type" doc:"type, in words"`
	Required    bool   `json:"required" doc:"whether it must be given"`
	Description string `json:"description" doc:"what it means"`
	Deprecated  bool   `json:"deprecated" doc:"whether it is there for old programs only"`
}

type endpointMember struct {
	Name        string           `json:"name" doc:"name"`
	Type        string           `json:"type" doc:"type, in words"`
	Description string           `json:"description" doc:"what it means"`
	Restricted  bool             `json:"restricted" doc:"whether content restrictions may withhold it"`
	Deprecated  bool             `json:"deprecated" doc:"whether it is there for old programs only"`
	Members     []endpointMember `json:"members" doc:"its own members, or those of the objects it holds"`
}

// documentationRoutes returns the routes that document the given routes and themselves. See
// docs/decisions/0043-generated-api-docs.md.
func (a *API) documentationRoutes(routes []rest.Route) []rest.Route {
	var response documentationResponse // filled in below, because it also lists its own route
	documentation := rest.Handle("GET", "/api/documentation", rest.SignedIn,
		func(context.Context, *earshot.Caller, struct{}) (documentationResponse, error) { return response, nil }).
		Doc("Documentation", "Lists the endpoints, what they take and what they answer.")

	described := rest.Describe(append(slices.Clip(routes), documentation))
	response = newDocumentation(described)
	doc := reference.Interface{
		Title:     "Earshot",
		Version:   cmp.Or(a.Version, "development"),
		Endpoints: described,
		Failures:  failures,
	}
	return []rest.Route{
		documentation,
		rest.Plain("GET", "/api/openapi.json", reference.OpenAPI(doc)),
		rest.Plain("GET", "/api/docs", reference.Page(doc)),
	}
}

func newDocumentation(described []rest.Description) documentationResponse {
	r := documentationResponse{Endpoints: rest.Map(described, newEndpoint), Undocumented: []string{}}
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
			Description: "the token; it may also come in the header Authorization: Bearer"})
	}
	e.addParameters("", d.Params)
	if d.Body != nil {
		e.addParameters("", d.Body.Members)
	}
	if d.Response != nil {
		e.Response = rest.Map(d.Response.Members, newEndpointMember)
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
		Members:     rest.Map(f.Shape.Inner(), newEndpointMember),
	}
}
