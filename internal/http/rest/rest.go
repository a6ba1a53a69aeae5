// Package rest turns a typed function into an HTTP handler.
//
// Its one idea: an endpoint is a function from a struct of parameters to a
// response or an error, and everything else about HTTP (routing, sign-in,
// permission, rate limits, reading parameters and bodies, status codes, the
// request id and the log line) is done here, once, the same way for all of
// them. It knows nothing of accounts, monitors or storage: who a token belongs
// to is asked of Options.Authenticate, and whose a browser's session is of
// Options.Session.
//
// A request goes through these steps, and the first that fails ends it:
// rate limit, path, method, token or session, permission, parameters, body,
// function.
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"earshot"
)

// Access says who may call a route.
type Access int

const (
	Public       Access = iota // anyone
	SignedIn                   // anyone with a valid token or session
	Content                    // with the content permission
	Streams                    // with the streams permission
	StreamsAdmin               // administrators, of what is about streams
	Admin                      // administrators
)

// permissions are what the accesses beyond SignedIn ask of a caller.
var permissions = map[Access]earshot.Permission{
	Content:      earshot.ContentPermission,
	Streams:      earshot.StreamsPermission,
	StreamsAdmin: earshot.AdminPermission,
	Admin:        earshot.AdminPermission,
}

// Options are what a handler needs from the rest of the program. The zero value
// works: nobody can sign in, nothing is limited and nothing is logged.
type Options struct {
	// Authenticate returns the caller a token belongs to. A token that is not
	// valid is an earshot.Error; any other error means that the check failed.
	Authenticate func(ctx context.Context, token string) (*earshot.Caller, error)

	// Session returns the session that a browser's cookie stands for, with errors as
	// those of Authenticate. nil: there are no sessions.
	Session func(ctx context.Context, cookie string) (Session, error)

	RateLimit  int    // requests a minute of one user, or of one address without a valid token or session; 0: no limit
	RatePrefix string // of the paths that are limited; "/api/" when empty

	Log *slog.Logger

	// Observe hears of every request. route is the pattern of the route, empty
	// when the path is unknown; method is OTHER unless it is one of HTTP's, so
	// that both have few values.
	Observe func(route, method string, status int, d time.Duration)

	// Stopping is closed when the service is about to stop: streams that are still
	// being read end with an error that says so.
	Stopping <-chan struct{}

	MaxBody int64            // bytes of a large JSON body, as sent and decompressed; 32 MB when 0
	Now     func() time.Time // time.Now when nil
}

const defaultMaxBody = 32 << 20

func (o Options) withDefaults() Options {
	if o.Authenticate == nil {
		o.Authenticate = func(context.Context, string) (*earshot.Caller, error) {
			return nil, earshot.ErrNotAuthenticated
		}
	}
	if o.Session == nil {
		o.Session = func(context.Context, string) (Session, error) { return Session{}, earshot.ErrNotAuthenticated }
	}
	if o.RatePrefix == "" {
		o.RatePrefix = "/api/"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(string, string, int, time.Duration) {}
	}
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// New returns a handler that serves the routes. It panics when a path is badly
// formed or two routes have the same method and path.
func New(o Options, routes []Route) http.Handler {
	o = o.withDefaults()
	s := &server{Options: o, limiter: newRateLimiter(o.RateLimit), memory: semaphore.NewWeighted(maxBodyMemory)}
	for _, r := range routes {
		s.routes.add(r)
	}
	return s
}

// Server returns a server for h with timeouts that suit it: a client gets a
// minute to send a request and five to take the response. Stream parameters
// extend both for as long as data flows.
func Server(addr string, h http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    512 << 10, // a filter may hold a query of 100,000 characters, escaped
	}
}

const (
	readTimeout  = 60 * time.Second
	writeTimeout = 5 * time.Minute
)
