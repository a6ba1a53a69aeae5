package rest

import (
	"net/http"
	"slices"
	"strings"
)

// allowOrigin lets a page of an allowed origin read the response. It sends the whole response if the
// request is a preflight, and reports that. Preflights have no token and are not counted: the request
// that follows is.
//
// Browsers do not show the page a response to a request with cookies, because
// Access-Control-Allow-Credentials is missing, and [exchange.sessionCaller] rejects such a request.
func (x *exchange) allowOrigin() (preflight bool) {
	path := x.r.URL.Path + "/"
	if len(x.server.Origins) == 0 || !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/manage/") {
		return false
	}
	h := x.w.Header()
	h.Add("Vary", "Origin")
	origin := x.r.Header.Get("Origin")
	if !slices.Contains(x.server.Origins, origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if x.r.Method != http.MethodOptions || x.r.Header.Get("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", "Content-Disposition, Deprecation, ETag, Idempotency-Replayed, Retry-After, "+
			"WWW-Authenticate, X-Earshot-Position, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id, X-Stream-Cursor")
		return false
	}
	h.Set("Access-Control-Allow-Methods", "DELETE, GET, HEAD, PATCH, POST, PUT")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Encoding, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Earshot-Position, X-Request-Id")
	h.Set("Access-Control-Max-Age", "7200") // the most that Chromium accepts
	x.w.WriteHeader(http.StatusNoContent)
	return true
}
