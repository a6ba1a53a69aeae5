package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"earshot/internal/http/rest"
)

// documentCategories are all categories of endpoints.
var documentCategories = []string{
	"Authentication", "Monitor analysis", "Microblogs", "Pages", "Photos", "Training and metadata",
	"Custom content", "Realtime streams", "Analysis", "Geography", "Image analysis", "Realtime monitors", "Documentation",
}

// describedRoutes describes all routes, including those that depend on settings.
func describedRoutes() []rest.Description { return rest.Describe((&API{ForClients: true}).Routes()) }

func TestEveryRouteIsDescribed(t *testing.T) {
	for _, d := range describedRoutes() {
		name := d.Method + " " + d.Path
		if !slices.Contains(documentCategories, d.Category) {
			t.Errorf("%s is in the category %q, want one of %v", name, d.Category, documentCategories)
		}
		if !strings.HasSuffix(d.Text, ".") {
			t.Errorf("%s: got description %q, want a sentence", name, d.Text)
		}
		if d.Response == nil || d.Response.Kind != rest.ObjectShape {
			t.Errorf("%s: got response shape %v, want an object; see rest.Route.Responds", name, d.Response)
			continue
		}
		checkFields(t, name+" parameter", d.Params)
		checkFields(t, name+" answer", d.Response.Members)
		if d.Body != nil {
			checkFields(t, name+" body", d.Body.Members)
		}
	}
}

// checkFields checks that every field has a description and a known shape.
func checkFields(t *testing.T, where string, fields []rest.Field) {
	for _, f := range fields {
		name := where + " " + f.Name
		if f.Text == "" {
			t.Errorf("%s has no tag doc", name)
		}
		if strings.Contains(f.Shape.String(), string(rest.AnyShape)) {
			t.Errorf("%s is %s, want a known shape; see rest.JSONShaper", name, f.Shape)
		}
		checkFields(t, name, f.Shape.Inner())
	}
}

// TestDocumentation shows the complete documentation of two endpoints.
func TestDocumentation(t *testing.T) {
	all := newDocumentation(describedRoutes())
	for name, want := range map[string]string{
		"team/list": `{"endpoint":"team/list","url":"/api/team/list","method":"GET","description":"Lists the caller's teams.","category":"Training and metadata",` +
			`"parameters":[{"name":"auth","type":"string","required":true,"description":"the token, unless it is in the header Authorization: Bearer","deprecated":false}],` +
			`"response":[{"name":"teams","type":"array of object","description":"the caller's teams; all teams for administrators","restricted":false,"deprecated":false,"members":[` +
			`{"name":"id","type":"int64","description":"id of the team","restricted":false,"deprecated":false,"members":[]},` +
			`{"name":"name","type":"string","description":"name of the team","restricted":false,"deprecated":false,"members":[]}]},` +
			`{"name":"status","type":"string","description":"success","restricted":false,"deprecated":false,"members":[]}]}`,
		"content/delete": `{"endpoint":"content/delete","url":"/api/content/delete","method":"POST","description":"Deletes documents of a content source, by upload batch or by guid or url.","category":"Custom content",` +
			`"parameters":[{"name":"auth","type":"string","required":true,"description":"the token, unless it is in the header Authorization: Bearer","deprecated":false},` +
			`{"name":"documentType","type":"int64","required":true,"description":"id of the content source","deprecated":false},` +
			`{"name":"batch","type":"string","required":false,"description":"delete the documents of this upload batch","deprecated":false},` +
			`{"name":"items","type":"array of object","required":false,"description":"documents to delete; the body may also be just this list","deprecated":false},` +
			`{"name":"items[].guid","type":"string","required":false,"description":"unique id of the document","deprecated":false},` +
			`{"name":"items[].url","type":"string","required":false,"description":"URL of the document, instead of the guid","deprecated":false}],` +
			`"response":[{"name":"status","type":"string","description":"success","restricted":false,"deprecated":false,"members":[]}]}`,
	} {
		i := slices.IndexFunc(all.Endpoints, func(e endpoint) bool { return e.Endpoint == name })
		got, err := json.Marshal(all.Endpoints[i])
		if err != nil || string(got) != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestRestrictedMembers(t *testing.T) {
	all := newDocumentation(describedRoutes())
	i := slices.IndexFunc(all.Endpoints, func(e endpoint) bool { return e.Endpoint == "monitor/posts" })
	var got []string
	for _, m := range all.Endpoints[i].Response[0].Members {
		if m.Restricted {
			got = append(got, m.Name)
		}
	}
	if want := []string{"date", "author", "contents", "title"}; !slices.Equal(got, want) {
		t.Errorf("restricted are %v, want %v", got, want)
	}
}

func TestEveryEndpointIsDocumented(t *testing.T) {
	got := newDocumentation(describedRoutes())
	if len(got.Undocumented) > 0 {
		t.Errorf("undocumented are %v, want none", got.Undocumented)
	}
	if n := len(describedRoutes()); len(got.Endpoints) != n {
		t.Errorf("%d endpoints are listed, want %d", len(got.Endpoints), n)
	}
}

func TestUndocumentedRoutesAreListed(t *testing.T) {
	got := newDocumentation([]rest.Description{{Method: "GET", Path: "/api/secret"}})
	if want := []string{"GET /api/secret"}; !slices.Equal(got.Undocumented, want) {
		t.Errorf("undocumented are %v, want %v", got.Undocumented, want)
	}
}

// TestEveryFailureAppliesToAnEndpoint detects misspelled paths.
func TestEveryFailureAppliesToAnEndpoint(t *testing.T) {
	described := describedRoutes()
	for _, f := range failures {
		if !slices.ContainsFunc(described, f.AppliesTo) {
			t.Errorf("no endpoint has the error %q", f.Message)
		}
	}
}
