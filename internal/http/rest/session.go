package rest

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"earshot"
)

// sessionCookie is the cookie that holds a browser's session, csrfHeader the header by
// which a request shows that a page of ours makes it.
const (
	sessionCookie = "earshot_session"
	csrfHeader    = "X-CSRF-Token"
)

// A Session is a browser that is signed in. Browsers send its cookie whoever makes the
// request, so one that may change something must also show CSRF.
type Session struct {
	Caller *earshot.Caller
	CSRF   string
}

var (
	errCSRF        = &earshot.Error{Kind: earshot.Forbidden, Message: "Missing or wrong CSRF token"}
	errCrossOrigin = &earshot.Error{Kind: earshot.Forbidden, Message: "Pages of another site may not do this"}
)

// cookie returns the session's cookie that a request to a route which needs a caller
// came with, or "". Of several nobody can tell which one is ours.
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

// sessionCaller returns the caller of a session, after checks against cross-site requests.
func (x *exchange) sessionCaller(ctx context.Context, cookie string) (*earshot.Caller, error) {
	s, err := x.server.Session(ctx, cookie)
	if err != nil {
		return nil, err
	}
	if x.crossOrigin() {
		return nil, errCrossOrigin
	}
	reads := x.r.Method == http.MethodGet || x.r.Method == http.MethodHead
	token := x.r.Header.Get(csrfHeader)
	if !reads && (s.CSRF == "" || subtle.ConstantTimeCompare([]byte(token), []byte(s.CSRF)) == 0) {
		return nil, errCSRF
	}
	return s.Caller, nil
}

// crossOrigin reports whether the browser says that a page of another site makes the
// request. Reading counts too: some GETs of the public interface take what they show.
func (x *exchange) crossOrigin() bool {
	var protection http.CrossOriginProtection
	return protection.Check(&http.Request{Method: http.MethodPost, Header: x.r.Header, Host: x.r.Host}) != nil
}

// WithCookie is part of responses that begin or end a session. The zero value leaves the
// browser's cookie alone.
type WithCookie struct{ cookie *http.Cookie }

// SetSession gives the browser a session's cookie. base is the address that it reached:
// over TLS the cookie never goes anywhere else.
func SetSession(cookie string, expires time.Time, base string) WithCookie {
	return WithCookie{&http.Cookie{
		Name: sessionCookie, Value: cookie, Path: "/", Expires: expires,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(base, "https://"),
	}}
}

// ClearSession takes the cookie from the browser.
func ClearSession(base string) WithCookie {
	cleared := SetSession("", time.Unix(1, 0), base)
	cleared.cookie.MaxAge = -1
	return cleared
}

// HTTPHeader implements Headerer.
func (w WithCookie) HTTPHeader() http.Header {
	if w.cookie == nil {
		return nil
	}
	return http.Header{"Set-Cookie": {w.cookie.String()}}
}
