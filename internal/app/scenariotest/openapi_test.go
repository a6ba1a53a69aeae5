package scenariotest

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"earshot/internal/http/api"
	"earshot/internal/http/rest"
)

// TestResponsesMatchTheOpenAPIDocument compares the responses of all scenarios with the OpenAPI
// document: each must have exactly the described members.
func TestResponsesMatchTheOpenAPIDocument(t *testing.T) {
	d := newDescribed(t)
	files, _ := filepath.Glob("testdata/scenarios/*.txt")
	checked := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range parseScenario(t, string(text)).steps {
			path, _, _ := strings.Cut(st.address, "?")
			schema := d.response(st.method, strings.TrimRight(path, "/"))
			if st.status != "200" || schema == nil || st.want == "" {
				continue
			}
			var answer any
			if err := json.Unmarshal([]byte(variable.ReplaceAllString(st.want, "1")), &answer); err != nil {
				continue // not JSON described by the document
			}
			if wrong := d.check("", schema, answer); wrong != "" {
				t.Errorf("%s:%d: the response does not match the document: %s", file, st.line, wrong)
			}
			checked[st.method+" "+path] = true
		}
	}
	if len(checked) < 30 {
		t.Errorf("scenarios have responses of %d endpoints, want at least 30", len(checked))
	}
}

// TestErrorsMatchTheOpenAPIDocument checks that each error message in the OpenAPI document occurs
// in a scenario.
func TestErrorsMatchTheOpenAPIDocument(t *testing.T) {
	others := []string{
		// too large for a scenario; tested in rest, app and insight
		"The request body is larger than <n> MB. Please split it into several requests",
		"The request has <n> documents; send at most 1000 in one request",
		"A monitor can have at most 20000 training posts with <n> MB of text; remove the less useful ones first",
		// lasts only a short time
		"The monitor is learning from its training posts; try again in a moment",
		// must not happen in a scenario
		"Internal error",
		"The disk is full. Free some space or add storage, then try again",
		// needs many posts
		"No interest has at least 5 posts and an average of 5 authors per day in the selected range",
	}
	files, _ := filepath.Glob("testdata/scenarios/*.txt")
	var seen []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range parseScenario(t, string(text)).steps {
			seen = append(seen, st.status+" "+st.want)
		}
	}
	placeholder := regexp.MustCompile(`<[^>]*>`)
	for name, response := range newDescribed(t).at("components", "responses") {
		for _, example := range openAPI(response.(map[string]any)).at("content", "application/json", "examples") {
			body := openAPI(example.(map[string]any)).at("value")
			message := body["message"].(string)
			pattern := regexp.MustCompile(placeholder.ReplaceAllString(`^4.. {"message":"`+regexp.QuoteMeta(message)+`"`, `.+`))
			if !slices.ContainsFunc(seen, pattern.MatchString) && !slices.Contains(others, message) {
				t.Errorf("no scenario has the error %q of %s", message, name)
			}
		}
	}
}

// An openAPI is an OpenAPI document, or a part of one.
type openAPI map[string]any

func newDescribed(t *testing.T) openAPI {
	w := httptest.NewRecorder()
	handler := rest.New(rest.Options{}, (&api.API{ForClients: true}).Routes())
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/api/openapi.json", nil))
	var d openAPI
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// at returns the object at a path of keys, or nil.
func (d openAPI) at(keys ...string) map[string]any {
	at := map[string]any(d)
	for _, key := range keys {
		at, _ = at[key].(map[string]any)
	}
	return at
}

// response returns the schema of an endpoint's response, or nil.
func (d openAPI) response(method, path string) map[string]any {
	return d.at("paths", path, strings.ToLower(method), "responses", "200", "content", "application/json", "schema")
}

// check describes how a value differs from a schema, or returns "".
func (d openAPI) check(where string, schema map[string]any, v any) string {
	if ref, ok := schema["$ref"].(string); ok {
		return d.check(where, d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), v)
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, v) {
		return fmt.Sprintf("%s is %v, not one of %v", where, v, enum)
	}
	switch v := v.(type) {
	case map[string]any:
		return d.checkObject(where, schema, v)
	case []any:
		items, isList := schema["items"].(map[string]any)
		for i, e := range v {
			if wrong := d.check(fmt.Sprintf("%s[%d]", where, i), items, e); wrong != "" {
				return wrong
			}
		}
		return unless(isList, where, "is a list", schema)
	case string:
		pattern, _ := schema["pattern"].(string)
		return unless(schema["type"] == "string" && regexp.MustCompile(pattern).MatchString(v) || v == "1", where, "is "+v, schema)
	case float64:
		return unless(schema["type"] == "number" || schema["type"] == "integer" && v == float64(int64(v)), where, fmt.Sprint("is ", v), schema)
	case bool:
		return unless(schema["type"] == "boolean", where, fmt.Sprint("is ", v), schema)
	}
	return where + " is null"
}

func (d openAPI) checkObject(where string, schema, v map[string]any) string {
	properties, _ := schema["properties"].(map[string]any)
	values, isMap := schema["additionalProperties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			return fmt.Sprintf("%s has no %s", where, name)
		}
	}
	for name, member := range v {
		at, known := properties[name].(map[string]any)
		if isMap {
			at = values
		} else if !known {
			return fmt.Sprintf("%s has %s, which is not described", where, name)
		}
		if wrong := d.check(where+"."+name, at, member); wrong != "" {
			return wrong
		}
	}
	return unless(schema["type"] == "object", where, "is an object", schema)
}

func unless(fits bool, where, what string, schema map[string]any) string {
	if fits {
		return ""
	}
	return fmt.Sprintf("%s %s, want %v", where, what, schema["type"])
}
