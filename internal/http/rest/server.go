package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"earshot"
)

// A server is the handler that [New] returns.
type server struct {
	Options
	routes router
}

// errTemporaryPassword is the response to callers who have to change their password first.
var errTemporaryPassword = earshot.Errorf(earshot.Forbidden, "Please change your temporary password first")

// errNoToken is the response of stream endpoints to a request without a token.
var errNoToken = earshot.Errorf(earshot.Unauthenticated, "Required parameter 'auth' not provided")

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := newExchange(s, w, r)
	defer x.finish()
	defer x.recover()

	if x.allowOrigin() {
		return
	}
	node := s.routes.find(x.segments)
	if node != nil {
		x.route = node.route(r.Method)
	}
	if x.route != nil && x.route.visitors {
		setVisitorHeader(x.w.Header())
	}
	// Rate limits are per user, so identify the caller first. An unknown path is still reported
	// before an invalid token.
	denied := x.authenticate()
	if err := x.checkRateLimit(); err != nil {
		x.fail(err)
		return
	}
	if waited, err := x.awaitPosition(); err != nil {
		x.fail(err)
		return
	} else if waited { // the user, too, may have changed on another node
		x.caller, x.session = nil, ""
		denied = x.authenticate()
	}
	switch {
	case node == nil && s.NotFound != nil && isBrowser(r):
		s.NotFound.ServeHTTP(x.w, x.r)
	case node == nil:
		x.fail(errNoEndpoint(x.path()))
	case x.route == nil:
		x.methodNotAllowed(node)
	case x.route.plain != nil:
		x.route.plain.ServeHTTP(x.w, x.r)
		if x.w.status == 0 {
			x.w.WriteHeader(http.StatusOK) // net/http would do the same; this way the status is logged
		}
	default:
		if err := x.serve(denied); err != nil {
			x.fail(err)
		}
	}
}

// setVisitorHeader sets the headers of responses for visitors, including errors.
func setVisitorHeader(h http.Header) {
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

// authenticate sets the caller. authorize decides whether an error matters.
func (x *exchange) authenticate() error {
	caller, err := x.identify(x.r.Context())
	if err != nil {
		return err
	}
	x.caller = caller
	if x.token() == "" {
		x.session = x.cookie()
	}
	return nil
}

// identify returns the caller identified by the token or, if there is none, by the session.
func (x *exchange) identify(ctx context.Context) (caller *earshot.Caller, err error) {
	token, cookie := x.token(), x.cookie()
	switch {
	case token != "":
		caller, err = x.server.Authenticate(ctx, token)
	case cookie != "":
		caller, err = x.sessionCaller(ctx, cookie)
	}
	if err == nil && caller == nil {
		err = earshot.ErrNotAuthenticated
	}
	return caller, err
}

// hasCredentials reports whether the request has a token or a session, valid or not.
func (x *exchange) hasCredentials() bool { return x.token() != "" || x.cookie() != "" }

func (x *exchange) methodNotAllowed(n *router) {
	allowed := n.allowed()
	x.w.Header().Set("Allow", allowed)
	x.sendError(http.StatusMethodNotAllowed,
		fmt.Sprintf("Method %s is not supported for %s. Please use: %s", x.method(), x.path(), allowed))
}

// serve checks permissions, calls the endpoint and sends the response.
func (x *exchange) serve(denied error) error {
	if err := x.authorize(denied); err != nil {
		return err
	}
	if x.route.Access != Public {
		x.beginPosition()
	}
	v, err := x.route.call(x)
	if err != nil {
		return err
	}
	if err := x.respond(v); err != nil {
		return err
	}
	if err := x.endCompression(); err != nil {
		x.abort(err)
	}
	return nil
}

func (x *exchange) authorize(denied error) error {
	access := x.route.Access
	switch {
	case x.route.sameOrigin && x.crossOrigin():
		return errCrossOrigin
	case access == Public && earshot.IsKind(denied, earshot.Unauthenticated):
		return nil // a stale token must not prevent signing in
	case denied != nil && x.route.guests && !x.hasCredentials():
		return nil
	case denied != nil && (access == Streams || access == StreamsAdmin) && !x.hasCredentials():
		return errNoToken
	case denied != nil:
		return denied
	}
	if access != Public && x.caller.MustChangePassword && !x.route.temporary {
		return errTemporaryPassword
	}
	if p, needed := permissions[access]; needed && !x.caller.May(p) {
		return earshot.ErrAccessDenied
	}
	return nil
}

// recover logs a panic and sends an error response.
func (x *exchange) recover() {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	x.log().Error("request panicked", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
	if x.w.status != 0 { // part of the response was sent: let the client see that it is incomplete
		panic(http.ErrAbortHandler)
	}
	x.sendError(http.StatusInternalServerError, "Internal error")
}

// isBrowser reports whether a person asked for a page: browsers accept HTML, and programs rarely do.
func isBrowser(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html")
}
