package rest

import (
	"context"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"time"

	"earshot"
)

// sessionCookie is the cookie that identifies a browser session. csrfHeader is the header that
// proves that a request comes from one of our own pages.
const (
	sessionCookie = "earshot_session"
	csrfHeader    = "X-CSRF-Token"
)

// A Session is the session of a signed-in browser. Browsers send the cookie no matter which site
// initiates a request, so a request that changes anything must also include the CSRF token.
type Session struct {
	Caller *earshot.Caller
	CSRF   string
}

var (
	errCSRF        = &earshot.Error{Kind: earshot.Forbidden, Message: "Missing or wrong CSRF token"}
	errCrossOrigin = &earshot.Error{Kind: earshot.Forbidden, Message: "Pages of another site may not do this"}
)

// cookie returns the session cookie, or "" if there is none or the route does not need a caller. If
// the request has several cookies of that name, none of them can be trusted.
func (x *exchange) cookie() string {
	if x.route != nil && x.route.Access == Public {
		return ""
	}
	cookies := x.r.CookiesNamed(sessionCookie)
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

// sessionCaller returns the caller of a session after checking that the request is not a cross-site
// request.
func (x *exchange) sessionCaller(ctx context.Context, cookie string) (*earshot.Caller, error) {
	s, err := x.server.Session(ctx, cookie)
	if err != nil {
		return nil, err
	}
	if x.crossOrigin() {
		return nil, errCrossOrigin
	}
	reads := x.r.Method == http.MethodGet || x.r.Method == http.MethodHead
	if reads && x.route != nil && x.route.changes {
		reads = x.ownPage()
	}
	token := x.r.Header.Get(csrfHeader)
	if !reads && (s.CSRF == "" || subtle.ConstantTimeCompare([]byte(token), []byte(s.CSRF)) == 0) {
		return nil, errCSRF
	}
	return s.Caller, nil
}

// ownPage reports whether the browser says that the request comes from one of our own pages. Old
// browsers do not say where a GET comes from, and neither do new ones without TLS.
func (x *exchange) ownPage() bool {
	if site := x.r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	origin, err := url.Parse(x.r.Header.Get("Origin"))
	return err == nil && origin.Host != "" && strings.EqualFold(origin.Host, x.r.Host)
}

// crossOrigin reports whether the browser says that the request comes from a page of another site.
// It treats GET like POST, because some GET requests of the public API change state: they consume
// what they return.
func (x *exchange) crossOrigin() bool {
	var protection http.CrossOriginProtection
	return protection.Check(&http.Request{Method: http.MethodPost, Header: x.r.Header, Host: x.r.Host}) != nil
}

// WithCookie is embedded in responses that set a cookie, for example to start or end a session. The zero value does not change
// the browser's cookie.
type WithCookie struct{ cookie *http.Cookie }

// SetSession starts a session in the browser. scheme is that of the URL at which browsers reach the
// server; if it is https, the browser sends the cookie only over https.
func SetSession(cookie string, expires time.Time, scheme string) WithCookie {
	return SetCookie(http.Cookie{Name: sessionCookie, Value: cookie, Path: "/", Expires: expires}, scheme)
}

// SetCookie sets a cookie that scripts cannot read and that the browser sends only with requests of
// our own pages.
func SetCookie(c http.Cookie, scheme string) WithCookie {
	c.HttpOnly, c.SameSite, c.Secure = true, http.SameSiteStrictMode, scheme == "https"
	return WithCookie{&c}
}

// ClearSession deletes the session cookie.
func ClearSession(scheme string) WithCookie {
	cleared := SetSession("", time.Unix(1, 0), scheme)
	cleared.cookie.MaxAge = -1
	return cleared
}

// HTTPHeader implements [Headerer].
func (w WithCookie) HTTPHeader() http.Header {
	if w.cookie == nil {
		return nil
	}
	return http.Header{"Set-Cookie": {w.cookie.String()}}
}
