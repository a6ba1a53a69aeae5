package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// sessionPath is where people sign in, and sessionCookie what they get there.
const (
	sessionPath   = "/manage/v1/session"
	sessionCookie = "earshot_session"
)

// Visit goes to a path of the site and waits until it is loaded.
func (p *Page) Visit(path string) {
	p.t.Helper()
	p.do("visit "+path, chromedp.Navigate(p.site+path))
}

// Reload loads the page again.
func (p *Page) Reload() {
	p.t.Helper()
	p.do("reload", chromedp.Reload())
}

// Back goes back as the browser's button does. The app may do that without loading anything:
// wait for what should be there.
func (p *Page) Back() {
	p.t.Helper()
	p.Eval("history.back()", nil)
}

// URL returns the path and the query that the browser shows.
func (p *Page) URL() (address string) {
	p.t.Helper()
	p.Eval("location.pathname + location.search", &address)
	return address
}

// Expect announces that the test provokes answers with an error status from paths
// that begin so.
func (p *Page) Expect(status int, path string) { p.log.expect(status, path) }

// SignIn gives the page the session of a user, without going through the form.
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
