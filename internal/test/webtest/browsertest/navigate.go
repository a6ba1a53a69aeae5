package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// sessionPath is the endpoint for signing in. It sets sessionCookie.
const (
	sessionPath   = "/manage/v1/session"
	sessionCookie = "earshot_session"
)

// Visit opens a path of the site and waits until it has loaded.
func (p *Page) Visit(path string) {
	p.t.Helper()
	p.do("visit "+path, chromedp.Navigate(p.site+path))
}

// Reload reloads the page.
func (p *Page) Reload() {
	p.t.Helper()
	p.do("reload", chromedp.Reload())
}

// Back presses the browser's back button. It does not wait, because the app may go back without
// loading anything: the test has to wait for what the page should show.
func (p *Page) Back() {
	p.t.Helper()
	p.Eval("history.back()", nil)
}

// URL returns the current path and query.
func (p *Page) URL() (address string) {
	p.t.Helper()
	p.Eval("location.pathname + location.search", &address)
	return address
}

// Expect announces that the test provokes responses with an error status from paths with the given
// prefix. Other error responses fail the test.
func (p *Page) Expect(status int, path string) { p.log.expect(status, path) }

// SignIn signs a user in through the API instead of the form, and sets the session cookie of the
// page.
func (p *Page) SignIn(user, password string) {
	p.t.Helper()
	body, err := json.Marshal(map[string]string{"username": user, "password": password})
	if err != nil {
		p.t.Fatal(err)
	}
	res, err := http.Post(p.site+sessionPath, "application/json", bytes.NewReader(body))
	if err != nil {
		p.t.Fatalf("sign in as %s: %v", user, err)
	}
	defer res.Body.Close()
	for _, c := range res.Cookies() {
		if c.Name == sessionCookie {
			yes := true
			p.do("keep the session", command(network.SetCookie, network.SetCookieParams{
				Name: c.Name, Value: c.Value, URL: p.site, Path: "/", HTTPOnly: &yes, SameSite: network.CookieSameSiteStrict,
			}))
			return
		}
	}
	p.t.Fatalf("sign in as %s: got %s without a session", user, res.Status)
}

func (p *Page) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}
