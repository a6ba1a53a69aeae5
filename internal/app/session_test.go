package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/demo"
)

// A browser keeps its session, like real ones.
type browser struct {
	app    *App
	cookie *http.Cookie
	csrf   string
}

func (b *browser) send(method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if b.cookie != nil {
		r.AddCookie(b.cookie)
		r.Header.Set("X-CSRF-Token", b.csrf)
	}
	w := httptest.NewRecorder()
	b.app.Handler().ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		b.cookie = c
	}
	return w
}

func (b *browser) signIn(t *testing.T, username, password string) {
	t.Helper()
	w := b.send("POST", "/manage/v1/session", `{"username":"`+username+`","password":"`+password+`"}`)
	if w.Code != 201 {
		t.Fatalf("sign in: got %d %s", w.Code, w.Body)
	}
	_, rest, _ := strings.Cut(w.Body.String(), `"csrf":"`)
	b.csrf, _, _ = strings.Cut(rest, `"`)
}

func TestSessionSecretsAreNotLogged(t *testing.T) {
	log := &sink{}
	a := open(t, testConfig(t), log)
	defer a.Close()
	b := &browser{app: a}
	b.signIn(t, "admin", rootPassword)
	if w := b.send("GET", "/manage/v1/session", ""); w.Code != 503 {
		t.Errorf("while starting: got %d, want 503", w.Code)
	}
	if w := b.send("GET", "/", ""); w.Code != 200 {
		t.Errorf("pages while starting: got %d, want 200", w.Code)
	}
	ready(t, a)
	secrets := []string{b.cookie.Value, b.csrf, rootPassword, "another password"}
	for _, step := range []struct {
		method, path, body string
		want               int
	}{
		{"GET", "/manage/v1/session", "", 200},
		{"POST", "/manage/v1/session/token", "", 201},
		{"POST", "/manage/v1/session/password", `{"old":"wrong","new":"another password"}`, 403},
		{"POST", "/manage/v1/session/password", `{"old":"` + rootPassword + `","new":"another password"}`, 204},
		{"GET", "/api/team/list", "", 200},
		{"DELETE", "/manage/v1/session", "", 403}, // the old CSRF token
	} {
		if w := b.send(step.method, step.path, step.body); w.Code != step.want {
			t.Errorf("%s %s: got %d %s, want %d", step.method, step.path, w.Code, w.Body, step.want)
		}
	}
	for _, secret := range append(secrets, b.cookie.Value) {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	if !strings.Contains(log.String(), "path=/manage/v1/session/password status=204") {
		t.Error("the log lacks the requests")
	}
}

func TestAUserWithoutAPIAccessSeesTheTeamsObjects(t *testing.T) {
	a := openDemo(t)
	defer a.Close()
	g := demo.Generator{Seed: 1, Days: 1, End: time.Now().UTC(), PerDay: 5}
	if _, err := g.Load(t.Context(), demo.World{Accounts: a.Accounts, Monitors: a.Monitors, Content: a.Content, Training: a.Training, Streams: a.Streams, Journal: a.Journal}); err != nil {
		t.Fatal(err)
	}
	ready(t, a)
	f := func(username, password string, monitors int) {
		t.Helper()
		b := &browser{app: a}
		b.signIn(t, username, password)
		w := b.send("GET", "/manage/v1/monitors", "")
		if got := strings.Count(w.Body.String(), `"timezone":`); w.Code != 200 || got != monitors {
			t.Errorf("%s: got %d with %d monitors, want %d", username, w.Code, got, monitors)
		}
	}
	f("colleague", "earshot-colleague", 10)
	f("demo", "earshot-demo", 10)
	f("agency", "earshot-agency", 0)
	if _, err := a.Accounts.SignIn(t.Context(), account.Credentials{Username: "colleague", Password: "earshot-colleague"}); err == nil {
		t.Error("a user without API access gets a token")
	}
}
