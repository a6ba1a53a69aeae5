// Package rest turns typed functions into HTTP handlers.
//
// Its one idea: an endpoint is a function from a struct of parameters to a response or an error.
// The package does everything else about HTTP in one place and in the same way for all endpoints:
// routing, authentication, permissions, rate limits, parsing parameters and bodies, status codes,
// request IDs and the access log. It knows nothing about accounts, monitors or storage.
// [Options.Authenticate] and [Options.Session] identify the caller.
//
// A request passes through these checks in order, and the first failure ends it: rate limit, path,
// method, token or session, permission, parameters, body, function.
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"earshot"
	"earshot/internal/limit"
)

// Access is who may call a route.
type Access int

const (
	Public       Access = iota // anyone
	SignedIn                   // anyone with a valid token or session
	Content                    // callers with the content permission
	Streams                    // callers with the streams permission
	StreamsAdmin               // administrators, for stream endpoints
	Admin                      // administrators
)

// permissions maps access levels above SignedIn to the permissions they require.
var permissions = map[Access]earshot.Permission{
	Content:      earshot.ContentPermission,
	Streams:      earshot.StreamsPermission,
	StreamsAdmin: earshot.AdminPermission,
	Admin:        earshot.AdminPermission,
}

// Options configure a handler. The zero value works: no one can sign in, nothing is limited and
// nothing is logged.
type Options struct {
	// Authenticate returns the caller that a token identifies. The error is an [earshot.Error] if
	// the token is invalid; any other error means that the check itself failed.
	Authenticate func(ctx context.Context, token string) (*earshot.Caller, error)

	// Session returns the session that a browser's cookie identifies. Its errors are like those of
	// Authenticate. If Session is nil, there are no sessions.
	Session func(ctx context.Context, cookie string) (Session, error)

	// AccessChanges signals on wake, which has a buffer of 1, after every change of what callers may do,
	// until stop is called. Listeners that have lost access are then disconnected at once. If
	// AccessChanges is nil, that happens at the next heartbeat.
	AccessChanges func(wake chan<- struct{}) (stop func())

	// Origins lists the origins whose pages may call /api and /manage and read the responses. They
	// authenticate with a token; the session is only for our own pages.
	Origins []string

	// HTTPS means that browsers reach the server over TLS, even if requests come without, from a proxy.
	// Cookies are then sent only over TLS.
	HTTPS bool

	// Positions lets clients read their own writes on any node. If it is nil, responses do not have a
	// position. PositionCookie makes browsers send it, which they need only if there are several
	// nodes.
	Positions      Positions
	PositionCookie bool

	// Answers keeps responses to requests with an Idempotency-Key. If it is nil, the header is ignored.
	Answers Answers

	// Limits are the budgets that requests draw from. If it is nil, nothing is limited except the
	// size of bodies.
	Limits *limit.Limits

	Log *slog.Logger

	// RequestLevel is the level of the log line that each request gets. Health checks and scrapes
	// are logged at debug level.
	RequestLevel slog.Level

	// Observe is called after every request. The route is the route's pattern, or empty if the path
	// is unknown. The method is OTHER if it is not a standard HTTP method. Both are therefore
	// suitable as metric labels.
	Observe func(route, method string, status int, d time.Duration)

	// Stopping is closed when the server is about to stop. Streams that are still being read then
	// end with an error that says so.
	Stopping <-chan struct{}

	// NotFound serves unknown paths to browsers, that is, to GET requests that accept text/html. If it
	// is nil, they get the same response as programs.
	NotFound http.Handler

	MaxBody int64            // maximum size of a large JSON body in bytes, both as sent and decompressed; default limit.MaxBody
	Now     func() time.Time // default time.Now
}

func (o Options) withDefaults() Options {
	if o.Authenticate == nil {
		o.Authenticate = func(context.Context, string) (*earshot.Caller, error) {
			return nil, earshot.ErrNotAuthenticated
		}
	}
	if o.Session == nil {
		o.Session = func(context.Context, string) (Session, error) { return Session{}, earshot.ErrNotAuthenticated }
	}
	if o.AccessChanges == nil {
		o.AccessChanges = func(chan<- struct{}) (stop func()) { return func() {} }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(string, string, int, time.Duration) {}
	}
	if o.MaxBody == 0 {
		o.MaxBody = limit.MaxBody
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// New returns a handler that serves the routes. It panics if a path is malformed or two routes have
// the same method and path.
func New(o Options, routes []Route) http.Handler {
	o = o.withDefaults()
	s := &server{Options: o}
	for _, r := range routes {
		s.routes.add(r)
	}
	return s
}

// Server returns a server for h with suitable timeouts: a client has one minute to send a request,
// and the response starts within five. Streams extend both for as long as data flows.
func Server(addr string, h http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           h,
		ReadHeaderTimeout: limit.HeadTimeout,
		ReadTimeout:       limit.ReadTimeout,
		WriteTimeout:      responseTimeout,
		IdleTimeout:       limit.IdleTimeout,
		MaxHeaderBytes:    limit.MaxHead - headerSlop,
	}
}

// responseTimeout is how long an endpoint may take before its response starts.
const responseTimeout = 5 * time.Minute

// headerSlop is how much larger than MaxHeaderBytes net/http lets a head be.
const headerSlop = 4 << 10
