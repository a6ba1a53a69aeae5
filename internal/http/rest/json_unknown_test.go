package rest

import (
	"context"
	"strings"
	"testing"

	"earshot"
)

type unknownBody struct {
	Name      string `json:"name"`
	Keywords  string `json:"keywords"`
	Languages struct {
		Values []string `json:"values"`
	} `json:"languages"`
	Rows     []itemBody        `json:"rows"`
	Settings map[string]string `json:"settings"`
	Posts    []foreignPost     `json:"posts"`
}

// A foreignPost may have more fields.
type foreignPost struct {
	GUID string `json:"guid"`
}

func (foreignPost) IgnoresUnknown() {}

func TestUnknownFieldsUnderManageAreErrors(t *testing.T) {
	type params struct {
		Body unknownBody `body:"json"`
	}
	serve := func(context.Context, *earshot.Caller, params) (NoContent, error) { return NoContent{}, nil }
	h := New(Options{Authenticate: authenticate}, []Route{
		Handle("POST", "/manage/v1/things", SignedIn, serve),
		Handle("POST", "/api/things", SignedIn, serve),
	})
	f := func(body, want string) {
		t.Helper()
		if w := request(h, "POST", "/api/things?auth=plain", body); w.Code != 204 {
			t.Errorf("%s under /api: got %d %s", body, w.Code, w.Body)
		}
		w := request(h, "POST", "/manage/v1/things?auth=plain", body)
		if want == "" {
			if w.Code != 204 {
				t.Errorf("%s: got %d %s", body, w.Code, w.Body)
			}
			return
		}
		if got := w.Body.String(); w.Code != 400 || !strings.Contains(got, `"Invalid request body: `+want+`"`) {
			t.Errorf("%s:\ngot  %d %s\nwant %s", body, w.Code, got, want)
		}
	}
	f(`{}`, "")
	f(`{"NAME":"x","settings":{"nmae":"x"},"posts":[{"guid":"1","score":3}]}`, "")
	f(`{"nmae":"x"}`, "unknown field 'nmae'; did you mean 'name'?")
	f(`{"keyword":null}`, "unknown field 'keyword'; did you mean 'keywords'?")
	f(`{"n\u0061mes":[[{"a":1}]]}`, "unknown field 'names'; did you mean 'name'?")
	f(`{"languages":{"vlaues":[]}}`, "unknown field 'languages.vlaues'; did you mean 'languages.values'?")
	f(`{"rows":[{},{"agee":1}]}`, "unknown field 'rows[1].agee'; did you mean 'rows[1].age'?")
	f(`{"password":"x"}`, "unknown field 'password'; there are keywords, languages, name, posts, rows, settings")
	f(`{"":1}`, "unknown field ''; there are keywords, languages, name, posts, rows, settings")
	f(`{"`+strings.Repeat("é", 100)+`":1}`, "unknown field '"+strings.Repeat("é", 60)+"…'; there are keywords, languages, name, posts, rows, settings")
}
