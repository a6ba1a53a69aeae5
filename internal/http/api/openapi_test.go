package api

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"earshot/internal/http/rest"
	"earshot/internal/limit"
)

// fetch returns the response from a public route. No services are configured.
func fetch(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	rest.New(rest.Options{Limits: &limit.Limits{API: limit.NewRate(10)}}, (&API{ForClients: true}).Routes()).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	if w.Code != 200 {
		t.Fatalf("GET %s: got %d %s", path, w.Code, w.Body)
	}
	return w
}

// TestOpenAPIDocumentIsComplete checks what linters recommend: contact and license, descriptions of
// tags, operations and parameters, and the statuses that every endpoint may have.
func TestOpenAPIDocumentIsComplete(t *testing.T) {
	type described struct{ Name, Description string }
	var doc struct {
		Info struct {
			Description string
			Contact     struct{ Name, URL string }
			License     struct{ Name, Identifier string }
		}
		Tags  []described
		Paths map[string]map[string]struct {
			Summary, Description string
			Tags                 []string
			Parameters           []described
			Responses            map[string]any
		}
	}
	if err := json.Unmarshal(fetch(t, "/api/openapi.json").Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Info.Description == "" || doc.Info.Contact.Name == "" || doc.Info.License.Identifier == "" {
		t.Errorf("incomplete info: %+v", doc.Info)
	}
	var tags []string
	for _, tag := range doc.Tags {
		tags = append(tags, tag.Name)
		if tag.Description == "" {
			t.Errorf("tag %s has no description", tag.Name)
		}
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if op.Summary == "" || strings.HasSuffix(op.Summary, ".") || op.Description == "" {
				t.Errorf("%s %s: summary %q, description %q", method, path, op.Summary, op.Description)
			}
			if len(op.Tags) != 1 || !slices.Contains(tags, op.Tags[0]) {
				t.Errorf("%s %s has tags %v", method, path, op.Tags)
			}
			for _, p := range op.Parameters {
				if p.Description == "" {
					t.Errorf("%s %s: parameter %s has no description", method, path, p.Name)
				}
			}
			want := []string{"200", "405", "429", "500"}
			if path != "/api/authenticate" {
				want = append(want, "401")
			}
			if method != "get" {
				want = append(want, "507")
			}
			if path == "/api/results" {
				want = append(want, "202")
			}
			for _, status := range want {
				if op.Responses[status] == nil {
					t.Errorf("%s %s does not document %s", method, path, status)
				}
			}
		}
	}
}

// TestOpenAPIDocumentIsConsistent checks what the JSON schema of OpenAPI documents cannot: that
// references resolve, names are unique and required members exist.
func TestOpenAPIDocumentIsConsistent(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(fetch(t, "/api/openapi.json").Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	c := &openAPICheck{t: t, doc: doc}
	c.walk("", doc)
	ids := map[string]bool{}
	for path, methods := range doc["paths"].(map[string]any) {
		for method, op := range methods.(map[string]any) {
			c.operation(method+" "+path, path, op.(map[string]any), ids)
		}
	}
	described := rest.Describe((&API{ForClients: true}).Routes())
	if len(ids) != len(described) {
		t.Errorf("the document has %d operations, want %d", len(ids), len(described))
	}
}

type openAPICheck struct {
	t   *testing.T
	doc map[string]any
}

// walk checks references and schemas recursively.
func (c *openAPICheck) walk(where string, v any) {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			c.walk(fmt.Sprintf("%s[%d]", where, i), e)
		}
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && c.find(ref) == nil {
			c.t.Errorf("%s refers to %s, which does not exist", where, ref)
		}
		if properties, ok := v["properties"].(map[string]any); ok {
			c.required(where, v, properties)
		}
		for key, e := range v {
			c.walk(where+"/"+key, e)
		}
	}
}

func (c *openAPICheck) required(where string, schema, properties map[string]any) {
	if schema["type"] == nil { // a member with the name "properties"
		return
	}
	names, _ := schema["required"].([]any)
	for _, name := range names {
		if properties[name.(string)] == nil {
			c.t.Errorf("%s requires %s, which it does not have", where, name)
		}
	}
}

// find resolves a reference. It returns nil if the target does not exist.
func (c *openAPICheck) find(ref string) any {
	way, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	var at any = c.doc
	for key := range strings.SplitSeq(way, "/") {
		at, _ = at.(map[string]any)[key]
	}
	return at
}

var pathVariable = regexp.MustCompile(`\{([^}]+)\}`)

func (c *openAPICheck) operation(where, path string, op map[string]any, ids map[string]bool) {
	id := op["operationId"].(string)
	if id == "" || ids[id] {
		c.t.Errorf("%s has the operationId %q, which is empty or taken", where, id)
	}
	ids[id] = true
	if op["responses"].(map[string]any)["200"] == nil {
		c.t.Errorf("%s has no success response", where)
	}
	var seen, inPath []string
	params, _ := op["parameters"].([]any)
	for _, p := range params {
		p := p.(map[string]any)
		name := fmt.Sprint(p["in"], " ", p["name"])
		if slices.Contains(seen, name) || p["schema"] == nil {
			c.t.Errorf("%s: parameter %s is a duplicate or has no schema", where, name)
		}
		seen = append(seen, name)
		if p["in"] == "path" {
			inPath = append(inPath, p["name"].(string))
		}
	}
	for _, variable := range pathVariable.FindAllStringSubmatch(path, -1) {
		if !slices.Contains(inPath, variable[1]) {
			c.t.Errorf("%s does not declare the parameter %s of its path", where, variable[1])
		}
	}
}

func TestDocumentsAreRateLimited(t *testing.T) {
	for _, path := range []string{"/api/openapi.json", "/api/docs"} {
		if got := fetch(t, path).Header().Get("X-RateLimit-Remaining"); got != "9" {
			t.Errorf("%s has X-RateLimit-Remaining %q, want 9", path, got)
		}
	}
}
