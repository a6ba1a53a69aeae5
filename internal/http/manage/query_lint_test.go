package manage

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/http/rest"
)

// TestLongestQueryIsAccepted sends queries like a program that escapes all characters outside
// ASCII.
func TestLongestQueryIsAccepted(t *testing.T) {
	caller := earshot.NewCaller(&earshot.User{Username: "ann"})
	h := rest.New(rest.Options{
		Authenticate: func(context.Context, string) (*earshot.Caller, error) { return caller, nil },
	}, (&API{}).Routes())
	lint := func(query string) string {
		t.Helper()
		r := httptest.NewRequest("POST", "/manage/v1/query/lint?auth=x", strings.NewReader(`{"query":"`+query+`"}`))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("got status %d with %.200s", w.Code, w.Body)
		}
		return w.Body.String()
	}
	const thumb = `\ud83d\udc4d` // 👍
	if got, want := lint(strings.Repeat(thumb, 100_000)), `{"valid":true,"errors":[],`; !strings.HasPrefix(got, want) {
		t.Errorf("got %.200s, want %s…", got, want)
	}
	want := `{"valid":false,"errors":[{"position":100001,"message":"the query is longer than 100,000 characters"}],"warnings":[],"normal":""}`
	if got := lint(strings.Repeat(thumb, 200_000)); got != want {
		t.Errorf("got %.200s, want %s", got, want)
	}
}
