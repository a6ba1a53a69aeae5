package reference

import (
	"context"
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/http/rest"
)

type treeParams struct {
	ID  earshot.MonitorID `path:"treeid" doc:"which tree"`
	Day earshot.Date      `query:"day|on,required" doc:"a day" example:"2026-03-01"`
	By  string            `query:"by" doc:"order" values:"SIZE,NAME"`
}

type pruneParams struct {
	Body struct {
		Names []string   `json:"names" required:"true" doc:"of the branches"`
		Deep  rest.Bool  `json:"deep" doc:"<b>all</b> the way"`
		Tools []pruneKit `json:"tools" doc:"what to use"`
	} `body:"json"`
}

type pruneKit struct {
	Name  string `json:"name" doc:"of the tool" example:"Ann's saw"`
	Count int32  `json:"count" doc:"how many"`
}

type treeResponse struct {
	Root   branch           `json:"root" doc:"the lowest"`
	Sizes  map[string]int64 `json:"sizes" doc:"by name"`
	Status rest.Success     `json:"status"`
}

type branch struct {
	Grown    earshot.Timestamp `json:"grown,omitzero" doc:"since when" restricted:"true"`
	Branches []branch          `json:"branches" doc:"the same again"`
}

// trees returns a small interface.
func trees() Interface {
	tree := func(context.Context, *earshot.Caller, treeParams) (treeResponse, error) { return treeResponse{}, nil }
	prune := func(context.Context, *earshot.Caller, pruneParams) (treeResponse, error) { return treeResponse{}, nil }
	return Interface{
		Title:   "Trees",
		Version: "1.2",
		Endpoints: rest.Describe([]rest.Route{
			rest.Handle("GET", "/api/tree/{treeid}", rest.SignedIn, tree).Doc("Looking at", "Shows a tree."),
			rest.Handle("POST", "/api/tree", rest.Public, prune).Doc("Cutting", "Cuts branches."),
			rest.Handle("DELETE", "/api/tree", rest.Public, prune).Doc("Cutting", "Cuts everything."),
		}),
		Failures: []Failure{
			{404, "Tree <id> does not exist", func(d rest.Description) bool { return d.Method == "GET" }},
			{400, "Too dry", func(rest.Description) bool { return true }},
		},
	}
}

func get(h http.Handler, method string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const wantPaths = `{"/api/tree/{treeid}":{"get":{"operationId":"getTreeTreeid","summary":"Shows a tree","description":"Shows a tree. Needs a token.","tags":["Looking at"],` +
	`"parameters":[{"name":"treeid","in":"path","description":"which tree","required":true,"schema":{"type":"integer","format":"int64"}},` +
	`{"name":"day","in":"query","description":"a day (also accepted as on)","required":true,"schema":{"type":"string","format":"date"},"example":"2026-03-01"},` +
	`{"name":"by","in":"query","description":"order","schema":{"type":"string","enum":["SIZE","NAME"]}}],` +
	`"responses":{"200":{"description":"Success","content":{"application/json":{"schema":{"$ref":"#/components/schemas/TreeResponse"}}}},` +
	`"400":{"$ref":"#/components/responses/BadRequest"},"404":{"$ref":"#/components/responses/NotFound"}}}},` +
	`"/api/tree":{"post":{"operationId":"postTree","summary":"Cuts branches","description":"Cuts branches. Needs no token.","tags":["Cutting"],"security":[],` +
	`"requestBody":{"required":true,"content":{"application/json":{"schema":` + wantBody + `}}},` +
	`"responses":{"200":{"description":"Success","content":{"application/json":{"schema":{"$ref":"#/components/schemas/TreeResponse"}}}},` +
	`"400":{"$ref":"#/components/responses/BadRequest"}}},` +
	`"delete":{"operationId":"deleteTree","summary":"Cuts everything","description":"Cuts everything. Needs no token.","tags":["Cutting"],"security":[],` +
	`"requestBody":{"required":true,"content":{"application/json":{"schema":` + wantBody + `}}},` +
	`"responses":{"200":{"description":"Success","content":{"application/json":{"schema":{"$ref":"#/components/schemas/TreeResponse"}}}},` +
	`"400":{"$ref":"#/components/responses/BadRequest"}}}}}`

const wantBody = `{"type":"object","properties":{"names":{"type":"array","description":"of the branches","items":{"type":"string"}},` +
	`"deep":{"type":["boolean","string"],"description":"<b>all</b> the way"},` +
	`"tools":{"type":"array","description":"what to use","items":{"type":"object","properties":{` +
	`"name":{"type":"string","description":"of the tool"},"count":{"type":"integer","format":"int32","description":"how many"}}}}},"required":["names"]}`

const wantComponents = `{"schemas":{` +
	`"TreeResponse":{"type":"object","properties":{"root":{"$ref":"#/components/schemas/Branch","description":"the lowest"},` +
	`"sizes":{"type":"object","description":"by name","additionalProperties":{"type":"integer","format":"int64"}},` +
	`"status":{"type":"string","enum":["success"],"description":"success"}},"required":["root","sizes","status"]},` +
	`"Branch":{"type":"object","properties":{"grown":{"type":"string","pattern":"^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$","description":"since when","x-restricted":true},` +
	`"branches":{"type":"array","description":"the same again","items":{"$ref":"#/components/schemas/Branch"}}},"required":["branches"]},` +
	`"Error":{"type":"object","properties":{"message":{"type":"string","description":"error message"},"status":{"type":"string","enum":["error"]}},"required":["message","status"]}},` +
	`"responses":{"BadRequest":{"description":"Bad Request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"},"examples":{"message1":{"value":{"message":"Too dry","status":"error"}}}}}},` +
	`"NotFound":{"description":"Not Found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"},"examples":{"message1":{"value":{"message":"Tree <id> does not exist","status":"error"}}}}}}},` +
	`"securitySchemes":{"query":{"type":"apiKey","name":"auth","in":"query"},"bearer":{"type":"http","scheme":"bearer"}}}`

func TestOpenAPI(t *testing.T) {
	w := get(OpenAPI(trees()), "GET")
	var got struct{ Paths, Components json.RawMessage }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if string(got.Paths) != wantPaths {
		t.Errorf("paths are\n%s\nwant\n%s", got.Paths, wantPaths)
	}
	if string(got.Components) != wantComponents {
		t.Errorf("components are\n%s\nwant\n%s", got.Components, wantComponents)
	}
	rest, _, _ := strings.Cut(w.Body.String(), `,"paths":`)
	want := `{"openapi":"3.1.0","info":{"title":"Trees","description":"Social listening and analytics: queries posts from social networks and the web that monitors select.","version":"1.2","contact":{"name":"The operator of this installation","url":"/api/docs"},"license":{"name":"Apache License 2.0","identifier":"Apache-2.0"}},"servers":[{"url":"/"}],` +
		`"security":[{"query":[]},{"bearer":[]}],"tags":[{"name":"Looking at","description":""},{"name":"Cutting","description":""}]`
	if rest != want {
		t.Errorf("the document begins\n%s\nwant\n%s", rest, want)
	}
}

func TestStaticContentIsCacheable(t *testing.T) {
	for name, h := range map[string]http.Handler{"OpenAPI": OpenAPI(trees()), "Page": Page(trees())} {
		full := get(h, "GET")
		tag := full.Header().Get("ETag")
		if full.Code != 200 || tag == "" || full.Header().Get("Cache-Control") != "no-cache" || full.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s is served with %d %v", name, full.Code, full.Header())
		}
		if head := get(h, "HEAD"); head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != full.Header().Get("Content-Length") {
			t.Errorf("%s: HEAD: got %d, %d bytes, %v", name, head.Code, head.Body.Len(), head.Header())
		}
		if gzipped := get(h, "GET", "Accept-Encoding", "gzip"); gzipped.Header().Get("Content-Encoding") != "gzip" || gzipped.Body.Len() > full.Body.Len()/2 {
			t.Errorf("%s: got %d bytes and %v for a client that accepts gzip", name, gzipped.Body.Len(), gzipped.Header())
		}
		if again := get(h, "GET", "If-None-Match", tag); again.Code != 304 || again.Body.Len() != 0 {
			t.Errorf("%s: got %d and %d bytes for unchanged content, want 304", name, again.Code, again.Body.Len())
		}
	}
}

func TestPageAllowsOnlyItsOwnStyleAndScript(t *testing.T) {
	w := get(Page(trees()), "GET")
	policy := w.Header().Get("Content-Security-Policy")
	for _, element := range []string{"style", "script"} {
		found := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(w.Body.String(), -1)
		if len(found) != 1 {
			t.Fatalf("the page has %d elements %s, want 1", len(found), element)
		}
		if want := element + "-src '" + hashSource(found[0][1]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") {
		t.Errorf("the policy %q allows more", policy)
	}
	for _, no := range []string{"https://", " style=", " onclick=", " src=", "url("} {
		if strings.Contains(w.Body.String(), no) {
			t.Errorf("the page contains %q, which its policy forbids or which needs the network", no)
		}
	}
}

func TestPage(t *testing.T) {
	page := get(Page(trees()), "GET").Body.String()
	for _, want := range []string{
		`<section id="looking-at" class="category"`,
		`<article id="getTreeTreeid"`,
		`<tr><th scope="row"><code>day</code> <span class="type">date</span> <span class="note required">required</span></th><td>a day (also accepted as on)</td></tr>`,
		`; one of <code>SIZE</code>, <code>NAME</code></span>`,
		`&lt;b&gt;all&lt;/b&gt; the way`,
		`<td>404</td><td>Tree &lt;id&gt; does not exist</td>`,
		`<span class="note">optional</span> <span class="note">restricted</span> since when`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(page, "<h1"); n != 1 {
		t.Errorf("the page has %d titles, want 1", n)
	}
}

func TestCurl(t *testing.T) {
	page := html.UnescapeString(get(Page(trees()), "GET").Body.String())
	for _, want := range []string{
		"curl -H \"Authorization: Bearer $TOKEN\" \\\n  'http://127.0.0.1:8080/api/tree/2147483652?day=2026-03-01'",
		"curl -X POST -d '{\"names\":[\"text\"],\"tools\":[{\"name\":\"Ann'\\''s saw\"}]}' \\\n  'http://127.0.0.1:8080/api/tree'",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks\n%s", want)
		}
	}
}
